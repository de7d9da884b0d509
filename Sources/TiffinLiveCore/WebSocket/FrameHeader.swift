/// The head of a frame that came from a client (RFC 6455 §5.2), 6 to 14 bytes on the wire. No extension is ever
/// negotiated, so every reserved bit is an error. Whether the frame fits into its message is not judged here.
struct FrameHeader: Equatable, Sendable {
    var payloadLength: Int
    var maskingKey: MaskingKey
    let opcode: Opcode
    let isFinal: Bool

    /// The longest head: two bytes, a length of eight, a key of four.
    static let maximumSize = 14

    /// Reads the head at the front of `bytes`, or gives nil when it is not complete. Each rule is checked as soon as
    /// its byte is there, always in the same order, so that the verdict does not depend on how the bytes were cut.
    static func read(_ bytes: UnsafeRawBufferPointer) throws(WebSocketError) -> (header: FrameHeader, size: Int)? {
        guard bytes.count >= 1 else { return nil }
        let first = bytes[0]
        guard first & 0x70 == 0 else { throw .reservedBits }
        guard let opcode = Opcode(rawValue: first & 0x0F) else { throw .unknownOpcode }
        let isFinal = first & 0x80 != 0
        guard isFinal || !opcode.isControl else { throw .fragmentedControlFrame }

        guard bytes.count >= 2 else { return nil }
        let second = bytes[1]
        guard second & 0x80 != 0 else { throw .unmaskedFrame }
        let shortLength = Int(second & 0x7F)
        guard shortLength <= 125 || !opcode.isControl else { throw .longControlFrame }

        let keyOffset =
            switch shortLength {
            case 126: 4
            case 127: 10
            default: 2
            }
        guard bytes.count >= keyOffset else { return nil }
        let payloadLength = keyOffset == 2 ? shortLength : try extendedLength(bytes, end: keyOffset)
        guard bytes.count >= keyOffset + 4 else { return nil }
        let header = FrameHeader(
            payloadLength: payloadLength,
            maskingKey: MaskingKey(UnsafeRawBufferPointer(rebasing: bytes[keyOffset..<keyOffset + 4])),
            opcode: opcode,
            isFinal: isFinal)
        return (header, keyOffset + 4)
    }

    /// The length in the bytes from 2 to `end`. It must be in its shortest form, and the top bit of the long form
    /// must be clear: converting such a length unchecked would end the process.
    private static func extendedLength(_ bytes: UnsafeRawBufferPointer, end: Int) throws(WebSocketError) -> Int {
        var length: UInt64 = 0
        for index in 2..<end { length = (length << 8) | UInt64(bytes[index]) }
        guard length >= (end == 4 ? 126 : 65_536), let exact = Int(exactly: length) else { throw .invalidLength }
        return exact
    }
}
