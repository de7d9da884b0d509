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

    /// Not an event but the word that some were lost, in their place (contract section 8): open connections get it when a
    /// lost link could not be made good.
    let isReset: Bool

    static func reset(topic: String, position: EventID?) -> Event {
        let data = JSONWriter.text(["topic": .string(topic), "reason": "history"])
        return Event(topic: topic, id: position, name: "reset", data: Array(data.utf8), isJSON: true, isReset: true)
    }

    init(
        topic: String, id: EventID?, name: String = "message", data: [UInt8], isJSON: Bool, isReset: Bool = false
    ) {
        self.isReset = isReset
        self.topic = topic
        self.id = id
        self.name = name
        self.data = data
        self.isJSON = isJSON
    }
}
