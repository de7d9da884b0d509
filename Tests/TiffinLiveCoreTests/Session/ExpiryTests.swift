import Testing

@testable import TiffinLiveCore

@Suite("Contract 7.2: the end of a token's life")
struct ExpiryTests {
    @Test("a WebSocket is closed with 4001 in the window before exp", arguments: 0..<40)
    func closes(seed: Int) throws {
        let harness = try SessionHarness(seed: UInt64(seed))
        let client = try harness.openWebSocket(token: harness.token(ttl: 900))
        harness.advance(by: 839 * .second)
        #expect(!client.hasSentEnd)
        harness.advance(by: 61 * .second)
        let close = try client.close(passingOverMessages: true)
        #expect(close.code == 4001)
        #expect(close.reason == "token_expired")
        #expect(client.session.ending == .tokenExpired)
        #expect(client.session.endingCode == 4001)
        #expect(client.topics.isEmpty)
    }

    @Test("short lives have short windows", arguments: [1, 2, 4, 5, 8, 60, 239] as [Int64])
    func shortLives(ttl: Int64) throws {
        for seed in 0..<20 {
            let harness = try SessionHarness(seed: UInt64(seed))
            let client = try harness.openWebSocket(token: harness.token(ttl: ttl))
            harness.advance(by: ttl * .second * 3 / 4 - SessionDeadlines.closeGuard - 1)
            #expect(!client.hasSentEnd)
            harness.advance(by: ttl * .second / 4 + SessionDeadlines.closeGuard)
            #expect(client.hasSentEnd)
            #expect(try client.close(passingOverMessages: true).code == 4001)
        }
    }

    @Test("an event stream gets a close event and the last chunk", arguments: 0..<10)
    func stream(seed: Int) throws {
        let harness = try SessionHarness(seed: UInt64(seed))
        let client = try harness.openStream()
        _ = try client.blocks()
        harness.advance(seconds: 839)
        #expect(!client.hasSentEnd)
        harness.advance(seconds: 61)
        #expect(try client.blocks() == [RawEvent(event: "close", data: #"{"code":4001,"reason":"token_expired"}"#)])
        #expect(client.isStreamOver)
        #expect(client.hasSentEnd)
    }

    @Test("at the maximum age the close is 1012 max_age with a delay")
    func maximumAge() throws {
        let harness = try SessionHarness(["expiry.maxAge=\"300s\"", "expiry.jitter=\"10s\""])
        let client = try harness.openWebSocket(token: harness.token(ttl: 900))
        #expect(client.welcome["expires_in"] == 300)
        harness.advance(seconds: 289)
        #expect(!client.hasSentEnd)
        harness.advance(seconds: 11)
        let close = try client.close(passingOverMessages: true)
        #expect(close.code == 1012)
        #expect(close.reason.hasPrefix("max_age; retry="))
        let retry = try #require(Int(close.reason.dropFirst("max_age; retry=".utf8.count)))
        #expect((0...5000).contains(retry))
    }

    @Test("the age counts from the connection's beginning, and no refresh extends it")
    func ageIsNotExtended() throws {
        let harness = try SessionHarness(["expiry.maxAge=\"300s\"", "expiry.jitter=\"0s\"", "expiry.warning=\"0s\""])
        let client = try harness.openWebSocket(token: harness.token(ttl: 200))
        for _ in 0..<2 {
            harness.advance(seconds: 100)
            client.send(text: #"{"type":"auth","token":"\#(harness.token(ttl: 900))"}"#)
        }
        let left = try client.messages().compactMap { $0["expires_in"]?.numberValue?.int64 }
        #expect(left == [200, 100])
        harness.advance(seconds: 99)
        #expect(client.session.isOpen)
        harness.advance(seconds: 1)
        #expect(try client.close(passingOverMessages: true).code == 1012)
    }

    @Test("with a maximum age far away the token alone decides")
    func farMaximumAge() throws {
        let harness = try SessionHarness([
            "expiry.maxAge=\"720h\"", "tokens.maxLifetime=\"720h\"",
        ])
        let client = try harness.openWebSocket(token: harness.token(ttl: 10_000))
        harness.advance(seconds: 9000)
        #expect(client.session.isOpen)
        harness.advance(seconds: 1000)
        #expect(try client.close(passingOverMessages: true).code == 4001)
    }

    @Test("an exp weeks away keeps the connection open and the timer still (B34)", arguments: [25, 30] as [Int64])
    func farAway(days: Int64) throws {
        let harness = try SessionHarness(["expiry.maxAge=\"720h\"", "tokens.maxLifetime=\"720h\""])
        let client = try harness.openWebSocket(token: harness.token(ttl: days * 86_400))
        #expect(client.welcome["expires_in"] == .integer(days * 86_400))
        #expect(client.session.deadlines.earliest > harness.now.monotonic + 24 * 86_400 * .second)
        harness.advance(seconds: 24 * 86_400)
        #expect(client.session.isOpen)
        #expect(client.pending.isEmpty)
    }

    @Test(
        "an exp in centuries, or in milliseconds by mistake, is more life than any token may have (B34)",
        arguments: [
            100 * 365 * 86_400, 1_999_999_999_000, 9_223_372_036_854_775_807 - 1_764_504_000,
        ] as [Int64])
    func tooFarAway(ttl: Int64) throws {
        let harness = try SessionHarness(["expiry.maxAge=\"720h\"", "tokens.maxLifetime=\"720h\""])
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/rider/socket", token: harness.token(ttl: ttl)))
        #expect(try client.lastResponse().text == #"{"error":"invalid_token"}"#)
    }

    @Test("nothing is delivered at or after exp, also when no timer has fired yet (B41)", arguments: [false, true])
    func nothingAfterTheDeadline(isStream: Bool) throws {
        let harness = try SessionHarness()
        let client = isStream ? try harness.openStream() : try harness.openWebSocket()
        let topic = isStream ? "orders:123" : "riders:5521"
        client.pending = []
        harness.advanceWithoutTimers(by: 900 * .second - 1)
        harness.publish(topic, "1")
        #expect(String(decoding: client.pending, as: UTF8.self).contains(isStream ? "data: 1" : #""data":1"#))
        client.pending = []
        harness.advanceWithoutTimers(by: 1)
        harness.publish(topic, "2")
        harness.publish(topic, "3")
        let text = String(decoding: client.pending, as: UTF8.self)
        #expect(text.contains("token_expired"))
        #expect(!text.contains("data: 2") && !text.contains(#""data":2"#))
        #expect(client.hasSentEnd)
    }

    @Test(
        "a stream of events every 100 ms ends with the close as the last thing, in the window (B13)", arguments: 0..<10)
    func underLoad(seed: Int) throws {
        let harness = try SessionHarness(seed: UInt64(seed))
        let client = try harness.openWebSocket(token: harness.token(ttl: 8))
        for number in 0..<90 {
            harness.advance(by: 100 * .millisecond)
            harness.publish("riders:5521", "\(number)")
        }
        let close = try client.close(passingOverMessages: true)
        #expect(close.code == 4001)
        #expect((59...80).contains(Int(client.session.eventsSent)))
    }

    @Test("a client that does not read gets the close, and nothing queued, after exp (B11)")
    func notReading() throws {
        let harness = try SessionHarness(["expiry.jitter=\"0s\"", "expiry.warning=\"0s\""])
        let client = try harness.openWebSocket(token: harness.token(ttl: 5))
        client.room = 30
        for number in 0..<100 { harness.publish("riders:5521", "\(number)") }
        harness.advance(by: 5 * .second - 10 * .millisecond)
        #expect(!client.session.isOpen, "the close is decided a little before the end")
        #expect(client.queuedBytes > 1000)
        harness.advance(by: 10 * .millisecond)
        #expect(client.queuedBytes < 200, "what waited is dropped at the end, but for the message that had begun")
        client.drain()
        let frames = try client.frames()
        try #require(frames.count == 2)
        #expect(frames[0].opcode == RawFrame.text)
        #expect(frames[0].text.hasSuffix(#""data":0}"#))
        #expect(frames[1].opcode == RawFrame.close)
        try client.expectEnd()
    }

    @Test("a client that reads in time gets everything that was queued before the close")
    func readsInTime() throws {
        let harness = try SessionHarness(["expiry.jitter=\"0s\"", "expiry.warning=\"0s\""])
        let client = try harness.openWebSocket(token: harness.token(ttl: 5))
        client.room = 30
        for number in 0..<100 { harness.publish("riders:5521", "\(number)") }
        harness.advance(by: 5 * .second - 10 * .millisecond)
        client.drain()
        let frames = try client.frames()
        #expect(frames.count == 101)
        #expect(frames.last?.opcode == RawFrame.close)
    }
}
