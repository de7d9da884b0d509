@testable import TiffinLiveCore

/// Frames as a client would write them, right or wrong, made without any code of the product.
struct ClientFrame {
    var opcode: UInt8
    var payload: [UInt8]
    var isFinal = true
    var key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    static func text(_ text: String, isFinal: Bool = true) -> ClientFrame {
        ClientFrame(opcode: 0x1, payload: [UInt8](text.utf8), isFinal: isFinal)
    }

    static func binary(_ payload: [UInt8], isFinal: Bool = true) -> ClientFrame {
        ClientFrame(opcode: 0x2, payload: payload, isFinal: isFinal)
    }

    static func continuation(_ payload: [UInt8], isFinal: Bool = true) -> ClientFrame {
        ClientFrame(opcode: 0x0, payload: payload, isFinal: isFinal)
    }

    static func ping(_ text: String = "") -> ClientFrame { ClientFrame(opcode: 0x9, payload: [UInt8](text.utf8)) }

    static func pong(_ text: String = "") -> ClientFrame { ClientFrame(opcode: 0xA, payload: [UInt8](text.utf8)) }

    static func close(_ code: UInt16?, _ reason: [UInt8] = []) -> ClientFrame {
        let code = code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []
        return ClientFrame(opcode: 0x8, payload: code + reason)
    }

    var bytes: [UInt8] {
        var bytes = [opcode | (isFinal ? 0x80 : 0)]
        if payload.count <= 125 {
            bytes.append(0x80 | UInt8(payload.count))
        } else if payload.count <= 65_535 {
            bytes += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        } else {
            bytes.append(0xFF)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        bytes += key
        bytes += payload.enumerated().map { $1 ^ key[$0 % 4] }
        return bytes
    }

    /// The bytes that a hex dump names; spaces are free.
    static func hex(_ text: String) -> [UInt8] {
        let digits = text.utf8.compactMap { ASCII.hexValue($0) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension [ClientFrame] {
    var bytes: [UInt8] { flatMap(\.bytes) }
}
