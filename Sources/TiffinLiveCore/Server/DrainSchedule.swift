/// How the closes of a drain are spread over time (contract section 11): an even share in each step, so that the fleet
/// comes back as a stream and not as a spike.
struct DrainSchedule {
    /// Closes of one turn of the loop, so that a fleet sent away at once does not keep it from everything else.
    static let closesPerTurn = 512

    let reason: DisconnectReason
    private let start: Nanoseconds
    private let spread: Nanoseconds
    private let total: Int
    private var done = 0
    /// Where to go on in the table of connections.
    var cursor = 0
    /// Whether more is due than one turn had room for.
    private(set) var isBehind = false

    init(_ reason: DisconnectReason, connections: Int, spread: Nanoseconds, now: Nanoseconds) {
        self.reason = reason
        start = now
        self.spread = spread
        total = connections
    }

    /// How many to close now, so that the share that is due is done.
    mutating func due(now: Nanoseconds) -> Int {
        let due: Int
        if spread > 0, now < start.clampedAdding(spread) {
            let share = Double(now - start) / Double(spread)
            due = max(0, Int((Double(total) * share).rounded(.up)) - done)
        } else {
            due = .max
        }
        let batch = min(due, Self.closesPerTurn)
        isBehind = due > batch
        done += batch
        return batch
    }

    /// Every connection has been told to go.
    mutating func allAreTold() {
        isBehind = false
    }

    // MARK: The return

    /// What one server admits without haste, when `limits.admissions` says nothing.
    static let usualAdmissionRate = 1000
    static let shortestReturnWindow: Nanoseconds = 5 * .second
    static let longestReturnWindow: Nanoseconds = 300 * .second

    /// How long after its close a client is told to wait at most; each draws its own delay. The fleet comes back over the
    /// longer of the spread and this window, which is chosen so that no more come in a second than are admitted.
    static func returnWindow(connections: Int, spread: Nanoseconds, admissionRate: Int) -> Nanoseconds {
        let rate = admissionRate > 0 ? admissionRate : usualAdmissionRate
        let needed = Nanoseconds(connections).clampedMultiplying(by: .second / Nanoseconds(rate))
        return needed <= spread ? shortestReturnWindow : min(max(needed, shortestReturnWindow), longestReturnWindow)
    }
}
