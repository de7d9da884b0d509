/// Writes frames as a server sends them (RFC 6455 §5.2): whole, unmasked, with the shortest length. What may be sent
/// when, and that nothing follows a close frame, is the session's affair.
enum FrameEncoder {
    /// The most that a control frame may carry (§5.5).
    static let maximumControlPayload = 125
    /// What of it is left for the reason of a close.
    static let maximumCloseReason = maximumControlPayload - 2

    /// Appends one final frame. A control frame must not carry more than `maximumControlPayload` bytes.
    static func append(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        precondition(!opcode.isControl || payload.count <= maximumControlPayload)
        buffer.reserve(10 + payload.count)
        appendHeader(opcode, payloadLength: payload.count, to: buffer)
        buffer.append(payload)
    }

    /// Appends the head alone, for a payload that the caller writes right behind it.
    static func appendHeader(_ opcode: Opcode, payloadLength: Int, to buffer: ByteBuffer) {
        buffer.append(0x80 | opcode.rawValue)
        switch payloadLength {
        case ...125:
            buffer.append(UInt8(truncatingIfNeeded: payloadLength))
        case ...65_535:
            buffer.append(126)
            append(bigEndian: payloadLength, bytes: 2, to: buffer)
        default:
            buffer.append(127)
            append(bigEndian: payloadLength, bytes: 8, to: buffer)
        }
    }

    /// Appends a close frame. Without a code, or with one that must not be on the wire (1005, 1006, 1015, …), the
    /// frame is empty. A reason that is too long is cut between two characters, since a half one would be no UTF-8.
    static func appendClose(_ code: CloseCode?, reason: String, to buffer: ByteBuffer) {
        var reason = reason
        reason.withUTF8 { appendClose(code, reason: UnsafeRawBufferPointer($0), to: buffer) }
    }

    /// The same for a fixed reason, such as that of a `WebSocketError`.
    static func appendClose(_ code: CloseCode?, reason: StaticString, to buffer: ByteBuffer) {
        let bytes = UnsafeRawBufferPointer(start: reason.utf8Start, count: reason.utf8CodeUnitCount)
        appendClose(code, reason: bytes, to: buffer)
    }

    /// The same for a reason that is UTF-8 already.
    static func appendClose(_ code: CloseCode?, reason: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        guard let code, code.mayBeSent else {
            appendHeader(.close, payloadLength: 0, to: buffer)
            return
        }
        var length = min(reason.count, maximumCloseReason)
        while length > 0, length < reason.count, reason[length] & 0xC0 == 0x80 { length -= 1 }
        appendHeader(.close, payloadLength: 2 + length, to: buffer)
        append(bigEndian: Int(code.rawValue), bytes: 2, to: buffer)
        buffer.append(UnsafeRawBufferPointer(rebasing: reason.prefix(length)))
    }

    private static func append(bigEndian value: Int, bytes: Int, to buffer: ByteBuffer) {
        var shift = bytes * 8
        while shift > 0 {
            shift -= 8
            buffer.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
