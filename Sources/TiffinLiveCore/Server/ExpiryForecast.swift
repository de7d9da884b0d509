/// How many connections will be closed soon because their time is up: what comes back to the auth service and to the
/// handshake. Each figure holds those of the shorter spans too.
struct ExpiryForecast: Equatable, Sendable {
    static let spans: [(label: String, length: Nanoseconds)] = [
        ("1m", 60 * .second), ("5m", 300 * .second), ("15m", 900 * .second),
    ]

    /// In the order of `spans`.
    private(set) var counts = Array(repeating: 0, count: spans.count)

    mutating func count(closeIn span: Nanoseconds) {
        for index in counts.indices where span <= Self.spans[index].length { counts[index] += 1 }
    }

    mutating func add(_ other: ExpiryForecast) {
        for index in counts.indices { counts[index] += other.counts[index] }
    }
}
