/// The positions of an event stream that carries several topics: its ids are the positions of all of them, in the
/// route's order, joined by commas (contract section 8).
final class TopicPositions {
    private var entries: [(topic: String, position: EventID)]

    init(_ entries: [(topic: String, position: EventID)]) {
        self.entries = entries
    }

    func advance(_ topic: String, to position: EventID) {
        for index in entries.indices where entries[index].topic == topic { entries[index].position = position }
    }

    func append(to buffer: ByteBuffer) {
        EventPositions.append(entries.map(\.position), to: buffer)
    }
}
