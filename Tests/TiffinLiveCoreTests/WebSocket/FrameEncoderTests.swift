import Testing

@testable import TiffinLiveCore

@Suite("Frames of a server (RFC 6455 §5.2)")
struct FrameEncoderTests {
    static func encode(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
        let buffer = ByteBuffer()
        payload.withUnsafeBytes { FrameEncoder.append(opcode, $0, to: buffer) }
        return buffer.array
    }

    static func close(_ code: CloseCode?, _ reason: String) -> [UInt8] {
        let buffer = ByteBuffer()
        FrameEncoder.appendClose(code, reason: reason, to: buffer)
        return buffer.array
    }

    @Test("the unmasked examples of §5.7 are written")
    func examples() {
        #expect(Self.encode(.text, [UInt8]("Hello".utf8)) == ClientFrame.hex("81 05 48 65 6c 6c 6f"))
        #expect(Self.encode(.ping, [UInt8]("Hello".utf8)) == ClientFrame.hex("89 05 48 65 6c 6c 6f"))
        let short = [UInt8](repeating: 9, count: 256)
        #expect(Self.encode(.binary, short) == ClientFrame.hex("82 7e 01 00") + short)
        let long = [UInt8](repeating: 9, count: 65_536)
        #expect(Self.encode(.binary, long) == ClientFrame.hex("82 7f 00 00 00 00 00 01 00 00") + long)
    }

    @Test(
        "the length takes its shortest form",
        arguments: [
            (0, "82 00"), (125, "82 7d"), (126, "82 7e 00 7e"), (65_535, "82 7e ff ff"),
            (65_537, "82 7f 00 00 00 00 00 01 00 01"),
        ] as [(Int, String)])
    func lengths(count: Int, head: String) {
        let payload = [UInt8](repeating: 5, count: count)
        #expect(Self.encode(.binary, payload) == ClientFrame.hex(head) + payload)
    }

    @Test("a head alone may be written before its payload", arguments: [0, 125, 126, 65_535, 65_536, 1 << 40])
    func headAlone(count: Int) {
        let buffer = ByteBuffer()
        FrameEncoder.appendHeader(.text, payloadLength: count, to: buffer)
        #expect(buffer.array.first == 0x81)
        #expect(buffer.count == (count <= 125 ? 2 : count <= 65_535 ? 4 : 10))
    }

    @Test("frames go behind what the buffer holds")
    func appends() {
        let buffer = ByteBuffer(capacity: 16)
        buffer.append(0x2A)
        FrameEncoder.append(.pong, UnsafeRawBufferPointer(start: nil, count: 0), to: buffer)
        FrameEncoder.appendClose(.tokenExpired, reason: "token_expired" as StaticString, to: buffer)
        #expect(buffer.array == ClientFrame.hex("2a 8a 00 88 0f 0f a1") + [UInt8]("token_expired".utf8))
    }

    @Test("a close frame carries its code and reason, or nothing")
    func closeFrames() {
        #expect(Self.close(.normal, "") == ClientFrame.hex("88 02 03 e8"))
        #expect(Self.close(.revoked, "revoked") == ClientFrame.hex("88 09 0f a3") + [UInt8]("revoked".utf8))
        #expect(Self.close(.mandatoryExtension, "") == ClientFrame.hex("88 02 03 f2"), "as the answer to a client's")
        #expect(Self.close(nil, "ignored") == ClientFrame.hex("88 00"))
    }

    @Test(
        "a code that stands for the absence of one is never on the wire",
        arguments: [.noStatusReceived, .abnormalClosure, .tlsHandshake, CloseCode(rawValue: 1004)] as [CloseCode])
    func forbiddenCodes(code: CloseCode) {
        #expect(Self.close(code, "why") == ClientFrame.hex("88 00"))
    }

    @Test("a reason is cut to 123 bytes, between two characters")
    func longReasons() {
        #expect(Self.close(.normal, String(repeating: "a", count: 123)).count == 127)
        #expect(Self.close(.normal, String(repeating: "a", count: 124)).count == 127)
        // 41 characters of three bytes are 123; one byte in front leaves room for 40 of them.
        #expect(Self.close(.normal, String(repeating: "€", count: 60)).count == 2 + 2 + 123)
        let shifted = Self.close(.normal, "a" + String(repeating: "€", count: 60))
        #expect(shifted.count == 2 + 2 + 121)
        #expect(shifted[1] == 123)
        #expect(UTF8Validator.isValidArray(Array(shifted.dropFirst(4))))
        let emoji = Self.close(.normal, String(repeating: "🍱", count: 40))
        #expect(emoji.count == 2 + 2 + 120)
    }

    @Test("a reason that is no UTF-8 does not make the cut run below zero")
    func hostileReason() {
        let buffer = ByteBuffer()
        [UInt8](repeating: 0x80, count: 200).withUnsafeBytes {
            FrameEncoder.appendClose(.normal, reason: $0, to: buffer)
        }
        #expect(buffer.array == ClientFrame.hex("88 02 03 e8"))
    }

    @Test("an encoder writes into a buffer that has room without making it grow")
    func noGrowth() {
        let buffer = ByteBuffer(capacity: 4096)
        let base = buffer.base
        for _ in 0..<20 {
            [UInt8](repeating: 1, count: 126).withUnsafeBytes { FrameEncoder.append(.text, $0, to: buffer) }
        }
        #expect(buffer.base == base)
        #expect(buffer.count == 20 * 130)
    }
}

extension UTF8Validator {
    static func isValidArray(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { isValid($0) } }
}
