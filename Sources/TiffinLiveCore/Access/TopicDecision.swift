/// What the topic rules say about one topic and one identity.
enum TopicDecision: Equatable, Sendable {
    case denied
    case allowed
    /// The claims are right, and the store must answer.
    case lookUp(OwnerLookup)
}
