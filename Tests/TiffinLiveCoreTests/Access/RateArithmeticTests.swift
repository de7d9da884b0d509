import Testing

@testable import TiffinLiveCore

@Suite("Rates as numbers")
struct RateLimitTests {
    @Test(
        "a rate becomes the span between two events, rounded down, within a nanosecond and eleven days",
        arguments: [
            (1, 1_000_000_000), (3, 333_333_333), (0.5, 2_000_000_000), (1e9, 1), (2e9, 1), (1e300, 1),
            (1e-6, 1_000_000_000_000_000), (1e-7, 1_000_000_000_000_000),
            (.leastNonzeroMagnitude, 1_000_000_000_000_000),
            (0.001, 1_000_000_000_000), (7.5, 133_333_333),
        ] as [(Double, Nanoseconds)])
    func interval(_ rate: Double, _ interval: Nanoseconds) {
        let limit = RateLimit(rate: rate, burst: 1)
        #expect(limit.interval == interval)
        #expect(limit.tolerance == 0)
        #expect(!limit.isUnlimited)
    }

    @Test(
        "the tolerance is one event less than the burst",
        arguments: [(Int.min, 0), (-1, 0), (0, 0), (1, 0), (2, 1), (20, 19), (1000, 999)] as [(Int, Nanoseconds)])
    func tolerance(_ burst: Int, _ intervals: Nanoseconds) {
        #expect(RateLimit(rate: 4, burst: burst).tolerance == intervals * 250 * .millisecond)
    }

    @Test("a burst too great for the clock stops at its end, and never refuses")
    func greatBurst() {
        let limit = RateLimit(rate: 1, burst: .max)
        #expect(limit.tolerance == .max)
        var bucket = TokenBucket()
        #expect((0..<1000).allSatisfy { _ in bucket.take(now: 0, limit: limit) })
    }
}

@Suite("Token buckets at the edges")
struct TokenBucketArithmeticTests {
    private let limit = RateLimit(rate: 10, burst: 3)
    private let interval: Nanoseconds = 100 * .millisecond

    @Test("each token taken moves the moment of fullness by one interval")
    func fullAt() {
        var bucket = TokenBucket()
        #expect(bucket.fullAt == .min)
        for number in 1...3 as ClosedRange<Nanoseconds> {
            #expect(bucket.take(now: 1000, limit: limit) == true)
            #expect(bucket.fullAt == 1000 + number * interval)
        }
        let full = bucket
        #expect(bucket.take(now: 1000, limit: limit) == false)
        #expect(bucket == full, "what is refused costs nothing")
        #expect(bucket.delay(now: 1000, limit: limit) == interval)
        #expect(bucket.delay(now: 1001, limit: limit) == interval - 1)
    }

    @Test("a charge is taken also without a token, and is paid back at the rate")
    func charge() {
        var bucket = TokenBucket()
        for _ in 0..<10 { bucket.charge(now: 0, limit: limit) }
        #expect(bucket.delay(now: 0, limit: limit) == 8 * interval)
        #expect(bucket.take(now: 8 * interval - 1, limit: limit) == false)
        #expect(bucket.take(now: 8 * interval, limit: limit) == true)
        #expect(bucket.fullAt == 11 * interval)
    }

    @Test("a bucket is full at the very moment, and then no better than a new one")
    func fullness() {
        var bucket = TokenBucket()
        #expect(bucket.isFull(now: .min))
        bucket.charge(now: 0, limit: limit)
        #expect(!bucket.isFull(now: interval - 1))
        #expect(bucket.isFull(now: interval))
        var used = bucket
        var fresh = TokenBucket()
        for _ in 0..<5 { #expect(used.take(now: interval, limit: limit) == fresh.take(now: interval, limit: limit)) }
    }

    @Test("long silence saves up no more than the burst", arguments: [1, 3600, 1_000_000] as [Nanoseconds])
    func silence(_ seconds: Nanoseconds) {
        var bucket = TokenBucket()
        while bucket.take(now: 0, limit: limit) {}
        let later = seconds * .second
        #expect((0..<10).filter { _ in bucket.take(now: later, limit: limit) }.count == 3)
    }

    @Test("a fraction of a token is kept")
    func fractions() {
        var bucket = TokenBucket()
        while bucket.take(now: 0, limit: limit) {}
        var taken = 0
        // Asked every 70 ms for 7 s: 70 tokens have come, however the asking falls.
        for step in 1...100 where bucket.take(now: Nanoseconds(step) * 70 * .millisecond, limit: limit) { taken += 1 }
        #expect(taken == 70)
    }

    @Test("a clock that was set back makes nobody wait for longer than the debt says")
    func clockBack() {
        var bucket = TokenBucket()
        bucket.charge(now: 100 * .second, limit: limit)
        // 100.1 s of debt seen from 0, less what may run ahead.
        #expect(bucket.delay(now: 0, limit: limit) == 100 * .second + interval - 2 * interval)
        #expect(bucket.delay(now: .min, limit: limit) == .max)
    }

    @Test("at the end of the clock a bucket stays refused instead of starting over")
    func endOfClock() {
        var bucket = TokenBucket()
        for _ in 0..<5 { bucket.charge(now: .max - 1, limit: limit) }
        #expect(bucket.fullAt == .max)
        #expect(bucket.delay(now: 0, limit: limit) == .max - 2 * interval)
        #expect(bucket.isFull(now: .max))
    }
}

@Suite("Penalties at the edges")
struct SourcePenaltyEdgeTests {
    private let limit = RateLimit(rate: 5, burst: 2)

    private func address(_ number: Int) -> IPAddress { IPAddress(version4: 0x0A00_0000 + UInt32(number)) }

    private func retry(_ penalty: SourcePenalty, _ number: Int, now: Nanoseconds) -> ClosedRange<Int>? {
        var delays: Set<Int> = []
        for seed in 0..<100 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            guard case .refused(let delay) = penalty.check(address(number), now: now, using: &random) else {
                return nil
            }
            delays.insert(delay)
        }
        guard let least = delays.min(), let most = delays.max() else { return nil }
        return least...most
    }

    @Test("Retry-After is what is left of the penalty in whole seconds, rounded up, and up to four more")
    func retryAfter() {
        // One in 2.5 s, however many are forged.
        var penalty = SourcePenalty(limit: RateLimit(rate: 0.4, burst: 1))
        for _ in 0..<12 { penalty.recordForged(address(1), now: 0) }
        #expect(retry(penalty, 1, now: 0) == 3...7)
        #expect(retry(penalty, 1, now: 600 * .millisecond) == 2...6)
        #expect(retry(penalty, 1, now: 2500 * .millisecond - 1) == 1...5)
        #expect(retry(penalty, 1, now: 2500 * .millisecond) == nil)
    }

    @Test("Retry-After is never more than an hour and a little")
    func longestRetry() {
        var penalty = SourcePenalty(limit: RateLimit(rate: 1e-6, burst: 1))
        penalty.recordForged(address(1), now: 0)
        #expect(retry(penalty, 1, now: 0) == 3601...3605)
        #expect(retry(penalty, 1, now: .min) == 3601...3605)
    }

    @Test("four calm sources leave with each new one, those that have been quiet longest first")
    func calmLeave() {
        var penalty = SourcePenalty(limit: limit)
        for number in 0..<10 { penalty.recordForged(address(number), now: Nanoseconds(number)) }
        #expect(penalty.count == 10)
        penalty.recordForged(address(100), now: 10 * .second)
        #expect(penalty.count == 7)
        penalty.recordForged(address(101), now: 10 * .second)
        #expect(penalty.count == 4)
        // A known one drives nobody out.
        penalty.recordForged(address(9), now: 10 * .second)
        #expect(penalty.count == 4)
    }

    @Test("one that has not calmed stays, and the calm behind it leave all the same")
    func offenderInFront() {
        var penalty = SourcePenalty(limit: RateLimit(rate: 1, burst: 10))
        for _ in 0..<100 { penalty.recordForged(address(0), now: 0) }
        for number in 1..<4 { penalty.recordForged(address(number), now: 0) }
        penalty.recordForged(address(100), now: 2 * .second)
        #expect(penalty.count == 2)
        // Two more are too many for it, and would not be for one that is new.
        for _ in 0..<2 { penalty.recordForged(address(0), now: 2 * .second) }
        #expect(retry(penalty, 0, now: 2 * .second) != nil)
    }

    @Test("an offender that goes on stands behind those that have been quiet since")
    func offenderGoesOn() {
        var penalty = SourcePenalty(limit: limit)
        for number in 0..<5 { penalty.recordForged(address(number), now: 0) }
        for _ in 0..<100 { penalty.recordForged(address(0), now: 1) }
        // All four looks of this call fall on the quiet ones.
        penalty.recordForged(address(100), now: 2 * .second)
        #expect(penalty.count == 2)
    }

    @Test("a full table that is joined by a calm one's place gives the new source a bucket of its own")
    func placeOfTheCalm() {
        var penalty = SourcePenalty(limit: limit, capacity: 1)
        penalty.recordForged(address(1), now: 0)
        for _ in 0..<5 { penalty.recordForged(address(2), now: 200 * .millisecond) }
        #expect(penalty.count == 1)
        #expect(retry(penalty, 2, now: 200 * .millisecond) != nil)
        #expect(retry(penalty, 1, now: 200 * .millisecond) == nil, "the shared bucket is untouched")
    }

    @Test("no room is room for one", arguments: [0, -5, Int.min])
    func noRoom(_ capacity: Int) {
        var penalty = SourcePenalty(limit: limit, capacity: capacity)
        for _ in 0..<5 { penalty.recordForged(address(1), now: 0) }
        #expect(penalty.count == 1)
        #expect(retry(penalty, 1, now: 0) != nil)
    }
}
