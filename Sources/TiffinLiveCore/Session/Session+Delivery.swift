/// Events on their way to the peer (contract sections 7.9, 8): live ones in the shared encoding of their batch, and
/// those of a backlog one by one, as fast as they are taken.
extension Session {
    /// What to send of a batch of live events.
    enum Delivery {
        case nothing
        /// The same bytes for every session of this kind.
        case shared(ByteBuffer)
        /// What this session has put into `SessionContext.output`.
        case own
    }

    /// How much is put into the output at once from a backlog, in bytes.
    private static let backlogStep = 64 * 1024

    mutating func deliver(_ batch: EventBatch, _ context: SessionContext) -> Delivery {
        switch phase {
        case .admitting(let admission):
            admission.early += batch.events
            return .nothing
        case .webSocket, .eventStream:
            break
        case .readingProxyHeader, .readingRequest, .buying, .closing, .closed:
            return .nothing
        }
        guard !deadlines.isPast(context.now) else {
            disconnect(deadlines.endsByAge ? .maximumAge : .tokenExpired, context)
            return .own
        }
        if let backlog {
            backlog.append(contentsOf: batch.events)
            guard backlog.count > Backlog.limit else { return .nothing }
            disconnect(.tooSlow, context)
            return .own
        }
        lastSent = context.now.monotonic
        countSent(batch.events.count, context)
        if transport == .websocket { return .shared(batch.webSocketFrames(scratch: context.scratch)) }
        guard isChunked, positions == nil else {
            for event in batch.events { appendBlock(event, context) }
            return .own
        }
        return .shared(batch.eventStreamChunks())
    }

    /// Sends what was missed, before anything that comes now.
    mutating func catchUp(_ events: [Event], _ context: SessionContext) {
        guard !events.isEmpty else { return }
        if let backlog {
            backlog.append(contentsOf: events)
        } else {
            backlog = Backlog(events)
        }
        if !context.isOutputBlocked { pumpBacklog(context) }
    }

    /// Puts the next part of the backlog into the output. Called again when that was taken.
    mutating func pumpBacklog(_ context: SessionContext) {
        guard let backlog, isOpen else { return }
        guard !deadlines.isPast(context.now) else {
            return disconnect(deadlines.endsByAge ? .maximumAge : .tokenExpired, context)
        }
        context.isPaced = true
        while context.output.count < Self.backlogStep, let event = backlog.popFirst() {
            if transport == .websocket { context.send(.event(event)) } else { appendBlock(event, context) }
            countSent(1, context)
        }
        lastSent = context.now.monotonic
    }

    /// The output is gone, and with it the last of the backlog: live events take the short way again. Until then they
    /// wait behind it, however much the last event of it was.
    mutating func dropEmptyBacklog() {
        if let backlog, backlog.isEmpty { self.backlog = nil }
    }

    private mutating func countSent(_ count: Int, _ context: SessionContext) {
        eventsSent &+= UInt32(truncatingIfNeeded: count)
        context.eventsSent &+= count
    }

    // MARK: The event stream

    mutating func openEventStream(
        _ begins: [(topic: String, resumption: Resumption)], after: [String?], _ exchange: Exchange,
        _ context: SessionContext
    ) {
        EventStreamHandshake.appendResponse(
            to: context.output, date: context.date, version: exchange.version, extraFields: exchange.corsFields)
        // A link that drops in the middle of a replay must find the position it resumed from, not the newest.
        let entries = zip(begins, after).map { begin, after in
            let resumed = begin.resumption.isReset ? nil : after.flatMap { EventID($0) }
            return (topic: begin.topic, position: resumed ?? begin.resumption.position)
        }
        let all = TopicPositions(entries)
        if entries.count > 1 { positions = all }
        let mark = beginChunk(context)
        EventStreamEncoder.append(
            retryMilliseconds: Int.random(in: 1000...3000, using: &context.random), to: context.output)
        context.scratch.removeAll()
        welcome(context).appendJSON(to: context.scratch)
        let id = ByteBuffer(capacity: 64)
        all.append(to: id)
        EventStreamEncoder.append(event: "welcome", id: id.bytes, data: context.scratch.bytes, to: context.output)
        endChunk(mark, context)
        for begin in begins where begin.resumption.isReset {
            appendBlock(.reset(topic: begin.topic, position: nil), context)
        }
    }

    /// One event as a block, with the positions of all topics where there are several.
    private func appendBlock(_ event: Event, _ context: SessionContext) {
        let mark = beginChunk(context)
        if let positions, let id = event.id {
            positions.advance(event.topic, to: id)
            context.scratch.removeAll()
            positions.append(to: context.scratch)
            event.data.withUnsafeBytes {
                EventStreamEncoder.append(event: event.name, id: context.scratch.bytes, data: $0, to: context.output)
            }
        } else {
            event.appendBlock(to: context.output)
        }
        endChunk(mark, context)
    }

    /// An event of our own, without an id: it moves no position.
    func appendBlock(_ name: String, _ data: String, retryMilliseconds: Int? = nil, _ context: SessionContext) {
        var data = data
        let mark = beginChunk(context)
        if let retryMilliseconds { EventStreamEncoder.append(retryMilliseconds: retryMilliseconds, to: context.output) }
        data.withUTF8 {
            EventStreamEncoder.append(event: name, id: nil, data: UnsafeRawBufferPointer($0), to: context.output)
        }
        endChunk(mark, context)
    }

    func appendComment(_ context: SessionContext) {
        let mark = beginChunk(context)
        EventStreamEncoder.append(comment: "", to: context.output)
        endChunk(mark, context)
    }

    private func beginChunk(_ context: SessionContext) -> Int {
        isChunked ? ChunkedEncoder.begin(in: context.output) : 0
    }

    private func endChunk(_ mark: Int, _ context: SessionContext) {
        if isChunked { ChunkedEncoder.end(mark, in: context.output) }
    }
}

extension EventBatch {
    /// The events as frames, encoded once for all WebSockets.
    func webSocketFrames(scratch: ByteBuffer) -> ByteBuffer {
        if let encoded = webSocketBytes { return encoded }
        let encoded = ByteBuffer()
        for event in events {
            scratch.removeAll()
            ServerMessage.event(event).appendJSON(to: scratch)
            FrameEncoder.append(.text, scratch.bytes, to: encoded)
        }
        webSocketBytes = encoded
        return encoded
    }

    /// The events as blocks, a chunk each, encoded once for all event streams that carry one topic.
    func eventStreamChunks() -> ByteBuffer {
        if let encoded = eventStreamBytes { return encoded }
        let encoded = ByteBuffer()
        for event in events {
            let mark = ChunkedEncoder.begin(in: encoded)
            event.appendBlock(to: encoded)
            ChunkedEncoder.end(mark, in: encoded)
        }
        eventStreamBytes = encoded
        return encoded
    }
}

extension Event {
    /// The event as a block of an event stream with its own id.
    func appendBlock(to buffer: ByteBuffer) {
        data.withUnsafeBytes { data in
            guard let id else { return EventStreamEncoder.append(event: name, id: nil, data: data, to: buffer) }
            let text = ByteBuffer(capacity: 48)
            id.append(to: text)
            EventStreamEncoder.append(event: name, id: text.bytes, data: data, to: buffer)
        }
    }
}
