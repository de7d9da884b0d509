@testable import TiffinLiveCore

/// A text has at most one meaning and a meaning exactly one text, so that a token cannot be written in two ways.
enum FuzzBase64 {
    static func run(_ bytes: [UInt8]) {
        if let decoded = bytes.withUnsafeBytes({ Base64.decodeURL($0) }) {
            check([UInt8](Base64.encodeURL(decoded).utf8) == bytes, "two texts for the same bytes")
        }
        let text = [UInt8](Base64.encodeURL(bytes).utf8)
        check(text.withUnsafeBytes { Base64.decodeURL($0) } == bytes, "other bytes came back")
        let buffer = ByteBuffer()
        bytes.withUnsafeBytes { Base64.append(standard: $0, to: buffer) }
        check(buffer.count == (bytes.count + 2) / 3 * 4, "length \(buffer.count)")
    }
}
