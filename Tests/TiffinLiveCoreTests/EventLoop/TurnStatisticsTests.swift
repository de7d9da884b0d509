import Testing

@testable import TiffinLiveCore

@Suite("Statistics of turns")
struct TurnStatisticsTests {
    private let window = TurnStatistics.window

    @Test("turns are counted, their time is summed up, and one that ran backwards took none")
    func sums() {
        var statistics = TurnStatistics()
        for (end, span) in [(1, 5), (2, 7), (3, -4)] as [(Nanoseconds, Nanoseconds)] {
            statistics.turnEnded(at: end, after: span)
        }
        #expect(statistics.turns == 3)
        #expect(statistics.busy == 12)
        #expect(statistics.longest == 7)
    }

    @Test("the longest is remembered through this window and the next, and then forgotten")
    func windows() {
        var statistics = TurnStatistics()
        statistics.turnEnded(at: 10, after: 9)
        statistics.turnEnded(at: 10 + window - 1, after: 1)
        #expect(statistics.longest == 9)
        statistics.turnEnded(at: 10 + window, after: 2)
        #expect(statistics.longest == 9)
        statistics.turnEnded(at: 10 + 2 * window - 1, after: 3)
        #expect(statistics.longest == 9)
        statistics.turnEnded(at: 10 + 2 * window, after: 1)
        #expect(statistics.longest == 3)
        statistics.turnEnded(at: 10 + 3 * window, after: 1)
        #expect(statistics.longest == 1)
    }

    @Test("after a long silence nothing old is left")
    func silence() {
        var statistics = TurnStatistics()
        statistics.turnEnded(at: 0, after: 9)
        statistics.turnEnded(at: 5 * window, after: 1)
        #expect(statistics.longest == 1)
    }

    @Test("moments at the ends of the range do not overflow", arguments: [Nanoseconds.min, -1, 0, .max])
    func extremes(end: Nanoseconds) {
        var statistics = TurnStatistics()
        for _ in 0..<3 { statistics.turnEnded(at: end, after: .max) }
        #expect(statistics.longest == .max)
        #expect(statistics.turns == 3)
    }

    @Test("of several loops the longest turn of any counts, and the sums add up")
    func addition() {
        var (first, second) = (TurnStatistics(), TurnStatistics())
        first.turnEnded(at: 1, after: 4)
        second.turnEnded(at: 1, after: 6)
        second.turnEnded(at: 2, after: 1)
        var sum = TurnStatistics()
        sum.add(first)
        sum.add(second)
        #expect(sum.turns == 3)
        #expect(sum.busy == 11)
        #expect(sum.longest == 6)
    }
}
