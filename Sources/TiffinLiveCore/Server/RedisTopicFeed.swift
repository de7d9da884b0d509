/// What a server knows of one topic whose channel it listens to: the position, for a while the kept events, and who waits
/// for them. Pure; `RedisBackend` does what it asks for.
///
/// History and live events come over two connections, in no order between them. So the channel is subscribed first, the
/// history is read then, and live events that come meanwhile are held and taken over behind it by their ids. Readings are
/// numbered: what an earlier one finds, from before the channel was in force, is of no use to a later one.
struct RedisTopicFeed {
    typealias Answer = (Resumption?) -> Void

    enum State {
        /// Nothing is delivered: the channel is not in force, or what came before could not be read.
        case deaf
        /// The channel is in force; what came before is being read. Nothing is delivered yet.
        case catchingUp
        case live
    }

    private struct Waiter {
        let after: String?
        /// A reading with this number or a later one was begun after the waiter came.
        let reading: Int
        let answer: Answer
    }

    /// How long the read history is kept for others who come back, and the channel for topics that nobody listens to.
    static let linger: Nanoseconds = 10 * .second
    /// By how much the clocks of Redis and of this server may differ, in milliseconds.
    static let clockDifference: UInt64 = 60_000

    private(set) var state = State.deaf
    /// Up to here everything was delivered; nil before the first reading.
    private(set) var position: EventID?
    private var isInForce = false
    private var history: History?
    private var historyUntil: Nanoseconds = 0
    /// The number of the reading under way.
    private var reading: Int?
    private var readings = 0
    private var waiters: [Waiter] = []
    /// Live events that came while history was read.
    private var held: [Event] = []
    /// When nobody listened any more; nil while somebody does.
    private(set) var unheardSince: Nanoseconds?

    // MARK: Listeners

    /// Somebody wants the topic from `after` on. Answers at once when that needs no reading; else the number of a reading
    /// that is to begin now, or nil when one is under way or the channel is not in force yet.
    mutating func listen(after: String?, now: Nanoseconds, wall: Nanoseconds, answer: @escaping Answer) -> Int? {
        unheardSince = nil
        if case .live = state, let position {
            guard let after else {
                answer(.live(position: position))
                return nil
            }
            guard let id = EventID(after), id.milliseconds <= Self.latest(wall: wall) else {
                answer(.reset(position: position))
                return nil
            }
            // Whoever has seen more than this server so far was with another one: only Redis can say what comes next.
            if reading == nil, id <= position, let history, now < historyUntil {
                historyUntil = now + Self.linger
                answer(Self.resumption(after, history, position))
                return nil
            }
        }
        waiters.append(Waiter(after: after, reading: readings + 1, answer: answer))
        return isInForce && reading == nil ? begin() : nil
    }

    mutating func nobodyListens(now: Nanoseconds) {
        unheardSince = now
    }

    /// Forgets a history that nobody came back for.
    mutating func keepHouse(now: Nanoseconds) {
        if reading == nil, now >= historyUntil { history = nil }
    }

    // MARK: The link

    /// The channel is in force: the number of a reading that is to begin now.
    mutating func subscribed() -> Int? {
        isInForce = true
        return resume()
    }

    /// The number of a reading that is to begin now because the last one failed.
    mutating func resume() -> Int? {
        guard isInForce, reading == nil, case .deaf = state else { return nil }
        return begin()
    }

    /// Whether that reading is still of use.
    func isAwaiting(reading number: Int) -> Bool { reading == number }

    private mutating func begin() -> Int {
        if case .deaf = state { state = .catchingUp }
        readings += 1
        reading = readings
        held = []
        return readings
    }

    /// The link is gone, or Redis refuses the channel: nothing can be promised to those who wait.
    mutating func lost() {
        isInForce = false
        state = .deaf
        history = nil
        reading = nil
        held = []
        failWaiters()
    }

    /// The reading failed; the channel is another matter.
    mutating func failed(reading number: Int) {
        guard reading == number else { return }
        reading = nil
        held = []
        if case .catchingUp = state { state = .deaf }
        failWaiters()
    }

    private mutating func failWaiters() {
        let failed = waiters
        waiters = []
        for waiter in failed { waiter.answer(nil) }
    }

    // MARK: Events

    /// A live event; the event to deliver now.
    mutating func received(_ event: Event, keep: Int) -> Event? {
        switch state {
        case .deaf:
            return nil
        case .catchingUp:
            held.append(event)
            return nil
        case .live:
            if reading != nil { held.append(event) }
            guard let id = event.id else { return event }
            guard position.map({ id > $0 }) ?? true else { return nil }
            position = id
            if reading == nil { history?.append(event, keep: keep) }
            return event
        }
    }

    /// What the stream held when it was read; nil when nobody wants to know any more.
    mutating func read(_ found: RedisHistoryReading, number: Int, keep: Int, now: Nanoseconds) -> CatchUp? {
        guard reading == number else { return nil }
        reading = nil
        var history = History(floor: found.floor)
        for event in found.events { history.append(event, keep: keep) }
        var newest = found.position
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
            state = .live
            catchUp = missed(live, found.position, history)
            position = newest
        } else if let position, position < newest {
            // Redis knows of events that have not come over the channel yet: they come from the reading, and not again.
            guard let events = history.events(after: position) else { return bridged(at: position) }
            catchUp.events = events
            self.position = newest
        }
        self.history = history
        historyUntil = now + Self.linger
        let waiting = waiters
        waiters = []
        for waiter in waiting {
            // What was seen elsewhere while this reading was under way may be newer than what it found.
            if waiter.reading > number, let id = waiter.after.flatMap({ EventID($0) }), id > newest {
                waiters.append(waiter)
            } else {
                catchUp.answers.append((waiter.answer, Self.resumption(waiter.after, history, newest)))
            }
        }
        if !waiters.isEmpty { catchUp.next = begin() }
        return catchUp
    }

    /// Events that are still on their way over the channel are not in the stream any more: the channel brings them to those
    /// who are here, and whoever comes back begins anew with them.
    private mutating func bridged(at position: EventID) -> CatchUp {
        history = nil
        var catchUp = CatchUp()
        catchUp.answers = waiters.map { waiter in
            (waiter.answer, waiter.after == nil ? .live(position: position) : .reset(position: position))
        }
        waiters = []
        return catchUp
    }

    /// After a lost link whoever was open gets what came since, or is told that it is gone.
    private func missed(_ live: [Event], _ found: EventID, _ history: History) -> CatchUp {
        guard let position else { return CatchUp(events: live) }
        guard position <= found, let missed = history.events(after: position) else {
            return CatchUp(reset: found, events: live)
        }
        return CatchUp(events: missed + live.filter { $0.id == nil })
    }

    /// What is due after a reading, in this order: it must not reach those twice who have it in their answer.
    struct CatchUp {
        /// Open connections have missed something that is gone; they stand here now.
        var reset: EventID?
        /// For open connections.
        var events: [Event] = []
        /// For those who waited.
        var answers: [(Answer, Resumption)] = []
        /// The number of another reading that is to begin now.
        var next: Int?
    }

    private static func resumption(_ after: String?, _ history: History, _ position: EventID) -> Resumption {
        guard let after else { return .live(position: position) }
        // A position beyond the last event is one that Redis has lost, or was never given.
        guard let id = EventID(after), id <= position, let missed = history.events(after: id) else {
            return .reset(position: position)
        }
        return missed.isEmpty ? .live(position: position) : .replay(missed, position: position)
    }

    /// Nobody has a position from after this moment, in milliseconds.
    private static func latest(wall: Nanoseconds) -> UInt64 {
        UInt64(max(0, wall) / .millisecond) + clockDifference
    }
}
