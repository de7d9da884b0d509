/// How the closes of a drain are spread over time (contract section 11): an even share in each step, so that the fleet
/// comes back as a stream and not as a spike.
struct DrainSchedule {
    let reason: DisconnectReason
    private let start: Nanoseconds
    private let spread: Nanoseconds
    private let total: Int
    private var done = 0
    /// Where to go on in the table of connections.
    var cursor = 0

    init(_ reason: DisconnectReason, connections: Int, spread: Nanoseconds, now: Nanoseconds) {
        self.reason = reason
        start = now
        self.spread = spread
        total = connections
    }

    /// How many to close now, so that the share that is due is done.
    mutating func due(now: Nanoseconds) -> Int {
        guard spread > 0, now < start + spread else { return .max }
        let share = Double(now - start) / Double(spread)
        let due = Int((Double(total) * share).rounded(.up)) - done
        done += max(0, due)
        return max(0, due)
    }
}
