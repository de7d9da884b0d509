import Testing

@testable import TiffinLiveCore

/// Clients that hammer with a dead token (contract section 11, storm shield), and forged bits on open connections.
@Suite("Storms of refused handshakes")
struct ResourceStormTests {
    @Test("200 clients with an expired token get 401 every time, without signature work, and others connect meanwhile")
    func expiredTokens() throws {
        let server = try LiveServer()
        // A signature that would not verify: whoever looked at it would answer otherwise, and punish the address.
        let expired = server.token(ttl: -10)
        let dead = expired.dropLast(8) + "AAAAAAAA"
        for round in 0..<5 {
            let clients = try (0..<200).map { _ in try server.connect() }
            let request = RawClient.upgradeRequest("/rider/socket", headers: [("Authorization", "Bearer \(dead)")])
            for client in clients { try client.send(request) }
            _ = try server.rider("good\(round)")
            for client in clients {
                let response = try client.receiveUpgradeResponse()
                #expect(response.status == 401)
                #expect(response.text == #"{"error":"token_expired"}"#)
                #expect(try client.expectEnd() == .finished)
            }
        }
        #expect(try server.metric(#"tiffin_live_handshakes_total{outcome="token_expired"}"#) == 1000)
        #expect(try server.metric(#"tiffin_live_handshakes_total{outcome="invalid_token"}"#) == 0)
        #expect(try server.metric(#"tiffin_live_handshakes_total{outcome="rate_limited"}"#) == 0)
        #expect(server.stop() == 0)
        let lines = try server.logObjects("handshake_refused")
        let counted = lines.reduce(0) { $0 + ($1["repeated"]?.numberValue?.int64 ?? 1) }
        #expect(counted == 1000)
        // One line and one count for each window of ten seconds.
        #expect(lines.count < 30)
        #expect(!server.logText().contains(String(dead.suffix(40))))
    }

    @Test(
        "compressed bytes without a negotiated extension end with 1002",
        arguments: [
            // "Hello", compressed (RFC 7692 section 7.2.3.1), whole, as the first fragment, and with other bits.
            RawFrame(opcode: RawFrame.text, payload: [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], reserved: 4),
            RawFrame(opcode: RawFrame.binary, payload: [0xF2, 0x48], isFinal: false, reserved: 4),
            RawFrame(opcode: RawFrame.text, payload: [], reserved: 2),
            RawFrame(opcode: RawFrame.ping, payload: [], reserved: 4),
        ])
    func compressed(frame: RawFrame) throws {
        let server = try LiveServer()
        let client = try server.rider()
        try client.send(frame)
        #expect(try client.expectCloseAndEnd().code == 1002)
        _ = try server.rider()
    }

    @Test("a ping of 126 bytes ends with 1002, one of 125 is answered")
    func pingLength() throws {
        let server = try LiveServer()
        let client = try server.rider()
        try client.sendPing(String(repeating: "p", count: 125))
        #expect(try client.receiveFrame().payload.count == 125)
        try client.sendPing(String(repeating: "p", count: 126))
        #expect(try client.expectCloseAndEnd().code == 1002)
    }

    @Test("headers, retry and welcome of an idle stream come at once, and nothing invites a proxy to hold them back")
    func idleStream() throws {
        let server = try LiveServer()
        try server.admin("/store", #"{"command":["HSET","order:1","customer_id","7001"]}"#)
        let stream = try server.connect().openEventStream(
            "/orders/1/events", token: server.token("7001", role: "customer"),
            headers: [("Accept-Encoding", "gzip, deflate, br, zstd")])
        let response = stream.response
        #expect(response.only("Cache-Control") == "no-cache, no-store, no-transform")
        #expect(response.only("X-Accel-Buffering") == "no")
        #expect(response.values("Content-Encoding").isEmpty)
        #expect(response.values("Content-Length").isEmpty)
        #expect(response.values("Vary").isEmpty)
        // Nothing was published, and nothing will be.
        let welcome = try #require(try stream.nextBlock())
        #expect(welcome.event == "welcome")
        #expect(welcome.retry != nil)
        #expect(welcome.id != nil)
    }

    @Test(
        "the client behind a trusted proxy is the right-most address that is not trusted",
        arguments: [
            (["1.2.3.4"], "1.2.3.4"), (["6.6.6.6, 1.2.3.4"], "1.2.3.4"), (["1.2.3.4, 127.0.0.9"], "1.2.3.4"),
            (["6.6.6.6", "1.2.3.4"], "1.2.3.4"), (["1.2.3.4, garbage"], "127.0.0.1"), ([""], "127.0.0.1"),
            (["[2001:db8::1]:4711"], "2001:db8::1"), (["1.2.3.4:80"], "1.2.3.4"),
        ] as [([String], String)])
    func forwarded(lines: [String], expected: String) throws {
        let server = try LiveServer()
        let client = try server.connect()
        try client.upgrade(
            "/rider/socket",
            headers: [("Authorization", "Bearer \(server.token())")]
                + lines.map { ("X-Forwarded-For", $0.isEmpty ? " " : $0) })
        let list = try JSONReader.read(try server.adminGet("/connections").body).arrayValue ?? []
        #expect(list.map { $0["remote"]?.stringValue } == [expected])
    }

    @Test("nobody's word counts whose address is not trusted")
    func untrusted() throws {
        let server = try LiveServer(["proxy.trusted=[]"])
        let client = try server.connect()
        try client.upgrade(
            "/rider/socket",
            headers: [("Authorization", "Bearer \(server.token())"), ("X-Forwarded-For", "1.2.3.4")])
        let list = try JSONReader.read(try server.adminGet("/connections").body).arrayValue ?? []
        #expect(list.map { $0["remote"]?.stringValue } == ["127.0.0.1"])
    }
}
