/// How busy a loop is: its turns, and how long they kept it from waiting again. Pure; moments are monotonic.
struct TurnStatistics: Equatable, Sendable {
    /// The longest turn is remembered for one to two of these, whoever asks and however often.
    static let window: Nanoseconds = 60 * .second

    private(set) var turns: UInt64 = 0
    /// Nanoseconds in turns, since the loop was made. Divided by the time that passed: the share of a core that is used.
    private(set) var busy: UInt64 = 0
    private var longestNow: Nanoseconds = 0
    private var longestBefore: Nanoseconds = 0
    private var windowEnd = Nanoseconds.min

    mutating func turnEnded(at end: Nanoseconds, after span: Nanoseconds) {
        if end >= windowEnd {
            let isNext = windowEnd != .min && end < windowEnd.clampedAdding(Self.window)
            longestBefore = isNext ? longestNow : 0
            longestNow = 0
            windowEnd = end.clampedAdding(Self.window)
        }
        turns &+= 1
        busy &+= UInt64(max(0, span))
        longestNow = max(longestNow, span)
    }

    /// How long an event may have waited for its loop lately.
    var longest: Nanoseconds { max(longestNow, longestBefore) }

    /// The sum over several loops.
    mutating func add(_ other: TurnStatistics) {
        turns &+= other.turns
        busy &+= other.busy
        longestNow = max(longestNow, other.longest)
    }
}
