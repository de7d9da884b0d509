import Testing

@testable import TiffinLiveCore

/// The wheel against the simplest thing that is right: an array of deadlines searched through.
@Suite("Timer wheel against a model")
struct TimerWheelModelTests {
    static let tick: Nanoseconds = 1 << TimerWheel.tickShift

    static func span(_ random: inout SeededRandom) -> Nanoseconds {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: Nanoseconds.random(in: -Nanoseconds.second...0, using: &random)
        case 1...4: Nanoseconds.random(in: 0...(20 * .millisecond), using: &random)
        case 5...12: Nanoseconds.random(in: 0...(30 * .second), using: &random)
        case 13...17: Nanoseconds.random(in: 0...(120 * .second), using: &random)
        case 18: Nanoseconds.random(in: 0...(3_600 * .second), using: &random)
        default: .max
        }
    }

    @Test(
        "arming, moving, disarming and advancing at random fires just what is due", arguments: [1, 2, 3, 4] as [UInt64])
    func random(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let count = 200
        var now = Nanoseconds.random(in: 0...(100_000 * .second), using: &random)
        let wheel = WheelBox(now: now)
        wheel.reserve(count)
        var deadlines = [Nanoseconds?](repeating: nil, count: count)
        for step in 0..<20_000 {
            let index = Int.random(in: 0..<count, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0...5:
                let deadline = now.clampedAdding(Self.span(&random))
                wheel.arm(UInt32(index), at: deadline)
                deadlines[index] = deadline
            case 6:
                wheel.disarm(UInt32(index))
                deadlines[index] = nil
            default:
                let longJump = Int.random(in: 0..<50, using: &random) == 0
                let most: Nanoseconds = longJump ? 90 * .second : 50 * .millisecond
                now += Nanoseconds.random(in: 0...most, using: &random)
                let reached = (now >> TimerWheel.tickShift) << TimerWheel.tickShift
                let expected = Set(deadlines.indices.filter { (deadlines[$0] ?? .max) <= reached })
                let fired = wheel.due(at: now).map(Int.init)
                guard Set(fired) == expected, fired.count == expected.count else {
                    Issue.record("seed \(seed), step \(step): fired \(fired), expected \(expected)")
                    return
                }
                for index in fired { deadlines[index] = nil }
            }
            let earliest = deadlines.compactMap { $0 }.min() ?? .max
            guard wheel.nextExpiry() <= earliest.clampedAdding(Self.tick) else {
                Issue.record("seed \(seed), step \(step): next expiry after the earliest deadline")
                return
            }
        }
        #expect(wheel.armedCount == deadlines.count { $0 != nil })
    }

    @Test("100,000 timers over two minutes fire once each, none early, none a tick late")
    func many() {
        var random = SeededRandom(seed: 7)
        let count = 100_000
        let start: Nanoseconds = 5_000 * .second
        let wheel = WheelBox(now: start)
        wheel.reserve(count)
        var deadlines: [Nanoseconds] = []
        for index in 0..<count {
            let deadline = start + Nanoseconds.random(in: 1...(120 * .second), using: &random)
            deadlines.append(deadline)
            wheel.arm(UInt32(index), at: deadline)
        }
        var firedAt = [Nanoseconds](repeating: 0, count: count)
        var wrong = 0
        while wheel.armedCount > 0 {
            let now = wheel.nextExpiry()
            for index in wheel.due(at: now) {
                if firedAt[Int(index)] != 0 { wrong += 1 }
                firedAt[Int(index)] = now
            }
        }
        for index in 0..<count where !(0..<Self.tick).contains(firedAt[index] - deadlines[index]) { wrong += 1 }
        #expect(wrong == 0)
    }
}
