import Testing

@testable import TiffinLiveCore

@Suite("The receive half of a connection")
struct WebSocketConnectionTests {
    @Test("costs an idle connection at most 40 bytes")
    func size() {
        #expect(MemoryLayout<WebSocketConnection>.size <= 40)
        #expect(MemoryLayout<WebSocketConnection>.stride <= 40)
    }

    @Test("hands out a whole message where it lies in the input")
    func inPlace() throws {
        var connection = WebSocketConnection()
        var storage = ([ClientFrame.text("Hello"), .binary([1, 2, 3])] as [ClientFrame]).bytes
        try storage.withUnsafeMutableBytes { all in
            var input = all
            guard case .text(let text)? = try connection.next(&input, messageLimit: 100) else {
                Issue.record("no text")
                return
            }
            #expect(text.baseAddress == all.baseAddress.map { UnsafeRawPointer($0 + 6) })
            #expect([UInt8](text) == [UInt8]("Hello".utf8))
            #expect(input.count == 9, "the input is cut by what was used")
            #expect(!connection.isInsideMessage)
            guard case .binary(let binary)? = try connection.next(&input, messageLimit: 100) else {
                Issue.record("no binary")
                return
            }
            #expect(binary.baseAddress == all.baseAddress.map { UnsafeRawPointer($0 + 17) })
            #expect(input.isEmpty)
            let last = try connection.next(&input, messageLimit: 100)
            #expect(last == nil)
        }
    }

    @Test("keeps something only inside a message")
    func keepsNothing() throws {
        var connection = WebSocketConnection()
        let bytes = ClientFrame.text("Hello").bytes
        for (index, byte) in bytes.enumerated() {
            var storage = [byte]
            try storage.withUnsafeMutableBytes { all in
                var input = all
                let received = try connection.next(&input, messageLimit: 100)
                #expect((received != nil) == (index == bytes.count - 1))
                #expect(connection.isInsideMessage == (index >= 5))
                guard received != nil else { return }
                let last = try connection.next(&input, messageLimit: 100)
                #expect(last == nil)
            }
        }
        #expect(!connection.isInsideMessage)
    }

    @Test("the limit may change between two messages")
    func limitChanges() throws {
        var connection = WebSocketConnection()
        var storage = ([ClientFrame.text("12345"), .text("12345")] as [ClientFrame]).bytes
        try storage.withUnsafeMutableBytes { all in
            var input = all
            let last = try connection.next(&input, messageLimit: 5)
            #expect(last != nil)
            #expect(throws: WebSocketError.self) { try connection.next(&input, messageLimit: 4) }
            #expect(connection.isOver)
        }
    }

    @Test("after an error nothing comes any more and the rest counts as used")
    func afterError() throws {
        var connection = WebSocketConnection()
        var storage = ClientFrame.hex("c1 80 00 00 00 00") + ClientFrame.text("late").bytes
        try storage.withUnsafeMutableBytes { all in
            var input = all
            #expect(throws: WebSocketError.self) { try connection.next(&input, messageLimit: 100) }
            #expect(input.isEmpty)
            input = UnsafeMutableRawBufferPointer(rebasing: all.dropFirst(6))
            let last = try connection.next(&input, messageLimit: 100)
            #expect(last == nil)
            #expect(input.isEmpty)
        }
    }

    @Test("random streams of frames come to the same end however they are cut", arguments: 0..<40 as Range<UInt64>)
    func randomStreams(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            var frame = ClientFrame(
                opcode: [0, 1, 1, 2, 2, 8, 9, 10, 3].randomElement(using: &random) ?? 1,
                payload: [UInt8](
                    repeating: [0x61, 0xC3, 0xA9].randomElement(using: &random) ?? 0x61,
                    count: Int.random(in: 0...140, using: &random)))
            frame.isFinal = Int.random(in: 0..<4, using: &random) > 0
            bytes += frame.bytes
        }
        if !bytes.isEmpty, seed % 2 == 0 {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
        }
        _ = ReceivedInputs.check(bytes, limit: 200)
    }

    @Test("random bytes never end the process", arguments: 0..<40 as Range<UInt64>)
    func randomBytes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let bytes = (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) }
        let outcome = ReceivedInputs.check([0x82, 0xFF] + bytes, limit: .max)
        #expect(outcome.inputs.isEmpty)
    }
}
