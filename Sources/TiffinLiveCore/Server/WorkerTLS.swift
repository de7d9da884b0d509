/// TLS of one loop: the certificate for connections to come, the room that they share, and how many may begin in a turn.
struct WorkerTLS {
    /// First flights in one turn. Each holds a signature and a key agreement: 0.2 to 1.5 ms that all others wait.
    private static let handshakesPerTurn = 8

    /// The next connection's; those that are open keep theirs.
    var context: TLSContext
    private let scratch = TLSScratch()
    private var handshakesLeft = Self.handshakesPerTurn

    init(_ context: TLSContext) {
        self.context = context
    }

    /// Nil when there is no memory for it.
    func accept(_ socket: Socket) -> TLSSocket? {
        guard let stream = try? TLSStream(accepting: context) else { return nil }
        return TLSSocket(stream: stream, socket: socket, scratch: scratch)
    }

    /// Whether this connection may be read in this turn. What it sent stays with the kernel, and the loop tells of it
    /// again.
    func mayRead(_ tls: TLSSocket) -> Bool {
        tls.hasAnswered || handshakesLeft > 0
    }

    mutating func hasAnswered() {
        handshakesLeft -= 1
    }

    mutating func turnEnds() {
        handshakesLeft = Self.handshakesPerTurn
    }
}
