/// Cuts what a client sends into frames (RFC 6455 §5) and unmasks their payloads in place. A frame that is wholly in
/// the input comes as one piece; of one that is not, whatever is there comes at once, so that nothing of a payload is
/// ever kept here. Which frames may follow each other is `WebSocketConnection`'s affair.
struct FrameDecoder {
    private enum State {
        case betweenFrames
        case header(PartialFrameHeader)
        /// Inside a payload: the length is what has not come yet, the key is turned to the next byte.
        case payload(FrameHeader)
    }

    /// All or a part of a frame.
    struct Piece {
        let opcode: Opcode
        let isFinal: Bool
        /// Whether the frame begins with this piece. Its payload may be empty: the head alone comes at once, so that
        /// a declared length can be judged before any of it has come.
        let begins: Bool
        let payload: UnsafeRawBufferPointer
        /// How many bytes of the frame's payload follow this piece.
        let remaining: Int

        var ends: Bool { remaining == 0 }
    }

    private var state = State.betweenFrames

    /// Takes the next piece off the front of `input`; nil when all of the input is used. After an error the decoder
    /// must not be used any more.
    mutating func next(_ input: inout UnsafeMutableRawBufferPointer) throws(WebSocketError) -> Piece? {
        guard !input.isEmpty else { return nil }
        switch state {
        case .betweenFrames:
            if let (header, size) = try FrameHeader.read(UnsafeRawBufferPointer(input)) {
                input = UnsafeMutableRawBufferPointer(rebasing: input.dropFirst(size))
                return take(header, begins: true, from: &input)
            }
            return try continueHeader(PartialFrameHeader(), &input)
        case .header(let partial):
            return try continueHeader(partial, &input)
        case .payload(let header):
            return take(header, begins: false, from: &input)
        }
    }

    private mutating func continueHeader(
        _ partial: PartialFrameHeader, _ input: inout UnsafeMutableRawBufferPointer
    ) throws(WebSocketError) -> Piece? {
        var partial = partial
        guard let header = try partial.receive(&input) else {
            state = .header(partial)
            return nil
        }
        return take(header, begins: true, from: &input)
    }

    private mutating func take(
        _ header: FrameHeader, begins: Bool, from input: inout UnsafeMutableRawBufferPointer
    ) -> Piece {
        let count = min(header.payloadLength, input.count)
        let payload = UnsafeMutableRawBufferPointer(rebasing: input.prefix(count))
        input = UnsafeMutableRawBufferPointer(rebasing: input.dropFirst(count))
        var rest = header
        rest.maskingKey.apply(to: payload)
        rest.payloadLength -= count
        state = rest.payloadLength == 0 ? .betweenFrames : .payload(rest)
        return Piece(
            opcode: header.opcode,
            isFinal: header.isFinal,
            begins: begins,
            payload: UnsafeRawBufferPointer(payload),
            remaining: rest.payloadLength)
    }
}
