import Glibc
import Testing

@testable import TiffinLiveCore

/// Contract section 7.6: a revocation closes exactly those it means, however it falls together with a handshake.
@Suite("Revocation on the wire")
struct RevocationOnTheWireTests {
    private static let settings = ["limits.messages={rate:0,burst:0}", "limits.perUser=0"]

    private static func closed(_ server: LiveServer, _ body: String) throws -> Int64? {
        let response = try server.admin("/revoke", body)
        guard response.status == 200 else { return nil }
        return try JSONReader.read(response.body)["closed"]?.numberValue?.int64
    }

    private static func open(_ server: LiveServer, jti: String, user: String = "7001") throws -> RawClient {
        let client = try server.connect()
        try client.openWebSocket("/orders/1/events", token: server.token(user, role: "customer", jti: jti))
        _ = try client.receiveText(containing: "welcome")
        return client
    }

    private static func isOpen(_ client: RawClient) throws -> Bool {
        try client.sendText(#"{"type":"ping"}"#)
        return try client.receiveText() == #"{"type":"pong"}"#
    }

    // B46
    @Test("exactly the sockets that a revocation means are closed, also after a refresh")
    func exactly() throws {
        let server = try LiveServer(Self.settings)
        try server.admin("/store", #"{"command":["HSET","order:1","customer_id","7001"]}"#)
        let a = try Self.open(server, jti: "jti1")
        let b = try Self.open(server, jti: "jti2")
        let d = try server.connect().openEventStream(
            "/orders/1/events", token: server.token("7001", role: "customer", jti: "jti2"))
        #expect(try d.nextEvent()?.event == "welcome")
        #expect(try Self.closed(server, #"{"jti":"jti2"}"#) == 2)
        #expect(try b.expectCloseAndEnd().code == 4003)
        #expect(try d.nextEvent()?.data == #"{"code":4003,"reason":"revoked"}"#)
        #expect(try d.nextBlock() == nil)
        #expect(d.ending == .lastChunk)
        #expect(try Self.isOpen(a))
        try a.sendText(#"{"type":"auth","token":"\#(server.token("7001", role: "customer", jti: "jti3"))"}"#)
        #expect(try a.receiveText().contains(#""ok":true"#))
        #expect(try Self.closed(server, #"{"jti":"jti1"}"#) == 0)
        #expect(try Self.isOpen(a))
        #expect(try Self.closed(server, #"{"jti":"jti3","user_id":7002}"#) == 0)
        #expect(try Self.closed(server, #"{"jti":"jti3"}"#) == 1)
        #expect(try a.expectCloseAndEnd().code == 4003)
        let others = try (4...6).map { try Self.open(server, jti: "jti\($0)") }
        let rider = try server.rider()
        #expect(try Self.closed(server, #"{"user_id":7001,"reason":"suspended"}"#) == 3)
        for client in others { #expect(try client.expectCloseAndEnd().reason == "revoked") }
        #expect(try Self.isOpen(rider))
    }

    // B46
    @Test("what is no revocation is refused, told once, and hurts nobody")
    func malformed() throws {
        let server = try LiveServer(Self.settings)
        let rider = try server.rider()
        let bodies = [
            "", "{", "null", "[]", "7", "5521", "\u{0}", "{}", #"{"reason":"x"}"#, #"{"user_id":null}"#,
            #"{"user_id":""}"#,
            #"{"user_id":1.5}"#, #"{"user_id":5521,"user_id":5521}"#, #"{"jti":7}"#,
            #"{"user_id":"5521","issued_before":"x"}"#,
            #"{"user_id":"\#(String(repeating: "u", count: 100_000))"}"#, String(repeating: "x", count: 1 << 20),
        ]
        for body in bodies {
            let response = try server.admin("/revoke", body)
            #expect(response.status == 400, "\(body.prefix(40))")
            #expect(response.text == #"{"error":"malformed_revocation"}"#)
        }
        let invalid = try server.adminClient().request("POST", "/revoke", body: [0x7B, 0xFF, 0x7D])
        #expect(invalid.status == 400)
        #expect(try server.admin("/revoke", String(repeating: "x", count: (1 << 20) + 1)).status == 413)
        #expect(try Self.isOpen(rider))
        #expect(server.logLines("revocation_malformed").count == 1)
        #expect(server.logLines("revocation_malformed").first?["level"]?.stringValue == "warning")
        let count = try server.metric("tiffin_live_revocations_malformed_total")
        #expect(count == Double(bodies.count + 1))
        #expect(try Self.closed(server, #"{"user_id":5521}"#) == 1)
        #expect(try rider.expectCloseAndEnd().code == 4003)
        server.stop()
        let folded = server.logLines("revocation_malformed").last
        #expect(folded?["repeated"]?.numberValue?.int64 == Int64(bodies.count))
    }

    // B47
    @Test(
        "no handshake gets past a revocation that arrives with it",
        arguments: ["user_id", "jti"])
    func handshakeRace(_ member: String) throws {
        let server = try LiveServer(Self.settings)
        let admin = try server.adminClient()
        var random = SeededRandom(seed: 47)
        var outcomes: [Int: Int] = [:]
        for round in 0..<1000 {
            let name = "\(member)-\(round)"
            let token = server.token(name, jti: name)
            let client = try server.connect()
            let upgrade = RawClient.upgradeRequest("/rider/socket", headers: [("Authorization", "Bearer \(token)")])
            let body = Array(#"{"\#(member)":"\#(name)"}"#.utf8)
            let revoke = RawClient.requestHead("POST", "/revoke", bodyLength: body.count) + body
            let offset = Int.random(in: -1500...1500, using: &random)
            if offset < 0 { try admin.send(revoke) } else { try client.send(upgrade) }
            usleep(UInt32(offset.magnitude))
            if offset < 0 { try client.send(upgrade) } else { try admin.send(revoke) }
            #expect(try admin.receiveResponse().status == 200)
            let status = try client.receiveUpgradeResponse().status
            outcomes[status, default: 0] += 1
            if status == 101 {
                #expect(try client.expectCloseAndEnd(passingOverMessages: true).code == 4003)
            } else {
                #expect(status == 401)
                #expect(try client.expectEnd() == .finished)
            }
            if round % 50 == 0 {
                let again = try server.connect().upgrade(
                    "/rider/socket", headers: [("Authorization", "Bearer \(token)")])
                #expect(again.status == 401)
                #expect(again.text == #"{"error":"revoked"}"#)
            }
        }
        #expect(outcomes.keys.sorted() == [101, 401], "both orders must have come up: \(outcomes)")
        #expect(try LiveServer.eventually { try server.openConnections() == 0 })
    }

    // B47
    @Test("no refresh gets past the revocation of its token")
    func refreshRace() throws {
        let server = try LiveServer(Self.settings)
        let admin = try server.adminClient()
        var random = SeededRandom(seed: 48)
        var (refused, closed) = (0, 0)
        for round in 0..<500 {
            let client = try server.rider("u\(round)")
            let token = server.token("u\(round)", jti: "new-\(round)")
            let body = Array(#"{"jti":"new-\#(round)"}"#.utf8)
            let revoke = RawClient.requestHead("POST", "/revoke", bodyLength: body.count) + body
            let offset = Int.random(in: -600...600, using: &random)
            if offset < 0 {
                try admin.send(revoke)
            } else {
                try client.sendText(#"{"type":"auth","token":"\#(token)"}"#)
            }
            usleep(UInt32(offset.magnitude))
            if offset < 0 {
                try client.sendText(#"{"type":"auth","token":"\#(token)"}"#)
            } else {
                try admin.send(revoke)
            }
            #expect(try admin.receiveResponse().status == 200)
            let answer = try client.receiveText()
            if answer == #"{"type":"auth","ok":false,"error":"revoked"}"# {
                refused += 1
                #expect(try Self.isOpen(client))
            } else {
                #expect(answer.contains(#""ok":true"#))
                #expect(try client.expectCloseAndEnd().code == 4003)
                closed += 1
            }
        }
        #expect(refused > 0 && closed > 0, "both orders must have come up: \(refused), \(closed)")
    }

    // B47
    @Test("no handshake that waits for a look-up gets past a revocation")
    func lookUpRace() throws {
        let server = try LiveServer(Self.settings)
        let admin = try server.adminClient()
        var random = SeededRandom(seed: 49)
        for round in 0..<500 {
            let user = "c\(round)"
            try server.admin("/store", #"{"command":["HSET","order:\#(round)","customer_id","\#(user)"]}"#)
            let token = server.token(user, role: "customer", jti: user)
            let client = try server.connect()
            let upgrade = RawClient.upgradeRequest(
                "/orders/\(round)/events", headers: [("Authorization", "Bearer \(token)")])
            let body = Array(#"{"user_id":"\#(user)"}"#.utf8)
            let revoke = RawClient.requestHead("POST", "/revoke", bodyLength: body.count) + body
            try client.send(upgrade)
            usleep(UInt32.random(in: 0...400, using: &random))
            try admin.send(revoke)
            #expect(try admin.receiveResponse().status == 200)
            let status = try client.receiveUpgradeResponse().status
            if status == 101 {
                #expect(try client.expectCloseAndEnd(passingOverMessages: true).code == 4003)
            } else {
                #expect(status == 401)
            }
        }
        #expect(try LiveServer.eventually { try server.openConnections() == 0 })
    }
}
