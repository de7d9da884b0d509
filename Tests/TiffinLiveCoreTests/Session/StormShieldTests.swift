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

    @Test("a neighbour's forging does not keep an open connection from refreshing, its own does")
    func refreshBesideAForger() throws {
        let harness = try SessionHarness(Self.settings)
        let client = try harness.openWebSocket()
        try forge(harness, from: "192.0.2.1")
        #expect(try knock(harness, harness.token("2"), from: "192.0.2.1").status == 429)
        client.send(text: #"{"type":"auth","token":"\#(harness.token(ttl: 901))"}"#)
        #expect(try client.message()["ok"]?.boolValue == true)
        let forged = Self.forger.token(sub: .integer(0), exp: harness.seconds + 900)
        client.send(text: #"{"type":"auth","token":"\#(forged)"}"#)
        #expect(try client.message()["error"] == "invalid_token")
        client.send(text: #"{"type":"auth","token":"\#(harness.token(ttl: 902))"}"#)
        #expect(try client.message()["error"] == "rate_limited")
        #expect(client.session.isOpen)
    }
}
