/// The seam between history and live: while the history of a topic is being fetched, its live events wait here, and are
/// handed on behind it without a gap and without a double (contract section 8). For one connection and one topic.
///
/// Needed where history and live come from two sources that overlap. The listener is attached *before* the history
/// is asked for; so an event is in the history, or it comes live, or both.
struct Replay {
    enum Outcome {
        /// Deliver the history, then these.
        case deliver([Event])
        /// More came live than may wait: the client must be told to reload, then gets what comes from now on.
        case reset
    }

    private var waiting: [Event] = []
    private var waitingBytes = 0
    private var hasOverflowed = false
    private let after: EventID?
    private let maximumEvents: Int
    private let maximumBytes: Int

    /// - Parameter after: Up to where the client has seen; live events up to there are not new to it.
    init(after: EventID?, maximumEvents: Int = 1_000, maximumBytes: Int = 256 * 1024) {
        self.after = after
        self.maximumEvents = maximumEvents
        self.maximumBytes = maximumBytes
    }

    /// A live event came while the history is on its way. False once too many wait; they are dropped then.
    @discardableResult
    mutating func received(_ event: Event) -> Bool {
        guard !hasOverflowed else { return false }
        if let id = event.id, let after, id <= after { return true }
        guard waiting.count < maximumEvents, event.data.count <= maximumBytes - waitingBytes else {
            hasOverflowed = true
            waiting = []
            waitingBytes = 0
            return false
        }
        waiting.append(event)
        waitingBytes += event.data.count
        return true
    }

    /// The history came: `replayed` are the events to deliver first, `position` is up to where the source has told
    /// (when it says so). Answers what waited and is newer; events without an id keep their place in the order.
    mutating func completed(replayed: [Event], position: EventID? = nil) -> Outcome {
        let events = waiting
        waiting = []
        waitingBytes = 0
        guard !hasOverflowed else {
            hasOverflowed = false
            return .reset
        }
        var last = [after, position, replayed.last?.id].compactMap { $0 }.max()
        return .deliver(
            events.filter { event in
                guard let id = event.id else { return true }
                if let last, id <= last { return false }
                last = id
                return true
            })
    }
}
