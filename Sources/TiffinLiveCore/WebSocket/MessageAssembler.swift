/// Puts a message together that came in several fragments or reads (RFC 6455 §5.4), under a limit on the whole of it.
/// Its storage grows with what has come, never with what was announced; text is checked as it comes (§8.1).
struct MessageAssembler {
    private let isText: Bool
    private let buffer = ByteBuffer()
    private var validator = UTF8Validator()

    init(isText: Bool) {
        self.isText = isText
    }

    /// Appends a piece of a frame. `limit` is for the message: what is here, the piece and what the frame still
    /// announces.
    mutating func append(_ piece: FrameDecoder.Piece, limit: Int) throws(WebSocketError) {
        // The two summands come from one length that fitted an Int; the difference cannot overflow, since neither
        // a count nor a limit is negative.
        guard piece.payload.count + piece.remaining <= limit - buffer.count else { throw .messageTooBig }
        if isText {
            guard validator.validate(piece.payload) else { throw .invalidText }
        }
        buffer.append(piece.payload)
    }

    /// The message, after its last piece. The view is good as long as the assembler is kept.
    func finish() throws(WebSocketError) -> WebSocketInput {
        guard isText else { return .binary(buffer.bytes) }
        guard validator.isComplete else { throw .invalidText }
        return .text(buffer.bytes)
    }
}
