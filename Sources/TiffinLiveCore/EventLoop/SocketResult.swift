/// What came of an attempt to read or to send.
enum SocketResult: Equatable, Sendable {
    /// So many bytes were moved, perhaps fewer than asked for.
    case bytes(Int)
    /// Nothing to read, or no room: wait for the descriptor to be ready.
    case wouldBlock
    /// The peer sends no more. Never the result of a send.
    case endOfStream
    /// The connection is over: `errno`.
    case failed(Int32)
}
