@testable import TiffinLiveCore

/// Both clocks, moved by hand. Starts at monotonic 1,000 s and wall 2025-11-30T12:00:00Z, apart on purpose: code that
/// mixes the two up fails at once.
struct ManualClock {
    private(set) var now: Moment

    init(monotonic: Nanoseconds = 1_000 * .second, wall: Nanoseconds = 1_764_504_000 * .second) {
        now = Moment(monotonic: monotonic, wall: wall)
    }

    /// Time goes by: both clocks move.
    @discardableResult
    mutating func advance(by span: Nanoseconds) -> Moment {
        now.monotonic = now.monotonic.clampedAdding(span)
        now.wall = now.wall.clampedAdding(span)
        return now
    }

    @discardableResult
    mutating func advance(seconds: Double) -> Moment {
        advance(by: Nanoseconds(seconds * Double(Nanoseconds.second)))
    }

    /// Somebody sets the wall clock (forwards, or backwards when negative); monotonic time stands still.
    @discardableResult
    mutating func stepWall(by span: Nanoseconds) -> Moment {
        now.wall = now.wall.clampedAdding(span)
        return now
    }

    /// Only monotonic time goes by: the wall clock was set back by as much at the same moment.
    @discardableResult
    mutating func advanceMonotonic(by span: Nanoseconds) -> Moment {
        now.monotonic = now.monotonic.clampedAdding(span)
        return now
    }
}
