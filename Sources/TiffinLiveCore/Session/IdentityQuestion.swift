/// The question to the backend who is behind a ticket or a session id. One for each handshake and never shared or
/// remembered, unlike look-ups of owners: a ticket is good once, and a session may end at any moment.
final class IdentityQuestion {
    enum Kind {
        case ticket(String)
        /// A command for each of the ids that the browser sent.
        case sessions([[String]])
    }

    /// What the answer is for.
    enum Purpose {
        case admission(Admission)
        case purchase(TicketPurchase)
    }

    let kind: Kind
    let purpose: Purpose
    /// nil for those that are awaited.
    private var replies: [StoreReply?]

    init(_ kind: Kind, for purpose: Purpose) {
        self.kind = kind
        self.purpose = purpose
        switch kind {
        case .ticket: replies = [nil]
        case .sessions(let commands): replies = Array(repeating: nil, count: commands.count)
        }
    }

    /// Takes an answer; all of them, once the last one is there.
    func answered(_ index: Int, _ reply: StoreReply) -> [StoreReply]? {
        guard replies.indices.contains(index), replies[index] == nil else { return nil }
        replies[index] = reply
        let all = replies.compactMap(\.self)
        return all.count == replies.count ? all : nil
    }

    /// What to ask the backend for.
    var actions: [SessionAction] {
        switch kind {
        case .ticket(let ticket): [.redeem(ticket: ticket)]
        case .sessions(let commands):
            commands.enumerated().map { .lookUpSession(index: $0.offset, command: $0.element) }
        }
    }
}
