import Testing

@testable import TiffinLiveCore

@Suite("Token buckets")
struct TokenBucketTests {
    @Test("a burst at once, then the rate", arguments: [(1.0, 1), (20.0, 40), (5.0, 20), (0.5, 3), (1000.0, 1)])
    func burst(rate: Double, burst: Int) {
        let limit = RateLimit(rate: rate, burst: burst)
        var bucket = TokenBucket()
        let interval = Nanoseconds(1_000_000_000 / rate)
        var taken = 0
        while bucket.take(now: 0, limit: limit) { taken += 1 }
        #expect(taken == burst)
        #expect(bucket.delay(now: 0, limit: limit) == interval)
        #expect(bucket.take(now: interval - 1, limit: limit) == false)
        #expect(bucket.take(now: interval, limit: limit) == true)
        #expect(bucket.take(now: interval, limit: limit) == false)
    }

    @Test("over a long time no more than burst and rate, and no less when always asked")
    func longRun() {
        let limit = RateLimit(rate: 20, burst: 40)
        var bucket = TokenBucket()
        var taken = 0
        for step in 0..<10_000 where bucket.take(now: Nanoseconds(step) * .millisecond, limit: limit) { taken += 1 }
        #expect(taken == 40 + 199)
    }

    @Test("a rate of 0 is no limit", arguments: [0.0, -1, .nan, .infinity])
    func unlimited(rate: Double) {
        let limit = RateLimit(rate: rate, burst: 5)
        var bucket = TokenBucket()
        #expect(limit.isUnlimited)
        #expect((0..<1000).allSatisfy { _ in bucket.take(now: 0, limit: limit) })
        #expect(bucket.delay(now: 0, limit: limit) == 0)
        bucket.charge(now: 0, limit: limit)
        #expect(bucket == TokenBucket())
    }

    @Test("a burst of 0 is one at a time")
    func noBurst() {
        let limit = RateLimit(rate: 1, burst: 0)
        var bucket = TokenBucket()
        #expect(bucket.take(now: 0, limit: limit) == true)
        #expect(bucket.take(now: 0, limit: limit) == false)
    }

    @Test("extreme clocks and limits trap nothing", arguments: [Nanoseconds.min, -1, 0, .max])
    func extremes(now: Nanoseconds) {
        for limit in [
            RateLimit(rate: 1e-300, burst: .max), RateLimit(rate: 1e300, burst: .max), RateLimit(rate: 5, burst: 2),
        ] {
            var bucket = TokenBucket()
            for other in [now, .max, .min, 0] {
                _ = bucket.take(now: other, limit: limit)
                bucket.charge(now: other, limit: limit)
                _ = bucket.delay(now: now, limit: limit)
            }
        }
    }
}

@Suite("Sources of forged signatures (B50, B82)")
struct SourcePenaltyTests {
    private let limit = RateLimit(rate: 5, burst: 20)

    private func isAllowed(_ penalty: SourcePenalty, _ address: IPAddress, now: Nanoseconds) -> Bool {
        var random = SeededRandom(seed: 1)
        return penalty.check(address, now: now, using: &random) == .allowed
    }

    private func address(_ number: Int) -> IPAddress { IPAddress(version4: 0x0A00_0000 + UInt32(number)) }

    @Test("over the burst a source is refused, and only that one; it calms by itself")
    func penalty() {
        var penalty = SourcePenalty(limit: limit)
        for _ in 0..<20 {
            #expect(isAllowed(penalty, address(1), now: 0))
            penalty.recordForged(address(1), now: 0)
        }
        #expect(!isAllowed(penalty, address(1), now: 0))
        #expect(isAllowed(penalty, address(2), now: 0))
        #expect(isAllowed(penalty, address(1), now: 200 * .millisecond))
    }

    @Test("being refused does not lengthen it, and the delay is scattered")
    func refusal() {
        var penalty = SourcePenalty(limit: limit)
        for _ in 0..<20 { penalty.recordForged(address(1), now: 0) }
        var random = SeededRandom(seed: 7)
        var delays: Set<Int> = []
        for _ in 0..<200 {
            guard case .refused(let delay) = penalty.check(address(1), now: 0, using: &random) else {
                Issue.record("allowed")
                return
            }
            delays.insert(delay)
        }
        #expect(delays == [1, 2, 3, 4, 5])
        #expect(isAllowed(penalty, address(1), now: 200 * .millisecond))
    }

    @Test("however much is forged at once, the source calms after the same time")
    func noDebt() {
        var penalty = SourcePenalty(limit: limit)
        for _ in 0..<100_000 { penalty.recordForged(address(1), now: 0) }
        #expect(!isAllowed(penalty, address(1), now: 200 * .millisecond - 1))
        #expect(isAllowed(penalty, address(1), now: 200 * .millisecond))
    }

    @Test("an IPv6 source is its /64")
    func network() throws {
        var penalty = SourcePenalty(limit: limit)
        for number in 0..<20 {
            penalty.recordForged(try #require(IPAddress("2001:db8:1:2::\(number)")), now: 0)
        }
        #expect(penalty.count == 1)
        #expect(!isAllowed(penalty, try #require(IPAddress("2001:db8:1:2:ffff::1")), now: 0))
        #expect(isAllowed(penalty, try #require(IPAddress("2001:db8:1:3::1")), now: 0))
    }

    @Test("a flood of other sources does not wash an offender clean")
    func flood() {
        var penalty = SourcePenalty(limit: limit, capacity: 16)
        for _ in 0..<20 { penalty.recordForged(address(0), now: 0) }
        for number in 1..<10_000 { penalty.recordForged(address(number), now: 0) }
        #expect(penalty.count == 16)
        #expect(!isAllowed(penalty, address(0), now: 0))
    }

    @Test("while the table is full of offenders the others share one bucket")
    func shared() {
        var penalty = SourcePenalty(limit: limit, capacity: 4)
        for number in 0..<4 { penalty.recordForged(address(number), now: 0) }
        #expect(isAllowed(penalty, address(100), now: 0))
        for number in 100..<120 { penalty.recordForged(address(number), now: 0) }
        #expect(!isAllowed(penalty, address(200), now: 0))
        #expect(isAllowed(penalty, address(0), now: 0))
        #expect(isAllowed(penalty, address(200), now: .second))
    }

    @Test("sources that have calmed make room")
    func calm() {
        var penalty = SourcePenalty(limit: limit, capacity: 8)
        for number in 0..<8 { penalty.recordForged(address(number), now: 0) }
        penalty.recordForged(address(50), now: 10 * .second)
        #expect(penalty.count <= 8)
        for _ in 0..<19 { penalty.recordForged(address(50), now: 10 * .second) }
        #expect(!isAllowed(penalty, address(50), now: 10 * .second))
    }

    @Test("a rate of 0 punishes nobody")
    func off() {
        var penalty = SourcePenalty(limit: .unlimited)
        for _ in 0..<100 { penalty.recordForged(address(1), now: 0) }
        #expect(isAllowed(penalty, address(1), now: 0))
        #expect(penalty.count == 0)
    }
}
