import Testing

@testable import TiffinLiveCore

@Suite("The schedule of a drain")
struct DrainScheduleTests {
    @Test("every step closes its share, and the curve is a straight line")
    func even() {
        var schedule = DrainSchedule(.restart, connections: 3000, spread: 30 * .second, now: 5 * .second)
        var closed = 0
        for step in 0..<300 {
            let due = schedule.due(now: 5 * .second + Nanoseconds(step) * 100 * .millisecond)
            #expect(step == 0 ? due == 0 : (9...11).contains(due), "a step's share is ten, as far as it can be divided")
            #expect(!schedule.isBehind)
            closed += due
        }
        #expect(closed == 2990)
        #expect(schedule.due(now: 35 * .second) >= 10)
    }

    @Test("a step that comes late closes what it has missed")
    func late() {
        var schedule = DrainSchedule(.restart, connections: 100, spread: 10 * .second, now: 0)
        #expect(schedule.due(now: .second) == 10)
        #expect(schedule.due(now: 5 * .second) == 40)
        #expect(schedule.due(now: 5 * .second) == 0)
    }

    @Test("one turn closes no more than a bounded number, and says that it is behind")
    func bounded() {
        var schedule = DrainSchedule(.goingAway, connections: 100_000, spread: 0, now: 0)
        for _ in 0..<10 {
            #expect(schedule.due(now: 0) == DrainSchedule.closesPerTurn)
            #expect(schedule.isBehind)
        }
        schedule.allAreTold()
        #expect(!schedule.isBehind)
        var slow = DrainSchedule(.restart, connections: 1_000_000, spread: 10 * .second, now: 0)
        #expect(slow.due(now: .second) == DrainSchedule.closesPerTurn)
        #expect(slow.isBehind)
    }

    @Test("a spread without end and a clock at its end are no trap")
    func extremes() {
        var schedule = DrainSchedule(.restart, connections: .max, spread: .max, now: .second)
        #expect(schedule.due(now: 2 * .second) >= 0)
        var empty = DrainSchedule(.restart, connections: 0, spread: .second, now: 0)
        #expect(empty.due(now: .second / 2) == 0)
    }

    @Test(
        "the fleet is told to come back so that no more come in a second than are admitted",
        arguments: [
            // Connections, spread and admission rate, and the window, all in seconds.
            (0, 30, 0, 5), (2500, 30, 0, 5), (30_000, 30, 0, 5), (60_000, 30, 0, 60), (10_000, 0, 0, 10),
            (10_000, 30, 100, 100), (100, 30, 100, 5), (1_000_000, 30, 0, 300), (1_000_000, 30, 100_000, 5),
            (3, 0, 0, 5), (Int.max, 30, 1, 300),
        ])
    func window(connections: Int, spread: Int, rate: Int, expected: Int) {
        let window = DrainSchedule.returnWindow(
            connections: connections, spread: Nanoseconds(spread) * .second, admissionRate: rate)
        #expect(window == Nanoseconds(expected) * .second)
    }
}
