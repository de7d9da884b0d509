import Testing

@testable import TiffinLiveCore

@Suite("The watchdog")
struct WatchdogTests {
    /// The answers to one question after another.
    private func answers(_ turns: [[UInt64]]) -> [Bool] {
        var watchdog = Watchdog(limit: 10 * .second, loops: turns[0].count)
        return turns.map { watchdog.mayTell($0) }
    }

    @Test("systemd is told only when every loop has turned since it was told last")
    func allLoops() {
        #expect(answers([[1, 1, 0], [1, 1, 1]]) == [false, true], "one has not begun yet")
        #expect(
            answers([[1, 1, 1], [2, 900, 1], [3, 9000, 1]]) == [true, false, false],
            "one is stuck, the others are busy")
        #expect(
            answers([[1, 1, 1], [2, 2, 1], [3, 3, 2], [3, 3, 2]]) == [true, false, true, false], "a long turn has ended"
        )
    }

    @Test("a count that wraps around is another count")
    func wraps() {
        #expect(answers([[.max], [0]]) == [true, true])
    }

    @Test("it is asked four times in the limit")
    func period() {
        #expect(Watchdog(limit: 10 * .second, loops: 1).period == 2500 * .millisecond)
        #expect(Watchdog(limit: 1, loops: 1).period == .millisecond)
    }
}
