import Testing

@testable import TiffinLiveCore

/// Thousands of phones behind the one address of a carrier, of which some hammer.
@Suite("Contract 11: a fleet behind one address")
struct CarrierAddressTests {
    private static let carrier = "192.0.2.1"
    private static let settings = StormShieldTests.settings

    private func status(_ harness: SessionHarness, _ token: String) throws -> Int {
        try response(harness, token).status
    }

    private func response(_ harness: SessionHarness, _ token: String) throws -> RawResponse {
        let client = try harness.connect(from: Self.carrier)
        client.send(SessionHarness.upgrade("/rider/socket", token: token))
        return try client.response()
    }

    private func forged(_ harness: SessionHarness, _ number: Int) -> String {
        StormShieldTests.forger.token(sub: .integer(Int64(number)), exp: harness.seconds + 900)
    }

    @Test("a storm of expired tokens keeps out nobody, known or new")
    func expired() throws {
        let harness = try SessionHarness(Self.settings, tokenCacheCapacity: 1 << 14)
        let dead = (0..<50).map { harness.token("dead\($0)", ttl: 0) }
        for round in 0..<100 {
            for token in dead { #expect(try status(harness, token) == 401) }
            #expect(try status(harness, harness.token("new\(round)")) == 101)
        }
        #expect(harness.context.verifier.signatureCount == 100)
    }

    @Test("a phone that repeats one forged token keeps out nobody, and is told 401 every time")
    func repeated() throws {
        let harness = try SessionHarness(Self.settings, tokenCacheCapacity: 1 << 14)
        let token = forged(harness, 0)
        for _ in 0..<5000 { #expect(try status(harness, token) == 401) }
        #expect(harness.context.verifier.signatureCount == 1)
        #expect(try status(harness, harness.token("new")) == 101)
    }

    @Test("a storm of forged tokens keeps out nobody who is known, and the others no longer than it lasts")
    func forgers() throws {
        let harness = try SessionHarness(Self.settings, tokenCacheCapacity: 1 << 14)
        let fleet = (0..<1000).map { harness.token("\($0)") }
        for token in fleet { #expect(try status(harness, token) == 101) }
        let newcomers = (0..<100).map { harness.token("new\($0)") }
        var number = 0
        // Ten seconds, 200 forged tokens in each.
        for step in 0..<100 {
            for _ in 0..<20 {
                number += 1
                #expect([401, 429].contains(try status(harness, forged(harness, number))))
            }
            for token in fleet[(step * 10)..<(step * 10 + 10)] { #expect(try status(harness, token) == 101) }
            #expect(try status(harness, newcomers[step]) == 429)
            #expect(try status(harness, harness.token(ttl: 0)) == 401)
            harness.advance(by: 100 * .millisecond)
        }
        // What the storm cost: the fleet's own tokens, the burst, and five a second.
        #expect((1060...1080).contains(harness.context.verifier.signatureCount))
        for _ in 0..<20 {
            number += 1
            _ = try status(harness, forged(harness, number))
        }
        let refused = try response(harness, newcomers[0])
        #expect(refused.status == 429)
        let delay = try #require(refused.only("Retry-After").flatMap { Int64($0) })
        #expect((1...5).contains(delay))
        harness.advance(by: delay * .second)
        for token in newcomers { #expect(try status(harness, token) == 101) }
    }

    @Test("being refused lengthens nothing: who hammers gets in as early as who waits")
    func hammering() throws {
        for hammers in [false, true] {
            let harness = try SessionHarness(Self.settings, tokenCacheCapacity: 1 << 14)
            for number in 0..<20 { #expect(try status(harness, forged(harness, number)) == 401) }
            for step in 0..<200 {
                if hammers { #expect(try status(harness, harness.token("\(step)")) == 429) }
                harness.advance(by: .millisecond)
            }
            #expect(try status(harness, harness.token()) == 101)
        }
    }
}
