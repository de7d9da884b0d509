/// A question to the backend for which a session waits, with the input that came meanwhile. One at a time, so that the
/// messages of a connection are handled in the order in which they were sent.
final class PendingQuestion {
    enum Question {
        /// Who is asking.
        case identity(IdentityQuestion)
        case admission(Admission)
        case refresh(ClaimsSet)
        case subscription(topic: String, after: String?, ref: JSONValue?)
        case recheck(topic: String)
        /// Whether the buyer may have what the ticket is to open, and then the ticket itself.
        case purchase(TicketPurchase)
    }

    /// One topic whose owner has been asked for, or is known.
    struct Check {
        let topic: String
        /// Nil once it is answered.
        var lookup: OwnerLookup?
        var isGranted = false
    }

    /// More waiting input than this, in bytes, and no more is read.
    static let heldLimit = 64 * 1024

    let question: Question
    var checks: [Check]
    /// Whether all checks are answered and history, or registration, is what is awaited.
    var isDecided = false
    var held: [UInt8] = []
    /// Topics whose grants changed meanwhile.
    var rechecks: [String] = []
    /// Whether the peer has sent its FIN behind what is held.
    var isAtEnd = false

    init(_ question: Question, checks: [Check]) {
        self.question = question
        self.checks = checks
    }

    var isAnswered: Bool { checks.allSatisfy { $0.lookup == nil } }
}
