/// Where events, look-ups and application messages go: embedded in this process, or Redis. Lives on the control thread;
/// answers come on that thread, at once or later, exactly once.
protocol Backend: AnyObject {
    /// Takes every event of a topic that somebody listens to, and perhaps others.
    var deliver: (Event) -> Void { get set }
    /// Whether what needs the backend can be served (`/readyz`).
    var isReady: Bool { get }

    /// Has the topic's events delivered from now on, and says what came between `after` and now. nil: cannot say.
    func listen(_ topic: String, after: String?, now: Moment, answer: @escaping (Resumption?) -> Void)
    func unlisten(_ topic: String)
    /// A command that only reads: who owns something, or whose session an id is.
    func lookUp(_ command: [String], now: Moment, answer: @escaping (StoreReply) -> Void)
    /// Keeps a value under a ticket that is not there yet, for the lifetime of tickets. Only `.ok` means that it did.
    func store(ticket: String, value: [UInt8], now: Moment, answer: @escaping (StoreReply) -> Void)
    /// Takes a ticket out, so that nobody gets it a second time; `.null` when there is none.
    func redeem(ticket: String, now: Moment, answer: @escaping (StoreReply) -> Void)
    /// Answers the id once the event is kept and on its way; nil when it is not.
    func publish(_ publication: Publication, now: Moment, answer: @escaping (EventID?) -> Void)
    /// Answers true once the message cannot be lost by this server any more.
    func handOver(_ message: InboundMessage, answer: @escaping (Bool) -> Void)
    /// Tells the other servers of a revocation that this one acts on; answers whether they will hear of it.
    func spread(revocation message: [UInt8], answer: @escaping (Bool) -> Void)
    func keepHouse(now: Moment)
    func stop()
}

/// An event as a publisher gives it.
struct Publication: Sendable {
    let topic: String
    let name: String
    /// UTF-8; JSON when `isJSON`.
    let data: [UInt8]
    let isJSON: Bool
}
