/// What is known of a sound handshake, until the session is open.
final class Admission {
    let exchange: Exchange
    let match: RouteTable.Match
    /// The path as a ticket may be bound to it.
    let path: String
    /// Where the client left off, as it says, when it says.
    let position: String?
    /// The topics of the route, with the position that the client has of each, or nil for "from now on". Known when the
    /// identity is.
    var topics: [(name: String, after: String?)] = []
    /// How each topic begins, in the order in which the answers come.
    var resumptions: [String: Resumption] = [:]
    /// Events that arrived for topics that are attached while others are still awaited.
    var early: [Event] = []

    init(_ exchange: Exchange, _ match: RouteTable.Match, path: String, position: String?) {
        self.exchange = exchange
        self.match = match
        self.path = path
        self.position = position
    }

    var isComplete: Bool { resumptions.count == topics.count }
}
