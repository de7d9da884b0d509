/// The broker of a server without Redis: gives events their ids and keeps the newest of each topic, so that a client
/// can resume (contract sections 8 and 9). Used by one thread; gone with the process.
///
/// Ids grow over all topics, also when the wall clock is set back, so any id that was given out is a position in every
/// topic. A topic whose events have all aged is dropped; how far topics were dropped is remembered as the floor, and
/// nobody resumes across it: a client gets every event, or a reset, never a silent gap.
final class EmbeddedBroker {
    /// At most so many events are kept of a topic; 0 keeps nothing.
    private let keep: Int
    /// Nanoseconds after which an event is dropped; 0 = no limit of age.
    private let keepFor: Nanoseconds
    /// Told apart in the low bits of the sequence, so that ids of another process are recognised whatever its clock
    /// said; nil = ids with plain sequences, recognised by time alone.
    private let instance: UInt16?
    /// In the order of the last publish.
    private var histories = AgedTable<String, History>()
    /// Before the first id of this process.
    private let start: EventID
    /// Up to here events of topics that have no history may have been dropped.
    private var floor: EventID
    private(set) var lastID: EventID
    private var counter: UInt64 = 0

    /// Events are kept of at most so many topics; the one that was silent longest gives way.
    private let maximumTopics: Int

    init(keep: Int, keepFor: Nanoseconds, wall: Nanoseconds, instance: UInt16? = nil, maximumTopics: Int = 1_000_000) {
        self.keep = keep
        self.keepFor = keepFor
        self.instance = instance
        self.maximumTopics = maximumTopics
        floor = EventID(milliseconds: Self.milliseconds(wall), sequence: UInt64(instance ?? 0))
        start = floor
        lastID = floor
    }

    /// Topics with kept events.
    var topicCount: Int { histories.count }

    /// Gives the event its id and keeps it.
    func publish(topic: String, name: String, data: [UInt8], isJSON: Bool, wall: Nanoseconds) -> Event {
        lastID = nextID(wall: wall)
        let event = Event(topic: topic, id: lastID, name: name, data: data, isJSON: isJSON)
        guard keep > 0, maximumTopics > 0 else {
            floor = lastID
            return event
        }
        let oldest = oldestKept(wall: wall)
        let known: Void? = histories.update(topic) { history in
            history.append(event, keep: keep)
            history.removeEvents(before: oldest, steps: 2)
        }
        if known != nil {
            histories.renew(topic)
        } else {
            if histories.count >= maximumTopics { dropOldest() }
            var history = History(floor: floor)
            history.append(event, keep: keep)
            histories.set(history, for: topic)
        }
        prune(wall: wall, steps: 2)
        return event
    }

    /// What a client needs that saw everything up to `after` (nil: it saw nothing and wants what comes from now on).
    func resume(topic: String, after text: String?, wall: Nanoseconds) -> Resumption {
        guard let text else { return .live(position: lastID) }
        guard let after = EventID(text), after <= lastID, after >= start, isOwn(after) else {
            return .reset(position: lastID)
        }
        let oldest = oldestKept(wall: wall)
        _ = histories.update(topic) { $0.removeEvents(before: oldest, steps: .max) }
        guard let history = histories.value(for: topic) else {
            return after >= floor ? .live(position: lastID) : .reset(position: lastID)
        }
        guard let missed = history.events(after: after) else { return .reset(position: lastID) }
        return missed.isEmpty ? .live(position: lastID) : .replay(missed, position: lastID)
    }

    /// Drops aged topics in at most `steps` steps; true when more are left to drop.
    @discardableResult
    func prune(wall: Nanoseconds, steps: Int) -> Bool {
        let oldest = oldestKept(wall: wall)
        for _ in 0..<max(steps, 0) {
            guard let (_, history) = histories.oldest else { return false }
            guard let last = history.lastID, last.milliseconds >= oldest else {
                dropOldest()
                continue
            }
            return false
        }
        guard let last = histories.oldest?.value.lastID else { return false }
        return last.milliseconds < oldest
    }

    // MARK: - Ids

    private func nextID(wall: Nanoseconds) -> EventID {
        let milliseconds = max(Self.milliseconds(wall), lastID.milliseconds)
        counter = milliseconds == lastID.milliseconds ? counter + 1 : 0
        guard let instance else { return EventID(milliseconds: milliseconds, sequence: counter) }
        return EventID(milliseconds: milliseconds, sequence: counter << 16 | UInt64(instance))
    }

    private func isOwn(_ id: EventID) -> Bool {
        guard let instance else { return true }
        return UInt16(truncatingIfNeeded: id.sequence) == instance
    }

    private func dropOldest() {
        guard let (_, history) = histories.removeOldest() else { return }
        floor = max(floor, history.lastID ?? history.forgottenThrough)
    }

    private func oldestKept(wall: Nanoseconds) -> UInt64 {
        guard keepFor > 0 else { return 0 }
        return Self.milliseconds(wall.clampedAdding(-keepFor))
    }

    private static func milliseconds(_ wall: Nanoseconds) -> UInt64 {
        UInt64(max(0, wall) / Nanoseconds.millisecond)
    }
}
