/// The receive half of a server's connection (RFC 6455 §5–§8): bytes in, whole messages and control frames out, one
/// a call and in order. It writes nothing: the answers, the closing handshake and its time limit are the session's.
///
/// A message whose frame is wholly in the input is unmasked there and handed out as a view, without a copy or an
/// allocation. Only what is incomplete is kept, in a box that is given up as soon as it is empty: an idle connection
/// owns nothing on the heap.
struct WebSocketConnection {
    private var decoder = FrameDecoder()
    /// No input is taken any more: the peer has closed or broken a rule.
    private(set) var isOver = false
    private var partial: PartialInput?

    init() {}

    /// Whether a message or frame has begun whose end has not come, as of the last call.
    var isInsideMessage: Bool { partial?.message != nil }

    /// Takes one message or control frame off the front of `input` and cuts the input by what was used. Gives nil
    /// when all of it is used; the caller then reads on. The payload is unmasked in place, so the bytes of `input`
    /// change. The view that is returned is good until the next call, which also gives up the storage behind it: call
    /// until nil comes.
    ///
    /// `messageLimit` is in bytes, for the sum over all fragments of a message. An error fails the connection: what
    /// was handed out before it still counts and its answers still go out, but nothing comes any more. Nor does
    /// anything after a close frame.
    mutating func next(
        _ input: inout UnsafeMutableRawBufferPointer, messageLimit: Int
    ) throws(WebSocketError) -> WebSocketInput? {
        if let partial, partial.releaseComplete() || isOver { self.partial = nil }
        guard !isOver else {
            input = UnsafeMutableRawBufferPointer(start: nil, count: 0)
            return nil
        }
        do throws(WebSocketError) {
            while let piece = try decoder.next(&input) {
                guard let complete = try received(piece, messageLimit) else { continue }
                if case .close = complete {
                    isOver = true
                    input = UnsafeMutableRawBufferPointer(start: nil, count: 0)
                }
                return complete
            }
            return nil
        } catch {
            isOver = true
            partial = nil
            input = UnsafeMutableRawBufferPointer(start: nil, count: 0)
            throw error
        }
    }

    private mutating func received(
        _ piece: FrameDecoder.Piece, _ limit: Int
    ) throws(WebSocketError) -> WebSocketInput? {
        if piece.opcode.isControl {
            return try receivedControl(piece)
        }
        if piece.begins {
            let isInside = partial?.message != nil
            if piece.opcode == .continuation {
                guard isInside else { throw .unexpectedContinuation }
            } else {
                guard !isInside else { throw .expectedContinuation }
                if piece.isFinal && piece.ends { return try wholeMessage(piece, limit) }
                keepPartial().message = MessageAssembler(isText: piece.opcode == .text)
            }
        }
        let partial = keepPartial()
        try partial.message?.append(piece, limit: limit)
        guard piece.isFinal && piece.ends else { return nil }
        partial.messageIsComplete = true
        return try partial.message?.finish()
    }

    private func wholeMessage(_ piece: FrameDecoder.Piece, _ limit: Int) throws(WebSocketError) -> WebSocketInput {
        guard piece.payload.count <= limit else { throw .messageTooBig }
        guard piece.opcode == .text else { return .binary(piece.payload) }
        guard UTF8Validator.isValid(piece.payload) else { throw .invalidText }
        return .text(piece.payload)
    }

    private mutating func receivedControl(_ piece: FrameDecoder.Piece) throws(WebSocketError) -> WebSocketInput? {
        if piece.begins && piece.ends {
            return try wholeControl(piece.opcode, piece.payload)
        }
        let partial = keepPartial()
        let control = partial.control ?? ByteBuffer(capacity: 128)
        partial.control = control
        control.append(piece.payload)
        guard piece.ends else { return nil }
        partial.controlIsComplete = true
        return try wholeControl(piece.opcode, control.bytes)
    }

    private func wholeControl(
        _ opcode: Opcode, _ payload: UnsafeRawBufferPointer
    ) throws(WebSocketError) -> WebSocketInput {
        switch opcode {
        case .ping: .ping(payload)
        case .pong: .pong(payload)
        case .close, .continuation, .text, .binary: try close(payload)
        }
    }

    /// The payload of a close frame: empty, or a code and a reason (§5.5.1, §7.4).
    private func close(_ payload: UnsafeRawBufferPointer) throws(WebSocketError) -> WebSocketInput {
        guard !payload.isEmpty else { return .close(nil, reason: payload) }
        guard payload.count >= 2 else { throw .truncatedCloseCode }
        let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.mayBeReceived else { throw .invalidCloseCode }
        let reason = UnsafeRawBufferPointer(rebasing: payload.dropFirst(2))
        guard UTF8Validator.isValid(reason) else { throw .invalidCloseReason }
        return .close(code, reason: reason)
    }

    private mutating func keepPartial() -> PartialInput {
        if let partial { return partial }
        let partial = PartialInput()
        self.partial = partial
        return partial
    }
}
