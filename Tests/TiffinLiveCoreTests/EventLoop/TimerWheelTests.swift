import Testing

@testable import TiffinLiveCore

@Suite("Timer wheel")
struct TimerWheelTests {
    static let tick: Nanoseconds = 1 << TimerWheel.tickShift
    static let rotation = tick * Nanoseconds(TimerWheel.bucketCount)

    @Test(
        "an entry fires at its deadline's tick, never before its deadline",
        arguments: [
            1, tick - 1, tick, tick + 1, 5 * .millisecond, .second, 15 * .second + 1, rotation - tick, rotation,
            rotation + 1, 3 * rotation + 7, 600 * .second, 86_400 * .second,
        ])
    func neverEarly(deadline: Nanoseconds) {
        let wheel = WheelBox()
        wheel.arm(3, at: deadline)
        #expect(wheel.due(at: deadline - 1).isEmpty)
        #expect(wheel.isArmed(3))
        #expect(wheel.due(at: deadline + Self.tick - 1) == [3])
        #expect(!wheel.isArmed(3))
        #expect(wheel.armedCount == 0)
    }

    @Test("a deadline on a tick fires at that very nanosecond")
    func exactTick() {
        let wheel = WheelBox()
        wheel.arm(0, at: 7 * Self.tick)
        #expect(wheel.due(at: 7 * Self.tick - 1).isEmpty)
        #expect(wheel.due(at: 7 * Self.tick) == [0])
    }

    @Test("deadlines at the ends of the range neither overflow nor fire")
    func extremes() {
        let wheel = WheelBox(now: 1_000 * .second)
        wheel.arm(0, at: .max)
        wheel.arm(1, at: .max - 1)
        #expect(wheel.due(at: 1_000_000 * .second).isEmpty)
        #expect(wheel.armedCount == 2)
        wheel.arm(2, at: .min)
        wheel.arm(3, at: 0)
        #expect(wheel.due(at: 1_000_000 * .second) == [2, 3])
    }

    @Test("an overdue deadline is due at once, without time going by")
    func overdue() {
        let wheel = WheelBox(now: 50 * .second)
        wheel.arm(1, at: 49 * .second)
        #expect(wheel.nextExpiry() == .min)
        #expect(wheel.expiredCount == 1)
        #expect(wheel.due(at: 50 * .second) == [1])
    }

    @Test("disarming takes an entry out wherever it is")
    func disarm() {
        let wheel = WheelBox()
        for index in UInt32(0)..<6 { wheel.arm(index, at: .second) }
        wheel.arm(6, at: 2 * .second)
        for index in [UInt32(0), 3, 5] { wheel.disarm(index) }
        wheel.disarm(6)
        wheel.disarm(6)
        wheel.disarm(9)
        wheel.advance(to: 2 * .second)
        wheel.disarm(2)
        #expect(wheel.popExpired() == 1)
        wheel.disarm(4)
        #expect(wheel.popExpired() == nil)
        #expect(wheel.expiredCount == 0)
        #expect(wheel.nextExpiry() == .max)
    }

    @Test("an entry that is due and not handed out can be armed anew")
    func rearmExpired() {
        let wheel = WheelBox()
        wheel.arm(0, at: .second)
        wheel.arm(1, at: .second)
        wheel.advance(to: 2 * .second)
        wheel.arm(0, at: 5 * .second)
        #expect(wheel.popExpired() == 1)
        #expect(wheel.popExpired() == nil)
        #expect(wheel.due(at: 4 * .second).isEmpty)
        #expect(wheel.due(at: 6 * .second) == [0])
    }

    @Test("moving a deadline later or earlier holds", arguments: [0.5, 1, 1.5, 40, 400, 4_000])
    func rearm(seconds: Double) {
        let second = Nanoseconds(seconds * 1e9)
        let wheel = WheelBox()
        wheel.arm(0, at: .second)
        wheel.arm(0, at: second)
        #expect(wheel.due(at: second - 1).isEmpty)
        #expect(wheel.due(at: second + Self.tick) == [0])
    }

    @Test("a deadline moved later again and again costs no early visit beyond one a bucket and still fires")
    func pushedForward() {
        let wheel = WheelBox()
        var now: Nanoseconds = 0
        for _ in 0..<2_000 {
            wheel.arm(0, at: now + 25 * .second)
            now += 100 * .millisecond
            #expect(wheel.due(at: now).isEmpty)
        }
        #expect(wheel.due(at: now + 25 * .second) == [0])
    }

    @Test("what is due comes in the order of ticks when the wheel is advanced by them")
    func order() {
        let wheel = WheelBox()
        wheel.arm(0, at: 30 * .millisecond)
        wheel.arm(1, at: 10 * .millisecond)
        wheel.arm(2, at: 20 * .millisecond)
        wheel.arm(3, at: 10 * .millisecond)
        #expect(wheel.due(at: .second) == [1, 3, 2, 0])
    }

    @Test("the next expiry is a moment to wake at: not after the deadline's tick, and not in the past")
    func nextExpiry() {
        let wheel = WheelBox()
        #expect(wheel.nextExpiry() == .max)
        wheel.arm(0, at: 10 * .second)
        let expiry = wheel.nextExpiry()
        #expect(expiry >= 10 * .second && expiry < 10 * .second + Self.tick)
        #expect(wheel.nextExpiry(horizon: .second) == .max)
        wheel.arm(1, at: .second / 2)
        #expect(wheel.nextExpiry(horizon: .second) < .second / 2 + Self.tick)
        #expect(wheel.due(at: wheel.nextExpiry()) == [1])
    }

    @Test("an entry rotations away never makes the wheel ask for a wake-up now")
    func farEntryDoesNotSpin() {
        let wheel = WheelBox()
        wheel.arm(0, at: 10 * Self.rotation)
        var now: Nanoseconds = 0
        var wakeUps = 0
        while wheel.due(at: now).isEmpty {
            let next = wheel.nextExpiry()
            guard next > now else {
                Issue.record("asked to wake at \(next), now \(now)")
                return
            }
            now = next
            wakeUps += 1
        }
        #expect(now == 10 * Self.rotation)
        #expect(wakeUps <= 11)
    }

    @Test("a clock that stands still or goes back fires nothing and loses nothing")
    func backwards() {
        let wheel = WheelBox(now: 10 * .second)
        wheel.arm(0, at: 11 * .second)
        #expect(wheel.due(at: 10 * .second).isEmpty)
        #expect(wheel.due(at: 3 * .second).isEmpty)
        #expect(wheel.due(at: 12 * .second) == [0])
    }

    @Test("room for more entries keeps the armed ones")
    func growth() {
        let wheel = WheelBox(capacity: 2)
        wheel.arm(1, at: .second)
        wheel.reserve(100)
        wheel.arm(99, at: .second)
        #expect(!wheel.isArmed(50))
        #expect(!wheel.isArmed(100_000))
        #expect(wheel.due(at: 2 * .second) == [1, 99])
    }
}
