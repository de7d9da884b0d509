/// What is known of a request whose credential was accepted, until the session is open.
final class Admission {
    let version: HTTPVersion
    /// Set for a WebSocket.
    let opening: OpeningHandshake?
    /// The topics of the route, with the position that the client has of each, or nil for "from now on".
    let topics: [(name: String, after: String?)]
    /// Whether the client named a position at all.
    let resumes: Bool
    /// How each topic begins, in the order in which the answers come.
    var resumptions: [String: Resumption] = [:]
    /// Events that arrived for topics that are attached while others are still awaited.
    var early: [Event] = []

    init(version: HTTPVersion, opening: OpeningHandshake?, topics: [(name: String, after: String?)], resumes: Bool) {
        self.version = version
        self.opening = opening
        self.topics = topics
        self.resumes = resumes
    }

    var isComplete: Bool { resumptions.count == topics.count }
}
