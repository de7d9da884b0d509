/// How long something took, from 100 µs to 10 s, counted in classes.
struct MetricsHistogram: Equatable, Sendable {
    /// The upper ends of the classes, in nanoseconds and as they are written, in seconds.
    static let bounds: [(end: Nanoseconds, label: StaticString)] = [
        (100_000, "0.0001"), (250_000, "0.00025"), (500_000, "0.0005"), (1_000_000, "0.001"), (2_500_000, "0.0025"),
        (5_000_000, "0.005"), (10_000_000, "0.01"), (25_000_000, "0.025"), (50_000_000, "0.05"), (100_000_000, "0.1"),
        (250_000_000, "0.25"), (500_000_000, "0.5"), (1_000_000_000, "1"), (2_500_000_000, "2.5"),
        (5_000_000_000, "5"), (10_000_000_000, "10"),
    ]

    /// Not cumulative; the last class has no upper end.
    private(set) var counts = [UInt64](repeating: 0, count: MetricsHistogram.bounds.count + 1)
    /// Nanoseconds.
    private(set) var sum: UInt64 = 0

    /// A span that is negative counts as none.
    mutating func observe(_ span: Nanoseconds) {
        let span = max(span, 0)
        let index = Self.bounds.firstIndex { span <= $0.end } ?? Self.bounds.count
        counts[index] &+= 1
        sum &+= UInt64(span)
    }

    mutating func add(_ other: MetricsHistogram) {
        for index in counts.indices { counts[index] &+= other.counts[index] }
        sum &+= other.sum
    }
}
