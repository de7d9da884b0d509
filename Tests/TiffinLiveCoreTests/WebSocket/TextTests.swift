import Testing

@testable import TiffinLiveCore

@Suite("Text is UTF-8 (RFC 6455 §8.1)")
struct TextTests {
    /// At which byte of the stream, fed one at a time, the connection fails; nil when it does not.
    static func failingByte(_ bytes: [UInt8]) -> Int? {
        let outcome = ReceivedInputs(feeding: bytes.map { [$0] })
        return outcome.failure == 1007 ? outcome.failedChunk : nil
    }

    @Test("a character may be cut by fragments, and by a read between two bytes")
    func cutCharacter() {
        let frames: [ClientFrame] = [
            ClientFrame(opcode: 1, payload: [0x22, 0xC3], isFinal: false), .ping("between"),
            .continuation([0xA9, 0x22]),
        ]
        #expect(ReceivedInputs.check(frames.bytes) == ReceivedInputs([.ping("between"), .text("\"é\"")]))
        let text = "κόσμε – 𝄞 \u{10FFFF} \u{0} ÿ"
        let bytewise = [UInt8](text.utf8).enumerated().map { index, byte in
            ClientFrame(opcode: index == 0 ? 1 : 0, payload: [byte], isFinal: index == text.utf8.count - 1)
        }
        #expect(ReceivedInputs.check(bytewise.bytes) == ReceivedInputs([.text(text)]))
    }

    @Test(
        "text that is not UTF-8 is refused",
        arguments: [
            "81 82 00 00 00 00 c3 28", "81 83 00 00 00 00 ed a0 80", "81 81 00 00 00 00 ff", "81 82 00 00 00 00 c0 80",
            "81 84 00 00 00 00 f4 90 80 80", "81 83 00 00 00 00 e0 80 80", "81 81 00 00 00 00 80",
            "81 81 00 00 00 00 c3", "81 83 00 00 00 00 f0 9f 98", "81 85 00 00 00 00 61 62 63 64 f8",
        ])
    func invalid(hex: String) {
        #expect(ReceivedInputs.check(ClientFrame.hex(hex)) == ReceivedInputs(failure: 1007))
    }

    @Test("an unfinished character at the end of a fragmented message is refused")
    func unfinished() {
        let frames: [ClientFrame] = [
            .text("a", isFinal: false), .continuation([0xE2, 0x82], isFinal: false), .continuation([]),
        ]
        #expect(ReceivedInputs.check(frames.bytes) == ReceivedInputs(failure: 1007))
    }

    @Test("binary messages may hold anything")
    func binary() {
        let frames: [ClientFrame] = [.binary([0xFF, 0xC3], isFinal: false), .continuation([0x28])]
        #expect(ReceivedInputs.check(frames.bytes) == ReceivedInputs([.binary([0xFF, 0xC3, 0x28])]))
    }

    @Test("a fragment fails at its first impossible byte, before the message ends")
    func firstFragment() {
        let valid = [UInt8]("κόσμε".utf8)
        var frames: [ClientFrame] = [
            ClientFrame(opcode: 1, payload: valid, isFinal: false), .continuation([0xF4, 0x90], isFinal: false),
        ]
        #expect(ReceivedInputs.check(frames.bytes) == ReceivedInputs(failure: 1007))
        #expect(Self.failingByte(frames.bytes) == frames.bytes.count - 1)
        frames = [ClientFrame(opcode: 1, payload: valid + [0xED, 0xA0], isFinal: false)]
        #expect(Self.failingByte(frames.bytes + frames.bytes) == frames.bytes.count - 1)
    }

    @Test("a frame of which only a part has come fails at its first impossible byte")
    func partialFrame() {
        let head = ClientFrame.hex("81 fe 10 00 00 00 00 00")
        for (good, bad) in [("61 62", "ff"), ("ce ba e1", "28"), ("f4", "90"), ("e0", "9f"), ("", "c1"), ("f0", "8f")] {
            let bytes = head + ClientFrame.hex(good + bad)
            #expect(Self.failingByte(bytes) == bytes.count - 1)
            #expect(ReceivedInputs(feeding: [bytes]).failure == 1007)
            #expect(ReceivedInputs(feeding: [Array(bytes.dropLast())]).failure == nil)
        }
    }
}
