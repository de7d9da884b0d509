/// The fan-out of a `TopicTable`. Published events wait with their topic; `deliver` hands them out in bounded steps, so
/// that a topic with 100,000 listeners cannot starve a ping.
extension TopicTable {
    /// Takes an event for everybody who listens to its topic now; false when nobody does.
    @discardableResult
    func publish(_ event: Event) -> Bool {
        guard let topic = slot(of: event.topic), topics[Int(topic)].live > 0 else { return false }
        if let id = event.id { advance(topic, to: id) }
        if let fanOut = topics[Int(topic)].fanOut {
            fanOut.append(event)
        } else {
            let fanOut = spareFanOuts.popLast() ?? TopicFanOut()
            fanOut.append(event)
            topics[Int(topic)].fanOut = fanOut
            appendDirty(topic)
        }
        return true
    }

    /// Events wait for a `deliver`.
    var hasUndelivered: Bool { firstDirty >= 0 }

    /// Visits at most `budget` listeners and calls `body` for each that is still there; true when more is left. A topic
    /// that used up the budget goes to the end of the line. `body` may publish, attach and detach, but not deliver.
    func deliver(budget: Int, body: (_ batch: EventBatch, _ subscriber: UInt32) -> Void) -> Bool {
        precondition(!isDelivering, "deliver called from within a delivery")
        isDelivering = true
        defer { isDelivering = false }
        var left = budget
        while left > 0, firstDirty >= 0 {
            let topic = firstDirty
            guard let fanOut = topics[Int(topic)].fanOut else {
                removeFirstDirty()
                continue
            }
            // Walks go on after the last batch while there are holes: those who left behind the cursor.
            while left > 0, !fanOut.isEmpty || topics[Int(topic)].count != topics[Int(topic)].live {
                walk(fanOut, of: topic, budget: &left, body: body)
            }
            removeFirstDirty()
            if fanOut.isEmpty, topics[Int(topic)].count == topics[Int(topic)].live {
                finish(topic)
            } else {
                appendDirty(topic)
            }
        }
        return firstDirty >= 0
    }

    /// Walks the first pending batch over its listeners, then over those who came since only to close the holes.
    private func walk(
        _ fanOut: TopicFanOut, of topic: Int32, budget: inout Int, body: (EventBatch, UInt32) -> Void
    ) {
        fanOut.seal(at: topics[Int(topic)].count)
        let batch = fanOut.first?.batch
        let limit = fanOut.first?.limit ?? 0
        while fanOut.cursor < topics[Int(topic)].count {
            guard budget > 0 else { return }
            budget -= 1
            fanOut.relocateLimits()
            let position = fanOut.cursor
            fanOut.cursor += 1
            guard let subscriber = pack(fanOut, position: position, of: topic) else { continue }
            if position < limit, let batch { body(batch, subscriber) }
        }
        // A batch without anybody left to visit costs one step, so that any number of them stays bounded.
        budget -= 1
        complete(fanOut, of: topic)
    }

    /// Moves the listener at `position` down over the holes before it; nil when it is a hole itself.
    private func pack(_ fanOut: TopicFanOut, position: Int32, of topic: Int32) -> UInt32? {
        guard let listeners = topics[Int(topic)].listeners else { return nil }
        let listener = listeners[Int(position)]
        guard listener.link != TopicListener.tombstone else { return nil }
        if fanOut.packed != position {
            listeners[Int(fanOut.packed)] = listener
            listeners[Int(position)].link = TopicListener.tombstone
            links[Int(listener.link)].position = fanOut.packed
        }
        fanOut.packed += 1
        return listener.subscriber
    }

    /// Every position behind the packed ones is a hole: cut them off.
    private func complete(_ fanOut: TopicFanOut, of topic: Int32) {
        topics[Int(topic)].count = fanOut.packed
        fanOut.removeFirst()
    }

    private func finish(_ topic: Int32) {
        if let over = topics[Int(topic)].fanOut, spareFanOuts.count < 64 { spareFanOuts.append(over) }
        topics[Int(topic)].fanOut = nil
        if topics[Int(topic)].live == 0 { removeTopic(topic) } else { shrinkIfSparse(topic) }
    }

    private func appendDirty(_ topic: Int32) {
        topics[Int(topic)].nextDirty = -1
        if lastDirty >= 0 { topics[Int(lastDirty)].nextDirty = topic } else { firstDirty = topic }
        lastDirty = topic
    }

    private func removeFirstDirty() {
        firstDirty = topics[Int(firstDirty)].nextDirty
        if firstDirty < 0 { lastDirty = -1 }
    }
}
