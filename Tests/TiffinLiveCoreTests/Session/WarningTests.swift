import Testing

@testable import TiffinLiveCore

@Suite("Contract 7.3: the warning before the deadline")
struct WarningTests {
    /// When warning and close came, in nanoseconds after the opening, stepped finely.
    private func life(_ ttl: Int64, _ settings: [String], seed: UInt64) throws -> (
        warnings: [Nanoseconds], close: Nanoseconds?
    ) {
        let harness = try SessionHarness(settings, seed: seed)
        let client = try harness.openWebSocket(token: harness.token(ttl: ttl))
        let start = harness.now.monotonic
        var warnings: [Nanoseconds] = []
        let step = max(ttl * .second / 2000, 1)
        while harness.now.monotonic - start <= ttl * .second {
            harness.advance(by: step)
            for frame in try client.frames() {
                if frame.opcode == RawFrame.close { return (warnings, harness.now.monotonic - start) }
                #expect(frame.text.hasPrefix(#"{"type":"expiring","expires_in":"#))
                warnings.append(harness.now.monotonic - start)
            }
        }
        return (warnings, nil)
    }

    @Test(
        "comes once and before the close, whatever the token's life",
        arguments: [1, 2, 3, 10, 59, 60, 120, 240, 241, 900, 3600] as [Int64])
    func once(ttl: Int64) throws {
        for seed in 0..<3 as Range<UInt64> {
            let (warnings, close) = try life(ttl, [], seed: seed)
            let end = try #require(close)
            #expect(warnings.count == 1)
            let lead = ttl * .second - (warnings.first ?? 0)
            let window = min(60 * .second, ttl * .second / 4)
            #expect(lead > window)
            #expect(lead <= min(120 * .second, ttl * .second / 2))
            #expect(warnings.first.map { $0 < end } == true)
        }
    }

    @Test("comes before the window also when the warning is set shorter than the jitter")
    func shorterThanJitter() throws {
        for seed in 0..<20 as Range<UInt64> {
            let (warnings, close) = try life(300, ["expiry={jitter:\"60s\",warning:\"10s\"}"], seed: seed)
            #expect(warnings.count == 1)
            #expect(close != nil)
        }
    }

    @Test("says how long")
    func timeLeft() throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        harness.advance(seconds: 780)
        #expect(try client.texts() == [#"{"type":"expiring","expires_in":120}"#])
    }

    @Test("is off with 0s")
    func off() throws {
        let (warnings, close) = try life(300, ["expiry.warning=\"0s\""], seed: 1)
        #expect(warnings.isEmpty)
        #expect(close != nil)
    }

    @Test("comes again after a refresh, for the new deadline, and not for the old one")
    func afterRefresh() throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        harness.advance(seconds: 700)
        client.send(text: #"{"type":"auth","token":"\#(harness.token(ttl: 900))"}"#)
        #expect(try client.message()["expires_in"] == 900)
        harness.advance(seconds: 779)
        #expect(client.pending.isEmpty)
        harness.advance(seconds: 1)
        #expect(try client.texts() == [#"{"type":"expiring","expires_in":120}"#])
        client.send(text: #"{"type":"auth","token":"\#(harness.token(ttl: 800))"}"#)
        _ = try client.message()
        harness.advance(seconds: 680)
        #expect(try client.texts() == [#"{"type":"expiring","expires_in":120}"#])
    }

    @Test("a refused refresh leaves the warning where it was")
    func afterRefusedRefresh() throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        client.send(text: #"{"type":"auth","token":"x"}"#)
        _ = try client.message()
        harness.advance(seconds: 780)
        #expect(try client.message()["type"] == "expiring")
    }

    @Test("event streams are not warned: they cannot refresh")
    func streams() throws {
        let harness = try SessionHarness()
        let client = try harness.openStream()
        _ = try client.blocks()
        harness.advance(seconds: 839)
        #expect(client.pending.isEmpty)
    }
}
