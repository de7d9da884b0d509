import Testing

@testable import TiffinLiveCore

@Suite("Frames from a client (RFC 6455 §5)")
struct FrameTests {
    @Test("the masked examples of §5.7 are read")
    func examples() {
        #expect(
            ReceivedInputs.check(ClientFrame.hex("81 85 37 fa 21 3d 7f 9f 4d 51 58"))
                == ReceivedInputs([.text("Hello")]))
        #expect(
            ReceivedInputs.check(ClientFrame.hex("8a 85 37 fa 21 3d 7f 9f 4d 51 58"))
                == ReceivedInputs([.pong("Hello")]))
    }

    @Test(
        "the unmasked examples of §5.7 are refused",
        arguments: [
            "81 05 48 65 6c 6c 6f", "01 03 48 65 6c", "80 02 6c 6f", "89 05 48 65 6c 6c 6f", "81 02 68 69", "88 00",
            "82 7e 01 00", "82 7f 00 00 00 00 00 01 00 00",
        ])
    func unmasked(hex: String) {
        #expect(ReceivedInputs.check(ClientFrame.hex(hex)) == ReceivedInputs(failure: 1002))
    }

    @Test(
        "payloads of every length class come through",
        arguments: [0, 1, 7, 8, 9, 63, 124, 125, 126, 127, 128, 1000, 65_535, 65_536, 65_537])
    func lengths(count: Int) {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let bytes = ClientFrame.binary(payload).bytes
        let expected = ReceivedInputs([.binary(payload)])
        if count <= 1000 {
            #expect(ReceivedInputs.check(bytes, limit: 100_000) == expected)
        } else {
            for cut in [1, 2, 3, 9, 13, 14, 15, 1000, bytes.count - 1, bytes.count] {
                let chunks = [Array(bytes[..<cut]), Array(bytes[cut...])]
                #expect(ReceivedInputs(feeding: chunks, limit: 100_000) == expected)
            }
        }
    }

    @Test(
        "an unknown opcode is refused",
        arguments: [0x3, 0x4, 0x5, 0x6, 0x7, 0xB, 0xC, 0xD, 0xE, 0xF] as [UInt8])
    func unknownOpcode(opcode: UInt8) {
        let bytes = ClientFrame(opcode: opcode, payload: [UInt8]("x".utf8)).bytes
        #expect(ReceivedInputs.check(bytes) == ReceivedInputs(failure: 1002))
        #expect(ReceivedInputs(feeding: [[0x80 | opcode]]).failure == 1002, "already at the first byte")
    }

    @Test(
        "a reserved bit is refused, whatever the frame",
        arguments: [
            "c1 82 00 00 00 00 68 69", "a1 82 00 00 00 00 68 69", "91 82 00 00 00 00 68 69", "c9 80 00 00 00 00",
            "f1 80 00 00 00 00", "c8 80 00 00 00 00", "c0 80 00 00 00 00",
        ])
    func reservedBits(hex: String) {
        let bytes = ClientFrame.hex(hex)
        #expect(ReceivedInputs.check(bytes) == ReceivedInputs(failure: 1002))
        #expect(ReceivedInputs(feeding: [[bytes[0]]]).failure == 1002, "already at the first byte")
    }

    @Test("a deflated message is refused as long as no extension was negotiated")
    func deflated() {
        // "Hello" as permessage-deflate would send it (RFC 7692 §7.2.3.1).
        let bytes = ClientFrame.hex("c1 87 00 00 00 00 f2 48 cd c9 c9 07 00")
        #expect(ReceivedInputs.check(bytes) == ReceivedInputs(failure: 1002))
    }

    @Test(
        "a length that no Int or no limit holds fails the connection and not the process",
        arguments: [
            ("82 ff ff ff ff ff ff ff ff ff 00 00 00 00", 1002), ("82 ff 80 00 00 00 00 00 00 00 00 00 00 00", 1002),
            ("82 ff 7f ff ff ff ff ff ff ff 00 00 00 00", 1009), ("81 ff 7f ff ff ff ff ff ff ff 00 00 00 00", 1009),
            ("00 ff 7f ff ff ff ff ff ff ff 00 00 00 00", 1002),
        ] as [(String, UInt16)])
    func hugeLengths(hex: String, code: UInt16) {
        #expect(ReceivedInputs.check(ClientFrame.hex(hex)) == ReceivedInputs(failure: code))
        #expect(ReceivedInputs.check(ClientFrame.hex(hex), limit: .max - 1).failure == code)
    }

    @Test("a huge continuation does not overflow the sum")
    func hugeContinuation() {
        let bytes = ClientFrame.hex("02 81 00 00 00 00 41 80 ff 7f ff ff ff ff ff ff ff 00 00 00 00")
        #expect(ReceivedInputs.check(bytes, limit: .max) == ReceivedInputs(failure: 1009))
    }

    @Test(
        "a length that is not in its shortest form is refused",
        arguments: [
            "82 fe 00 00 00 00 00 00", "82 fe 00 7d 00 00 00 00", "82 ff 00 00 00 00 00 00 00 7e 00 00 00 00",
            "82 ff 00 00 00 00 00 00 ff ff 00 00 00 00", "81 ff 00 00 00 00 00 00 00 00 00 00 00 00",
        ])
    func longForms(hex: String) {
        #expect(ReceivedInputs.check(ClientFrame.hex(hex)) == ReceivedInputs(failure: 1002))
    }

    @Test("a rule is checked as soon as its byte is there", arguments: ["09", "08", "0a", "c1", "83", "8100", "89fe"])
    func promptFailure(hex: String) {
        let bytes = ClientFrame.hex(hex)
        let outcome = ReceivedInputs(feeding: bytes.map { [$0] })
        #expect(outcome.failure == 1002)
        #expect(outcome.failedChunk == bytes.count - 1)
    }

    @Test("the mask is applied whatever the key and wherever the payload is cut")
    func masks() {
        let payload = (0..<67).map { UInt8($0) }
        let keys: [[UInt8]] = [[0, 0, 0, 0], [255, 255, 255, 255], [1, 2, 3, 4], [0x80, 0, 0, 1]]
        for key in keys {
            var frame = ClientFrame.binary(payload)
            frame.key = key
            #expect(ReceivedInputs.check(frame.bytes) == ReceivedInputs([.binary(payload)]))
        }
    }

    @Test("a key turns with the pieces of a payload")
    func keyTurns() {
        let key: [UInt8] = [0xA1, 0xB2, 0xC3, 0xD4]
        let plain = (0..<100).map { UInt8($0 * 2) }
        for cut in 0...plain.count {
            var masked = plain.enumerated().map { $1 ^ key[$0 % 4] }
            var maskingKey = key.withUnsafeBytes { MaskingKey($0) }
            masked.withUnsafeMutableBytes { all in
                maskingKey.apply(to: UnsafeMutableRawBufferPointer(rebasing: all[..<cut]))
                maskingKey.apply(to: UnsafeMutableRawBufferPointer(rebasing: all[cut...]))
            }
            #expect(masked == plain)
        }
    }
}
