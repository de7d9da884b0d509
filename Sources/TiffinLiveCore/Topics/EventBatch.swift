/// Events of one topic that go to the same listeners in one step. All listeners of a batch share its encodings, so an
/// event is encoded once for each transport however many connections it goes to.
///
/// The caches belong to whoever encodes: they are nil until that code fills them, and the events never change once
/// the first listener has been handed the batch.
final class EventBatch {
    private(set) var events: [Event]
    /// The events as WebSocket frames, when a WebSocket needed them.
    var webSocketBytes: ByteBuffer?
    /// The events as blocks of an event stream, when a stream needed them.
    var eventStreamBytes: ByteBuffer?

    init(_ event: Event) {
        events = [event]
    }

    func append(_ event: Event) {
        events.append(event)
    }
}
