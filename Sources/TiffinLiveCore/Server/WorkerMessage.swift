/// What the control thread, or another worker through the directory, tells a worker.
enum WorkerMessage: Sendable {
    /// Answer to `ControlMessage.listen`: the topic's events are on their way, and this is where it begins.
    case listening(handle: UInt64, topic: String, Resumption)
    /// The backend cannot say where the topic begins.
    case notListening(handle: UInt64, topic: String)
    /// Answer to `ControlMessage.lookUp`.
    case lookedUp(OwnerLookup, StoreReply)
    /// Answer to `ControlMessage.lookUpSession` and `.redeem`.
    case identityAnswered(handle: UInt64, index: Int, StoreReply)
    /// Answer to `ControlMessage.storeTicket`.
    case ticketStored(handle: UInt64, ticket: String, StoreReply)
    case event(Event)
    /// Whoever leans on this grant is looked up again.
    case grant(Grant)
    /// Answer to `ControlMessage.handOver`.
    case handedOver(handle: UInt64, ref: JSONValue?, isTaken: Bool)
    /// Close whoever it means and refuse their tokens from now on; answered with `ControlMessage.revoked`.
    case revoke(Revocation, at: Moment, number: UInt64)
    /// Another connection took this one's place.
    case replace(handle: UInt64)
    /// Answered with `ControlMessage.gathered`.
    case gather(GatherRequest, number: UInt64)
    case keys(KeySet)
    /// A new configuration, with the keys as they are now.
    case configuration(ServerConfiguration, KeySet)
    /// For connections that are accepted from now on.
    case certificate(TLSContext)
    /// What `/readyz` says from now on.
    case readiness(Bool)
    /// Accept nobody any more; answered with `ControlMessage.stoppedListening`.
    case stopListening
    /// Close all sessions, evenly over the time given (0 = at once), and tell them to come back within the window.
    case drain(spread: Nanoseconds, returnWindow: Nanoseconds, DisconnectReason)
    case stop
}

/// What a worker tells the control thread.
enum ControlMessage: Sendable {
    case listen(worker: Int, handle: UInt64, topic: String, after: String?)
    case unlisten(worker: Int, topic: String)
    case lookUp(worker: Int, OwnerLookup)
    /// Whose session an id is. Its command holds the id: never to be logged, as no ticket is.
    case lookUpSession(worker: Int, handle: UInt64, index: Int, command: [String])
    case redeem(worker: Int, handle: UInt64, ticket: String)
    case storeTicket(worker: Int, handle: UInt64, ticket: String, value: [UInt8])
    case handOver(worker: Int, handle: UInt64, InboundMessage)
    /// A newer connection of the same user takes the place of this one.
    case replace(ConnectionDirectory.Place)
    case revoked(number: UInt64, closed: Int)
    case gathered(number: UInt64, GatherReply)
    /// The worker accepts connections.
    case accepting(worker: Int)
    case stoppedListening(worker: Int)
    /// All sessions of the worker are over.
    case drained(worker: Int)
    /// The worker cannot go on: its loop could not be set up.
    case failed(worker: Int, SystemError)
    /// Read the configuration again.
    case reload
    /// Drain and end.
    case stop
}

/// A question to all workers.
enum GatherRequest: Sendable {
    case metrics
    case connections(ConnectionFilter)
    case disconnect(user: String?, connection: UInt64?, code: CloseCode)
}

/// What one worker answers.
enum GatherReply: Sendable {
    case metrics(WorkerMetrics)
    /// In the order of their names.
    case connections([ConnectionDescription])
    case disconnected(Int)
}

/// A connection as `GET /connections` shows it (contract section 11).
struct ConnectionDescription: Sendable {
    let connection: UInt64
    let user: String
    let role: String
    let route: String
    let transport: Transport
    let topics: [String]
    let remote: String
    /// Wall clock.
    let openedAt: Nanoseconds
    let deadline: Nanoseconds
    /// Bytes.
    let queued: Int
}
