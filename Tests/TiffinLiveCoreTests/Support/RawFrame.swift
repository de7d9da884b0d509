/// A WebSocket frame in numbers (RFC 6455 section 5.2), without the server's own types.
struct RawFrame: Equatable, CustomStringConvertible {
    static let continuation: UInt8 = 0x0
    static let text: UInt8 = 0x1
    static let binary: UInt8 = 0x2
    static let close: UInt8 = 0x8
    static let ping: UInt8 = 0x9
    static let pong: UInt8 = 0xA

    let opcode: UInt8
    var payload: [UInt8] = []
    var isFinal = true
    /// RSV1 to RSV3 in the low three bits.
    var reserved: UInt8 = 0

    var text: String {
        String(decoding: payload, as: UTF8.self)
    }

    var description: String {
        "frame opcode \(opcode)\(isFinal ? "" : ", not final"), \(payload.count) bytes: \(text.prefix(200))"
    }

    /// The frame's bytes as a client sends them; without a key it is unmasked, which a server must refuse.
    func encoded(key: [UInt8]?) -> [UInt8] {
        var bytes = [(isFinal ? 0x80 : 0) | (reserved << 4) | opcode]
        let mask: UInt8 = key == nil ? 0 : 0x80
        switch payload.count {
        case ...125:
            bytes.append(mask | UInt8(payload.count))
        case ...0xFFFF:
            bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            bytes.append(mask | 127)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        guard let key else { return bytes + payload }
        bytes += key
        bytes += payload.enumerated().map { $0.element ^ key[$0.offset & 3] }
        return bytes
    }

    /// A Close frame's payload: code, then reason; empty without a code.
    static func closePayload(_ code: Int?, _ reason: String = "") -> [UInt8] {
        guard let code else { return [] }
        return [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)] + Array(reason.utf8)
    }
}
