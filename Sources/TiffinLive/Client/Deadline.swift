import Glibc

/// An instant by which a step must be done, on the clock that nobody can set.
struct Deadline {
    private let instant: Double

    init(after seconds: Double) {
        instant = Self.now() + seconds
    }

    /// What is left, for `poll`: at least 0.
    var milliseconds: Int32 {
        Int32(min(max((instant - Self.now()) * 1000, 0).rounded(.up), 1_000_000))
    }

    var hasPassed: Bool { Self.now() >= instant }

    /// CLOCK_MONOTONIC in seconds.
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
