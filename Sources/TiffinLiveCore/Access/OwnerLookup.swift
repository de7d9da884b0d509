/// A question to the store whether a user owns a topic (contract section 3): a read-only command, ready to send, and what
/// its answer must be. Two connections that ask the same share one answer.
struct OwnerLookup: Hashable, Sendable {
    let topic: String
    let command: [String]
    /// The `sub` that a text answer must equal, byte by byte.
    let user: [UInt8]
    /// An integer says nothing about this user unless the command asks about them.
    let asksAboutUser: Bool

    init(topic: String, command: [String], user: String, asksAboutUser: Bool) {
        self.topic = topic
        self.command = command
        self.user = Array(user.utf8)
        self.asksAboutUser = asksAboutUser
    }

    /// Whether the answer grants the topic. An error answer neither grants nor denies: check `isAnswer` first.
    func isGranted(by reply: StoreReply) -> Bool {
        switch reply {
        case .text(let text): text == user
        case .integer(let value): asksAboutUser && value == 1
        case .null, .ok, .error: false
        }
    }

    /// Whether the reply answers the question; if not, the look-up has failed (503) and nothing is remembered.
    static func isAnswer(_ reply: StoreReply) -> Bool {
        switch reply {
        case .text, .integer, .null: true
        case .ok, .error: false
        }
    }
}
