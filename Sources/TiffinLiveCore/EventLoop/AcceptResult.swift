/// What came of an attempt to accept a connection.
enum AcceptResult: Equatable, Sendable {
    case accepted(Socket, peer: SocketAddress)
    /// No connection waits.
    case wouldBlock
    /// This connection is gone (the peer gave up) or the call was interrupted: try the next.
    case skipped
    /// No descriptor is left to this process or to the system (EMFILE, ENFILE). The connection still waits.
    case outOfDescriptors
    /// Anything else: `errno`.
    case failed(Int32)
}
