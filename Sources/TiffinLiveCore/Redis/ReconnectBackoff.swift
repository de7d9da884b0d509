/// How long to wait before the next attempt to connect: capped exponential with full jitter, so that a fleet that lost
/// one server does not come back in step. A connection that had been up for a while starts anew; one that ends right
/// away goes on where the last wait was.
struct ReconnectBackoff: Sendable {
    var base: Nanoseconds = 100 * .millisecond
    var cap: Nanoseconds = 5 * .second
    /// No wait is shorter: the draw may be next to nothing, and a loop of attempts must never be tight.
    var floor: Nanoseconds = 10 * .millisecond
    /// Up for so long counts as a success.
    var stableAfter: Nanoseconds = 5 * .second

    private var failures = 0

    init(
        base: Nanoseconds = 100 * .millisecond, cap: Nanoseconds = 5 * .second,
        floor: Nanoseconds = 10 * .millisecond, stableAfter: Nanoseconds = 5 * .second
    ) {
        self.base = max(1, base)
        self.cap = max(self.base, cap)
        self.floor = max(0, floor)
        self.stableAfter = stableAfter
    }

    /// The longest that the next wait can be.
    var ceiling: Nanoseconds {
        let (scaled, overflow) = base.multipliedReportingOverflow(by: 1 << Int64(min(failures, 30)))
        return overflow ? cap : min(scaled, cap)
    }

    /// A connection was up for this long.
    mutating func ended(after uptime: Nanoseconds) {
        if uptime >= stableAfter { failures = 0 }
    }

    mutating func next(using random: inout some RandomNumberGenerator) -> Nanoseconds {
        let wait = max(floor, Nanoseconds.random(in: 0...ceiling, using: &random))
        failures = min(failures + 1, 30)
        return wait
    }
}
