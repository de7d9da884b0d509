/// The `id:` of an event stream over several topics: one position for each topic, in the order of the route, joined by
/// commas (a stream over one topic has the bare id). At most five topics and 128 bytes, so that the text survives being
/// sent back as `Last-Event-ID`.
enum EventPositions {
    static let maximumTopics = 5
    static let maximumBytes = 128

    static func append(_ positions: [EventID], to buffer: ByteBuffer) {
        for (index, position) in positions.enumerated() {
            if index > 0 { buffer.append(ASCII.comma) }
            position.append(to: buffer)
        }
    }

    /// The positions in `text`, or nil when it is not exactly `count` ids. A client's text that is nil here is answered
    /// with a reset of every topic.
    static func read(_ text: String, count: Int) -> [EventID]? {
        guard text.utf8.count <= maximumBytes, count > 0 else { return nil }
        let parts = text.split(separator: ",", maxSplits: count, omittingEmptySubsequences: false)
        guard parts.count == count else { return nil }
        var positions: [EventID] = []
        positions.reserveCapacity(count)
        for part in parts {
            guard let position = EventID(String(part)) else { return nil }
            positions.append(position)
        }
        return positions
    }
}
