/// How often something may happen: `rate` times a second on average, `burst` times at once. Shared by all the buckets
/// that it governs.
struct RateLimit: Equatable, Sendable {
    /// Between two events at the steady rate; 0 = no limit.
    let interval: Nanoseconds
    /// How far ahead of the steady rate one may be.
    let tolerance: Nanoseconds

    /// - Parameter rate: a second; 0 (or less) = no limit. A burst below 1 counts as 1.
    init(rate: Double, burst: Int) {
        guard rate > 0, rate.isFinite else {
            interval = 0
            tolerance = 0
            return
        }
        let spacing = 1_000_000_000 / rate
        interval = spacing < 1 ? 1 : spacing > 1e15 ? 1_000_000_000_000_000 : Nanoseconds(spacing)
        let (product, overflow) = interval.multipliedReportingOverflow(by: Nanoseconds(max(burst, 1) - 1))
        tolerance = overflow ? .max : product
    }

    static let unlimited = RateLimit(rate: 0, burst: 0)

    var isUnlimited: Bool { interval == 0 }
}
