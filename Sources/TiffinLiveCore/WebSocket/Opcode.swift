/// What a frame carries (RFC 6455 §5.2 and §11.8). The values that are reserved have no case: a frame with one fails
/// the connection.
enum Opcode: UInt8, Sendable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Control frames may come between the fragments of a message, are never fragmented and carry at most
    /// 125 bytes (§5.5).
    var isControl: Bool { rawValue & 0x8 != 0 }
}
