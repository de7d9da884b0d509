import Testing

@testable import TiffinLiveCore

/// The example configurations for nginx and HAProxy, with two real servers behind them: what apps and operators are promised
/// holds through a balancer too (contract section 11).
@Suite("Behind a balancer", .enabled(if: BalancerProcess.Kind.areInstalled))
struct BalancerTests {
    /// A balancer and the two servers behind it.
    private struct Setup {
        let servers: [LiveServer]
        let balancer: BalancerProcess

        init(_ kind: BalancerProcess.Kind, _ settings: [String] = []) throws {
            let own = [
                "threads=1", #"proxy.trusted=["127.0.0.1/32"]"#, "limits.perUser=0",
                "proxy.protocol=\(kind == .haproxy)",
            ]
            servers = try (0..<2).map { _ in try LiveServer(own + settings) }
            balancer = try BalancerProcess(kind, to: servers.map(\.port))
            for server in servers {
                try server.admin("/store", #"{"command":["HSET","order:123","customer_id","7001"]}"#)
            }
            guard kind == .haproxy else { return }
            // Its first checks are on their way.
            try eventually("a server") { try balancer.connect().get("/healthz").status == 200 }
        }

        func rider(_ user: String = "5521") throws -> RawClient {
            try servers[0].rider(user, on: balancer.connect())
        }

        /// The event, from whichever server the connection is on: each has a broker of its own.
        func publish(_ topic: String, _ data: String) throws {
            for server in servers { try server.publish(topic, data) }
        }

        func remotes(of user: String) throws -> [String] {
            try servers.flatMap { server in
                let list = try JSONReader.read(try server.adminGet("/connections?user=\(user)").body).arrayValue ?? []
                return list.compactMap { $0["remote"]?.stringValue }
            }
        }
    }

    @Test(
        "a WebSocket is upgraded: messages, events and the close code go through",
        arguments: BalancerProcess.Kind.allCases)
    func webSocket(kind: BalancerProcess.Kind) throws {
        let setup = try Setup(kind)
        let rider = try setup.rider()
        try rider.sendText(#"{"type":"ping"}"#)
        #expect(try rider.receiveText().contains("pong"))
        for number in 0..<5 {
            try setup.publish("riders:5521", #"{"n":\#(number)}"#)
            #expect(try rider.receiveText(containing: #""n":\#(number)"#).contains(#""type":"event""#))
        }
        for server in setup.servers { try server.admin("/revoke", #"{"user_id":5521,"reason":"lost phone"}"#) }
        let close = try rider.expectClose()
        #expect(close.code == 4003)
        #expect(close.reason == "revoked")
        try rider.sendClose(4003)
        try rider.expectEnd()
    }

    @Test(
        "an event stream is not held back: each event is there before the next",
        arguments: BalancerProcess.Kind.allCases)
    func eventStream(kind: BalancerProcess.Kind) throws {
        let setup = try Setup(kind)
        let stream = try setup.balancer.connect().openEventStream(
            "/orders/123/events", token: setup.servers[0].token("7001", role: "customer"),
            headers: [("Accept-Encoding", "gzip, deflate, br")])
        #expect(stream.response.only("Cache-Control") == "no-cache, no-store, no-transform")
        #expect(stream.response.values("Content-Encoding").isEmpty)
        #expect(stream.response.values("Content-Length").isEmpty)
        #expect(try stream.nextEvent()?.event == "welcome")
        for number in 0..<20 {
            try setup.publish("orders:123", #"{"n":\#(number)}"#)
            #expect(try stream.nextEvent()?.data == #"{"n":\#(number)}"#)
        }
        for server in setup.servers { try server.admin("/disconnect", #"{"user":"7001"}"#) }
        #expect(try stream.nextEvent(named: "close")?.data?.contains("1012") == true)
        #expect(try stream.nextEvent() == nil)
        #expect(stream.ending == .lastChunk)
    }

    @Test("the server knows the client's address, whatever the client says", arguments: BalancerProcess.Kind.allCases)
    func address(kind: BalancerProcess.Kind) throws {
        let setup = try Setup(kind)
        let honest = try setup.rider("honest")
        let liar = try setup.balancer.connect()
        #expect(
            try liar.upgrade(
                "/rider/socket",
                headers: [
                    ("Authorization", "Bearer \(setup.servers[0].token("liar"))"), ("X-Forwarded-For", "1.2.3.4"),
                    ("Forwarded", "for=1.2.3.4"),
                ]
            ).status == 101)
        let other = try setup.servers[0].rider("other", on: setup.balancer.connect(from: "127.0.0.10"))
        #expect(try setup.remotes(of: "honest") == [BalancerProcess.client])
        #expect(try setup.remotes(of: "liar") == [BalancerProcess.client])
        #expect(try setup.remotes(of: "other") == ["127.0.0.10"])
        for client in [honest, liar, other] { client.close() }
    }

    @Test(
        "refusals come through as they are, and so do tokens of eight kilobytes",
        arguments: BalancerProcess.Kind.allCases)
    func refusals(kind: BalancerProcess.Kind) throws {
        let setup = try Setup(kind, ["limits.connections=1"])
        let expired = setup.servers[0].token(ttl: -5)
        let refused = try setup.balancer.connect().upgrade(
            "/rider/socket", headers: [("Authorization", "Bearer \(expired)")])
        #expect(refused.status == 401)
        #expect(refused.text == #"{"error":"token_expired"}"#)
        #expect(refused.only("WWW-Authenticate")?.contains("invalid_token") == true)
        let big = setup.servers[0].tokens.token(
            exp: setup.servers[0].now + 900,
            extra: JSONObject(("filling", .string(String(repeating: "f", count: 6_600)))))
        #expect(big.utf8.count > 8_700)
        let clients = try (0..<3).map { _ in try setup.balancer.connect() }
        var answers = try clients.map {
            try $0.upgrade("/rider/socket", headers: [("Authorization", "Bearer \(big)")])
        }
        // One place on each server: the third is told to come back.
        let full = answers.removeLast()
        #expect(answers.map(\.status) == [101, 101])
        #expect(full.status == 503)
        #expect(full.only("Retry-After").flatMap { Int($0) } != nil)
    }

    /// Of each client: the code and the reason that wait for it, or nil when it is answered.
    private func closes(_ clients: [RawClient]) throws -> [(code: Int?, reason: String)] {
        var closes: [(code: Int?, reason: String)] = []
        for client in clients {
            try client.sendText(#"{"type":"ping"}"#)
            let frame = try client.receiveFrame()
            guard frame.opcode == RawFrame.close else { continue }
            let reason = String(decoding: frame.payload.dropFirst(2), as: UTF8.self)
            closes.append((Int(frame.payload[0]) << 8 | Int(frame.payload[1]), reason))
        }
        return closes
    }

    @Test("HAProxy sees a drain in the health check, and sends nobody there while the listener still accepts")
    func drainSeen() throws {
        let setup = try Setup(.haproxy, [#"drain.grace="60s""#])
        let (first, second) = (setup.servers[0], setup.servers[1])
        let clients = try (0..<4).map { try setup.rider("\($0)") }
        #expect(try setup.servers.map { try $0.openSessions() } == [2, 2])
        first.running.stop()
        let accepted = #"tiffin_live_handshakes_total{outcome="accepted"}"#
        try eventually("new connections to go to the other server only") {
            let before = try first.metric(accepted)
            for _ in 0..<4 { try setup.rider("late").close() }
            return try first.metric(accepted) == before
        }
        let direct = try first.connect()
        try direct.send(ProxyHeaderBytes.local)
        #expect(try direct.get("/readyz").status == 503)
        #expect(try closes(clients).isEmpty, "whoever was there stays for the grace")
        // A second signal hurries.
        #expect(first.stop() == 0)
        let closes = try closes(clients)
        #expect(closes.count == 2)
        #expect(closes.allSatisfy { $0.code == 1012 || $0.code == 1001 })
        try eventually("the late ones to be gone") { try second.openSessions() == 2 }
    }

    @Test("nginx passes over a server that is gone, and no client is refused")
    func gone() throws {
        let setup = try Setup(.nginx)
        let clients = try (0..<4).map { try setup.rider("\($0)") }
        #expect(try setup.servers.map { try $0.openSessions() } == [2, 2])
        #expect(setup.servers[0].stop() == 0)
        let closes = try closes(clients)
        #expect(closes.count == 2)
        #expect(closes.allSatisfy { $0.code == 1012 && $0.reason.hasPrefix("restart; retry=") })
        let newcomers = try (0..<10).map { try setup.rider("new\($0)") }
        #expect(try setup.servers[1].openSessions() == 12)
        for client in newcomers { client.close() }
    }

    // MARK: With no configuration to speak of

    @Test("nginx as it comes holds nothing back and compresses nothing (B52)")
    func defaults() throws {
        let server = try LiveServer()
        let balancer = try BalancerProcess(
            .nginx,
            text: """
                server {
                    listen 127.0.0.1:{port};
                    gzip on;
                    location / { proxy_pass http://127.0.0.1:\(server.port); }
                }
                """)
        try server.admin("/store", #"{"command":["HSET","order:123","customer_id","7001"]}"#)
        let client = try RawClient(port: balancer.port)
        let stream = try client.openEventStream(
            "/orders/123/events", token: server.token("7001", role: "customer"),
            headers: [("Accept-Encoding", "gzip, br")])
        #expect(stream.response.only("Content-Type") == "text/event-stream")
        #expect(stream.response.only("Cache-Control") == "no-cache, no-store, no-transform")
        #expect(stream.response.values("Content-Encoding").isEmpty)
        #expect(stream.response.values("Content-Length").isEmpty)
        #expect(try stream.nextEvent()?.event == "welcome")
        for number in 0..<20 {
            try server.publish("orders:123", #"{"n":\#(number)}"#)
            #expect(try stream.nextEvent()?.data == #"{"n":\#(number)}"#)
        }
    }
}
