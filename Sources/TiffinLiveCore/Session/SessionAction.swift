/// What a session asks of its shell, in order, beside the bytes that it put into `SessionContext.output`.
enum SessionAction {
    /// Enter the connection under its user and address; the answer is `Session.registered`.
    case register
    /// Ask the backend who owns something; the answer is `Session.lookUpCompleted`, for everybody who waits for it.
    case lookUp(OwnerLookup)
    /// Ask the backend whose session an id is; the answer is `Session.identityAnswered`.
    case lookUpSession(index: Int, command: [String])
    /// Take a ticket out of the store; the answer is `Session.identityAnswered` with the index 0.
    case redeem(ticket: String)
    /// Keep a value under a new ticket; the answer is `Session.ticketStored`.
    case storeTicket(value: [UInt8])
    /// Have events of the topic sent here, after reading what came since; the answer is `Session.attached`.
    case attach(topic: String, after: String?)
    /// The last listener of this loop has left the topic.
    case unlisten(topic: String)
    /// Hand an application message to the backends; the answer is `Session.inboundTaken`.
    case handOver(InboundMessage)
    /// The session is open: log it.
    case opened
    /// A ticket was sold to this user: log and count it.
    case ticketSold(ClaimsSet)
    /// The request was refused with this status and error code: log and count it.
    case refused(status: Int, error: String)
    /// The connection did not begin with the PROXY header that it must have: log and count it.
    case proxyHeaderRefused(ProxyHeaderError)
    /// A plain request was answered (health checks, CORS preflights): count it.
    case answered(status: Int)
    /// A refresh was accepted or refused.
    case refreshed(error: String?)
    /// The session is over, with the reason in `Session.ending`: leave the registers, log it.
    case ended
    /// Nothing more will be written: send what there is, then FIN, and read until the peer has closed too.
    case finish
    /// Close the descriptor now.
    case abort
}

/// An application message with the identity of the connection that brought it (contract section 8).
struct InboundMessage: Sendable {
    let user: String
    let role: String
    let connection: UInt64
    let type: String
    let ref: JSONValue?
    /// The message as JSON text, without the members that claim an identity.
    let body: [UInt8]
    /// Wall clock.
    let at: Nanoseconds
}
