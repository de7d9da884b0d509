/// What a server knows of one topic whose channel it listens to: the position, for a while the kept events, and who waits
/// for them. Pure; `RedisBackend` does what it asks for.
///
/// History and live events come over two connections, in no order between them. So the channel is subscribed first, the
/// history is read then, and live events that come meanwhile are held and taken over behind it by their ids.
struct RedisTopicFeed {
    typealias Answer = (Resumption?) -> Void

    enum State {
        /// The channel is not in force yet, or the link is lost.
        case deaf
        /// The channel is in force; what came before is being read. Nothing is delivered yet.
        case catchingUp
        case live
    }

    private struct Waiter {
        let after: String?
        let answer: Answer
    }

    /// How long the read history is kept for others who come back, and the channel for topics that nobody listens to.
    static let linger: Nanoseconds = 10 * .second

    private(set) var state = State.deaf
    /// Up to here everything was delivered; nil before the first reading.
    private(set) var position: EventID?
    private var history: History?
    private var historyUntil: Nanoseconds = 0
    private var isReading = false
    private var waiters: [Waiter] = []
    /// Live events that came while history was read.
    private var held: [Event] = []
    /// When nobody listened any more; nil while somebody does.
    private(set) var unheardSince: Nanoseconds?

    // MARK: Listeners

    /// Somebody wants the topic from `after` on. Answers at once when that needs no reading; else true when a reading is
    /// to begin now.
    mutating func listen(after: String?, now: Nanoseconds, wall: Nanoseconds, answer: @escaping Answer) -> Bool {
        unheardSince = nil
        if case .live = state, let position {
            if after == nil {
                answer(.live(position: position))
                return false
            }
            if !isReading, let history, now < historyUntil {
                historyUntil = now + Self.linger
                answer(Self.resumption(after, history: history, position: position, wall: wall))
                return false
            }
        }
        waiters.append(Waiter(after: after, answer: answer))
        guard case .live = state, !isReading else { return false }
        isReading = true
        return true
    }

    mutating func nobodyListens(now: Nanoseconds) {
        unheardSince = now
    }

    /// Forgets a history that nobody came back for.
    mutating func keepHouse(now: Nanoseconds) {
        if !isReading, now >= historyUntil { history = nil }
    }

    // MARK: The link

    /// The channel is in force: true when a reading is to begin now.
    mutating func subscribed() -> Bool {
        guard case .deaf = state else { return false }
        state = .catchingUp
        held = []
        isReading = true
        return true
    }

    /// The link is gone: nothing can be promised to those who wait.
    mutating func lost() {
        state = .deaf
        history = nil
        isReading = false
        held = []
        failWaiters()
    }

    /// The reading failed; the link is another matter.
    mutating func readingFailed() {
        isReading = false
        failWaiters()
        if case .catchingUp = state { state = .deaf }
    }

    private mutating func failWaiters() {
        let failed = waiters
        waiters = []
        for waiter in failed { waiter.answer(nil) }
    }

    // MARK: Events

    /// A live event; the events to deliver now.
    mutating func received(_ event: Event, keep: Int) -> [Event] {
        switch state {
        case .deaf:
            return []
        case .catchingUp:
            held.append(event)
            return []
        case .live:
            if isReading { held.append(event) }
            guard let id = event.id else { return [event] }
            guard position.map({ id > $0 }) ?? true else { return [] }
            position = id
            if !isReading { history?.append(event, keep: keep) }
            return [event]
        }
    }

    /// What the stream held when it was read. Answers what open connections missed, in order, or that it is not to be had.
    mutating func read(_ reading: RedisHistoryReading, keep: Int, now: Nanoseconds, wall: Nanoseconds) -> CatchUp {
        guard isReading else { return CatchUp() }
        isReading = false
        var history = History(floor: reading.floor)
        for event in reading.events { history.append(event, keep: keep) }
        var newest = max(reading.position, reading.events.last?.id ?? reading.position)
        var live: [Event] = []
        for event in held {
            if let id = event.id {
                guard id > newest else { continue }
                newest = id
                history.append(event, keep: keep)
            }
            live.append(event)
        }
        held = []
        var catchUp = CatchUp()
        if case .catchingUp = state {
            if let position {
                // The link was lost: whoever was open gets what came since, or is told that it is gone.
                if position > newest {
                    catchUp.isReset = true
                } else if let missed = history.events(after: position) {
                    let missedIDs = Set(missed.compactMap(\.id))
                    catchUp.events = missed + live.filter { $0.id.map { !missedIDs.contains($0) } ?? true }
                } else {
                    catchUp.isReset = true
                    catchUp.events = live
                }
            } else {
                catchUp.events = live
            }
            state = .live
        }
        position = max(position ?? newest, newest)
        if catchUp.isReset { position = newest }
        catchUp.position = newest
        self.history = history
        historyUntil = now + Self.linger
        let waiting = waiters
        waiters = []
        for waiter in waiting {
            waiter.answer(Self.resumption(waiter.after, history: history, position: newest, wall: wall))
        }
        return catchUp
    }

    /// What open connections are due after a reading.
    struct CatchUp {
        var events: [Event] = []
        var isReset = false
        var position = EventID(milliseconds: 0, sequence: 0)
    }

    private static func resumption(
        _ after: String?, history: History, position: EventID, wall: Nanoseconds
    ) -> Resumption {
        guard let after else { return .live(position: position) }
        // A position may be later than the newest event, when it is a moment at which there was none; but not later than now.
        let latest = max(position.milliseconds, UInt64(max(0, wall) / .millisecond) + clockDifference)
        guard let id = EventID(after), id.milliseconds <= latest, let missed = history.events(after: id) else {
            return .reset(position: position)
        }
        return missed.isEmpty ? .live(position: max(position, id)) : .replay(missed, position: position)
    }

    /// By how much the clocks of Redis and of this server may differ, in milliseconds.
    private static let clockDifference: UInt64 = 60_000
}
