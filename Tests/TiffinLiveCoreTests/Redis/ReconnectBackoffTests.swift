import Testing

@testable import TiffinLiveCore

@Suite("The pause before the next attempt")
struct ReconnectBackoffTests {
    @Test("waits are within a ceiling that doubles up to the cap, and fill it")
    func grows() {
        var ceilings: [Nanoseconds] = []
        var longest: [Nanoseconds] = .init(repeating: 0, count: 12)
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var backoff = ReconnectBackoff()
            ceilings = []
            for index in 0..<12 {
                ceilings.append(backoff.ceiling)
                let wait = backoff.next(using: &random)
                #expect(wait >= 10 * .millisecond && wait <= ceilings[index])
                longest[index] = max(longest[index], wait)
            }
        }
        #expect(ceilings.prefix(7).map { $0 / .millisecond } == [100, 200, 400, 800, 1600, 3200, 5000])
        #expect(ceilings.last == 5 * .second)
        for (index, ceiling) in ceilings.enumerated() { #expect(longest[index] > ceiling * 9 / 10) }
    }

    @Test("a link that was up for a while starts anew, one that ends at once does not")
    func reset() {
        var random = SeededRandom(seed: 1)
        var backoff = ReconnectBackoff()
        for _ in 0..<4 { _ = backoff.next(using: &random) }
        backoff.ended(after: 5 * .second - 1)
        #expect(backoff.ceiling == 1600 * .millisecond)
        backoff.ended(after: 5 * .second)
        #expect(backoff.ceiling == 100 * .millisecond)
    }

    @Test("thousands of attempts overflow nothing")
    func forEver() {
        var random = SeededRandom(seed: 2)
        var backoff = ReconnectBackoff(base: .max / 2, cap: .max)
        for _ in 0..<10_000 { #expect(backoff.next(using: &random) >= 0) }
    }
}
