import Testing

@testable import TiffinLiveCore

/// Contract section 7.10: limits hold for the whole server, whichever loop a connection landed on.
@Suite("Limits of connections on the wire")
struct ConnectionLimitOnTheWireTests {
    private static func upgrade(_ server: LiveServer, _ user: String = "5521", forwarded: String? = nil) throws -> (
        RawClient, RawResponse
    ) {
        let client = try server.connect()
        let headers =
            [("Authorization", "Bearer \(server.token(user))")] + (forwarded.map { [("X-Forwarded-For", $0)] } ?? [])
        return (client, try client.upgrade("/rider/socket", headers: headers))
    }

    private static func isOpen(_ client: RawClient) throws -> Bool {
        try client.sendText(#"{"type":"ping"}"#)
        return try client.receiveText(containing: "pong") == #"{"type":"pong"}"#
    }

    @Test("the newest connections of a user win, on whatever loop they are")
    func newestWins() throws {
        let server = try LiveServer(["threads=4", "limits.perUser=2"])
        let bystander = try server.rider("5522")
        let clients = try (0..<40).map { _ in try server.rider() }
        for client in clients.dropLast(2) {
            let close = try client.expectCloseAndEnd()
            #expect(close.code == 4009)
            #expect(close.reason == "replaced")
        }
        for client in clients.suffix(2) + [bystander] { #expect(try Self.isOpen(client)) }
        #expect(try server.openConnections() == 3)
        #expect(server.logged("reason", of: "connection_closed").count { $0 == "replaced" } == 38)
    }

    @Test("connections of one user that open at the same time leave exactly as many as may be")
    func newestWinsAtOnce() throws {
        let server = try LiveServer(["threads=4", "limits.perUser=3"])
        let request = RawClient.upgradeRequest(
            "/rider/socket", headers: [("Authorization", "Bearer \(server.token())")])
        let clients = try (0..<100).map { _ in try server.connect() }
        for client in clients { try client.send(request) }
        for client in clients {
            // One that was replaced before it was open is refused.
            let response = try client.receiveUpgradeResponse()
            guard response.status == 101 else {
                #expect(response.status == 429)
                continue
            }
            #expect(try client.receiveText().contains("welcome"))
        }
        #expect(try LiveServer.eventually { try server.openConnections() == 3 })
        let list = try JSONReader.read(try server.adminGet("/connections?user=5521").body).arrayValue
        #expect(list?.count == 3)
        let replaced = server.logged("reason", of: "connection_closed")
        #expect(replaced.allSatisfy { $0 == "replaced" })
    }

    @Test("a user over the limit may be refused instead, until there is room")
    func refusePolicy() throws {
        let server = try LiveServer(["threads=4", "limits.perUser=2", #"limits.perUserPolicy="refuse""#])
        let first = try server.rider()
        let second = try server.rider()
        for _ in 0..<10 {
            let (client, response) = try Self.upgrade(server)
            #expect(response.status == 429)
            #expect(response.text == #"{"error":"too_many_connections"}"#)
            #expect(Int(response.only("Retry-After") ?? "") != nil)
            #expect(try client.expectEnd() == .finished)
        }
        #expect(try Self.upgrade(server, "5522").1.status == 101)
        #expect(try Self.isOpen(first))
        first.close()
        #expect(try LiveServer.eventually { try Self.upgrade(server).1.status == 101 })
        #expect(try Self.isOpen(second))
    }

    @Test("an address over the limit is refused, and a trusted proxy's word counts for it")
    func perAddress() throws {
        let server = try LiveServer(["threads=4", "limits.perAddress=3"])
        var clients: [RawClient] = []
        for number in 0..<6 {
            let (client, response) = try Self.upgrade(server, "\(number)", forwarded: "1.2.3.4, 192.0.2.7")
            #expect(response.status == (number < 3 ? 101 : 429))
            clients.append(client)
        }
        // The left part is the client's own writing and changes nothing. One IPv6 source is a whole /64.
        let sources = [
            ("9.9.9.9, 192.0.2.7", 429), ("192.0.2.8", 101), ("2001:db8::1", 101), ("2001:db8::2", 101),
            ("2001:db8::3", 101), ("2001:db8::ffff", 429), ("2001:db8:0:1::1", 101),
        ]
        for (index, (source, status)) in sources.enumerated() {
            let (client, response) = try Self.upgrade(server, "source-\(index)", forwarded: source)
            #expect(response.status == status, "\(source)")
            clients.append(client)
        }
        clients[0].reset()
        #expect(try LiveServer.eventually { try Self.upgrade(server, forwarded: "192.0.2.7").1.status == 101 })
    }

    @Test("a full server answers 503, and serves again when somebody has left")
    func full() throws {
        let server = try LiveServer(["threads=4", "limits.connections=5"])
        let clients = try (0..<5).map { try server.rider("\($0)") }
        let (_, response) = try Self.upgrade(server)
        #expect(response.status == 503)
        #expect(response.text == #"{"error":"full"}"#)
        #expect(Int(response.only("Retry-After") ?? "") != nil)
        clients[0].close()
        #expect(try LiveServer.eventually { try Self.upgrade(server).1.status == 101 })
    }

    @Test("a source that forges gets 429 for what is unknown, and is served what is known to be good, on every loop")
    func forgers() throws {
        let server = try LiveServer(["threads=4", "limits.perUser=0", "limits.forged={rate:1,burst:5}"])
        let good = server.token()
        #expect(try server.connect().openWebSocket("/rider/socket", token: good).status == 101)
        let forger = TokenFactory(.HS256)
        var statuses: [Int] = []
        for number in 0..<20 {
            let forged = forger.token(sub: .string("\(number)"), exp: server.now + 900)
            statuses.append(
                try server.connect().upgrade("/rider/socket", headers: [("Authorization", "Bearer \(forged)")]).status)
        }
        #expect(statuses.prefix(5).allSatisfy { $0 == 401 })
        #expect(statuses.contains(429))
        // What one loop knows all know: the kernel chooses where a connection lands.
        for _ in 0..<20 { #expect(try server.connect().openWebSocket("/rider/socket", token: good).status == 101) }
        let expired = server.token(ttl: -5)
        let response = try server.connect().upgrade("/rider/socket", headers: [("Authorization", "Bearer \(expired)")])
        #expect(response.status == 401)
    }
}
