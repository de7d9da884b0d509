/// A span or an instant in nanoseconds. Good for 292 years either way.
typealias Nanoseconds = Int64

extension Nanoseconds {
    static let second: Nanoseconds = 1_000_000_000
    static let millisecond: Nanoseconds = 1_000_000
    static let microsecond: Nanoseconds = 1_000

    /// Sum that stops at the ends of the range; deadlines far away must never trap.
    func clampedAdding(_ other: Nanoseconds) -> Nanoseconds {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return other > 0 ? .max : .min
    }

    /// Product that stops at the ends of the range. `unit` is above 0.
    func clampedMultiplying(by unit: Nanoseconds) -> Nanoseconds {
        let (product, overflow) = multipliedReportingOverflow(by: unit)
        guard overflow else { return product }
        return self > 0 ? .max : .min
    }
}

/// One reading of both clocks. A loop reads it once a turn and hands it down; nothing pure reads a clock.
struct Moment: Equatable, Sendable {
    /// CLOCK_MONOTONIC.
    var monotonic: Nanoseconds
    /// CLOCK_REALTIME, since 1970-01-01T00:00:00Z.
    var wall: Nanoseconds
}
