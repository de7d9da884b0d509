import Testing

@testable import TiffinLiveCore

@Suite("Contract 11: the storm shield at the handshake (B50)")
struct StormShieldTests {
    static let forger = TokenFactory(.HS256)
    static let settings = ["limits.forged={rate:5,burst:20}"]

    private func knock(_ harness: SessionHarness, _ token: String, from address: String) throws -> RawResponse {
        let client = try harness.connect(from: address)
        client.send(SessionHarness.upgrade("/rider/socket", token: token))
        return try client.response()
    }

    /// Sends so many different forged tokens that the address is over its rate.
    private func forge(_ harness: SessionHarness, from address: String) throws {
        for index in 0..<20 {
            let token = Self.forger.token(sub: .integer(Int64(index)), exp: harness.seconds + 900)
            #expect(try knock(harness, token, from: address).status == 401)
        }
    }

    @Test("an expired token gets 401 every time and costs no signature")
    func expired() throws {
        let harness = try SessionHarness()
        let token = harness.token(ttl: 0)
        for _ in 0..<1000 {
            let response = try knock(harness, token, from: "192.0.2.1")
            #expect(response.status == 401)
            #expect(response.text == #"{"error":"token_expired"}"#)
        }
        #expect(harness.context.verifier.signatureCount == 0)
        #expect(harness.lookUpsSent.isEmpty)
    }

    @Test("a source of forged signatures gets 429 for tokens that would need signature work")
    func forged() throws {
        let harness = try SessionHarness(Self.settings)
        try forge(harness, from: "192.0.2.1")
        let work = harness.context.verifier.signatureCount
        var delays: Set<String> = []
        for index in 0..<50 {
            let token = Self.forger.token(sub: .integer(Int64(1000 + index)), exp: harness.seconds + 900)
            let response = try knock(harness, token, from: "192.0.2.1")
            #expect(response.status == 429)
            #expect(response.text == #"{"error":"rate_limited"}"#)
            delays.insert(try #require(response.only("Retry-After")))
        }
        #expect(delays.count > 1)
        #expect(harness.context.verifier.signatureCount == work)
    }

    @Test("tokens that are known, expired or known to be forged are answered as ever")
    func known() throws {
        let harness = try SessionHarness(Self.settings)
        let good = harness.token("1")
        let unknown = harness.token("2")
        let firstForged = Self.forger.token(sub: .integer(0), exp: harness.seconds + 900)
        #expect(try knock(harness, good, from: "192.0.2.9").status == 101)
        try forge(harness, from: "192.0.2.1")
        #expect(try knock(harness, good, from: "192.0.2.1").status == 101)
        #expect(try knock(harness, harness.token(ttl: -1), from: "192.0.2.1").status == 401)
        #expect(try knock(harness, firstForged, from: "192.0.2.1").status == 401)
        #expect(try knock(harness, "abc", from: "192.0.2.1").status == 401)
        #expect(try knock(harness, unknown, from: "192.0.2.1").status == 429, "good, but nobody knows that yet")
    }

    @Test("other addresses are served, and the source too when it has calmed")
    func calms() throws {
        let harness = try SessionHarness(Self.settings)
        try forge(harness, from: "192.0.2.1")
        #expect(try knock(harness, harness.token("1"), from: "192.0.2.2").status == 101)
        #expect(try knock(harness, harness.token("2"), from: "192.0.2.1").status == 429)
        harness.advance(seconds: 5)
        #expect(try knock(harness, harness.token("3"), from: "192.0.2.1").status == 101)
    }

    @Test("an IPv6 source is its /64")
    func network() throws {
        let harness = try SessionHarness(Self.settings)
        try forge(harness, from: "2001:db8::1")
        #expect(try knock(harness, harness.token("1"), from: "2001:db8::ffff:2").status == 429)
        #expect(try knock(harness, harness.token("2"), from: "2001:db8:0:1::1").status == 101)
    }

    @Test("refreshes on open connections count and are limited like handshakes")
    func refreshes() throws {
        let harness = try SessionHarness(Self.settings)
        let client = try harness.openWebSocket()
        for index in 0..<20 {
            let token = Self.forger.token(sub: .integer(Int64(index)), exp: harness.seconds + 900)
            client.send(text: #"{"type":"auth","token":"\#(token)"}"#)
            #expect(try client.message()["error"] == "invalid_token")
        }
        client.send(text: #"{"type":"auth","token":"\#(harness.token(ttl: 901))"}"#)
        #expect(try client.message()["error"] == "rate_limited")
        #expect(client.session.isOpen)
    }
}

@Suite("Contract 11: whose address counts (B82)")
struct ClientAddressTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let peer: String
        let headers: [(String, String)]
        let client: String

        var testDescription: String { name }

        init(_ name: String, from peer: String = "127.0.0.1", _ headers: [String], is client: String) {
            self.name = name
            self.peer = peer
            self.headers = headers.map { ("X-Forwarded-For", $0) }
            self.client = client
        }
    }

    static let cases = [
        Case("no header", [], is: "127.0.0.1"),
        Case("an address", ["198.51.100.7"], is: "198.51.100.7"),
        Case("a peer that is not trusted", from: "192.0.2.1", ["1.2.3.4"], is: "192.0.2.1"),
        Case("the client's own entry in front", ["1.2.3.4, 198.51.100.7"], is: "198.51.100.7"),
        Case("a trusted hop behind", ["198.51.100.7, 127.0.0.5"], is: "198.51.100.7"),
        Case("garbage at the end", ["198.51.100.7, garbage"], is: "127.0.0.1"),
        Case("two lines", ["1.2.3.4", "198.51.100.7"], is: "198.51.100.7"),
        Case("IPv6 with a port", ["[2001:db8::1]:4711"], is: "2001:db8::1"),
        Case("empty", [""], is: "127.0.0.1"),
    ]

    @Test("the right-most address that is not trusted, else the socket's", arguments: cases)
    func address(_ row: Case) throws {
        let harness = try SessionHarness()
        let client = try harness.connect(from: row.peer)
        client.send(SessionHarness.upgrade("/rider/socket", token: harness.token(), headers: row.headers))
        #expect(try client.response().status == 101)
        #expect(client.session.client == IPAddress(row.client))
    }

    @Test("is asked anew for each request of a connection that a proxy keeps")
    func reusedConnection() throws {
        let harness = try SessionHarness()
        let client = try harness.connect(from: "127.0.0.1")
        client.send(SessionHarness.request("GET", "/healthz", headers: [("X-Forwarded-For", "198.51.100.1")]))
        #expect(client.session.client == IPAddress("198.51.100.1"))
        client.send(
            SessionHarness.upgrade(
                "/rider/socket", token: harness.token(), headers: [("X-Forwarded-For", "198.51.100.2")]))
        #expect(client.session.client == IPAddress("198.51.100.2"))
    }

    @Test("a forger behind a trusted proxy is limited alone")
    func penalty() throws {
        let harness = try SessionHarness(["limits.forged={rate:1,burst:1}"])
        func status(_ token: String, for address: String) throws -> Int {
            let client = try harness.connect(from: "127.0.0.1")
            client.send(
                SessionHarness.upgrade("/rider/socket", token: token, headers: [("X-Forwarded-For", address)]))
            return try client.response().status
        }
        let forged = StormShieldTests.forger
        #expect(try status(forged.token(exp: harness.seconds + 5), for: "198.51.100.1") == 401)
        #expect(try status(forged.token(exp: harness.seconds + 6), for: "198.51.100.1") == 429)
        #expect(try status(forged.token(exp: harness.seconds + 7), for: "198.51.100.2") == 401)
    }
}
