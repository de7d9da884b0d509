@testable import TiffinLiveCore

/// A timer wheel that `#expect` can call: it is not copyable itself.
final class WheelBox {
    private var wheel: TimerWheel

    init(now: Nanoseconds = 0, capacity: Int = 16) {
        wheel = TimerWheel(now: now)
        wheel.reserve(capacity)
    }

    var expiredCount: Int { wheel.expiredCount }
    var armedCount: Int { wheel.armedCount }

    func reserve(_ capacity: Int) { wheel.reserve(capacity) }
    func arm(_ index: UInt32, at deadline: Nanoseconds) { wheel.arm(index, at: deadline) }
    func disarm(_ index: UInt32) { wheel.disarm(index) }
    func isArmed(_ index: UInt32) -> Bool { wheel.isArmed(index) }
    func advance(to now: Nanoseconds) { wheel.advance(to: now) }
    func popExpired() -> UInt32? { wheel.popExpired() }
    func nextExpiry(horizon: Nanoseconds = .max) -> Nanoseconds { wheel.nextExpiry(horizon: horizon) }

    /// Drains what is due at `now`.
    func due(at now: Nanoseconds) -> [UInt32] {
        wheel.advance(to: now)
        var indices: [UInt32] = []
        while let index = wheel.popExpired() { indices.append(index) }
        return indices
    }
}
