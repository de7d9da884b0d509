/// What attaching a listener to a topic tells the caller.
struct TopicHandle: Equatable, Sendable {
    /// The slot of the topic in its `TopicTable`; good for as long as somebody listens.
    let index: Int32
    /// Nobody on this loop listened before: now is the time to subscribe upstream.
    let isFirstListener: Bool
}
