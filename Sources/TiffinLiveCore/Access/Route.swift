/// What a path opens (contract section 3): by which transports, to which topics, with which credentials.
struct Route: Sendable {
    struct Transports: OptionSet, Sendable {
        let rawValue: UInt8
        static let eventStream = Transports(rawValue: 1)
        static let webSocket = Transports(rawValue: 2)
    }

    /// How a handshake is refused.
    enum Refusal: Sendable {
        /// With a status.
        case status
        /// By accepting and closing at once with a code, for browsers, which cannot see a status.
        case close
    }

    let pattern: PathPattern
    let transports: Transports
    let topics: [Template]
    let credentials: CredentialKinds
    /// Whether application messages are taken.
    let inbound: Bool
    let refusal: Refusal
    /// Whether every message is answered with itself and nothing else is sent.
    let echo: Bool

    init(
        pattern: PathPattern, transports: Transports, topics: [Template], credentials: CredentialKinds,
        inbound: Bool = false, refusal: Refusal = .status, echo: Bool = false
    ) throws(PatternError) {
        let known = Set(pattern.variables + ["sub", "role"])
        for template in topics {
            if let unknown = template.variables.first(where: { !known.contains($0) }) {
                throw PatternError("\"\(template.text)\" has {\(unknown)}, which \"\(pattern.text)\" does not")
            }
        }
        guard !transports.contains(.eventStream) || topics.count <= EventPositions.maximumTopics else {
            throw PatternError("\"\(pattern.text)\" is an event stream with more than five topics")
        }
        self.pattern = pattern
        self.transports = transports
        self.topics = topics
        self.credentials = credentials
        self.inbound = inbound
        self.refusal = refusal
        self.echo = echo
    }

    /// The names of the route's topics for this path and identity. Nil when one cannot be named, because a value of the
    /// identity has a shape that is never expanded or the name would be too long: the handshake is forbidden then.
    func topicNames(_ variables: Variables, identity: ClaimsSet) -> [String]? {
        let variables = variables.with(identity)
        var names: [String] = []
        names.reserveCapacity(topics.count)
        for template in topics {
            guard let name = template.expand(variables), name.utf8.count <= TopicShape.maximumBytes else { return nil }
            if !names.contains(name) { names.append(name) }
        }
        return names
    }
}
