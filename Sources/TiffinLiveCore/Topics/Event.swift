/// One message that was published to a topic. Immutable and shared by every loop and connection that delivers it; the
/// encodings for the wire belong to an `EventBatch`, not to the event.
final class Event: Sendable {
    let topic: String
    /// Nil for what was published live only: such an event cannot be resumed from.
    let id: EventID?
    /// The event type; `message` when the publisher gave none.
    let name: String
    /// UTF-8. JSON text when `isJSON`, else plain text.
    let data: [UInt8]
    let isJSON: Bool

    init(topic: String, id: EventID?, name: String = "message", data: [UInt8], isJSON: Bool) {
        self.topic = topic
        self.id = id
        self.name = name
        self.data = data
        self.isJSON = isJSON
    }
}
