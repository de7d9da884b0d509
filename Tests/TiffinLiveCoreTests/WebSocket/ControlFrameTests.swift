import Testing

@testable import TiffinLiveCore

@Suite("Control frames (RFC 6455 §5.5)")
struct ControlFrameTests {
    @Test("pings and pongs of up to 125 bytes are handed on", arguments: [0, 1, 4, 124, 125])
    func sizes(count: Int) {
        let text = String(repeating: "p", count: count)
        #expect(ReceivedInputs.check(ClientFrame.ping(text).bytes) == ReceivedInputs([.ping(text)]))
        #expect(ReceivedInputs.check(ClientFrame.pong(text).bytes) == ReceivedInputs([.pong(text)]))
    }

    @Test(
        "one of 126 bytes or more is refused",
        arguments: [
            "89 fe 00 7e 00 00 00 00", "8a fe 00 7e 00 00 00 00", "88 fe 00 7e 00 00 00 00",
            "89 ff 00 00 00 00 00 01 00 00 00 00 00 00",
        ])
    func tooLong(hex: String) {
        #expect(ReceivedInputs.check(ClientFrame.hex(hex)) == ReceivedInputs(failure: 1002))
    }

    @Test("a fragmented one is refused", arguments: ["09 80 00 00 00 00", "0a 80 00 00 00 00", "08 80 00 00 00 00"])
    func fragmented(hex: String) {
        #expect(ReceivedInputs.check(ClientFrame.hex(hex)) == ReceivedInputs(failure: 1002))
        let between = ClientFrame.text("a", isFinal: false).bytes + ClientFrame.hex(hex)
        #expect(ReceivedInputs.check(between) == ReceivedInputs(failure: 1002))
    }

    @Test("the payload of a ping need not be UTF-8")
    func binaryPing() {
        let bytes = ClientFrame.hex("89 82 00 00 00 00 ff fe")
        var connection = WebSocketConnection()
        var storage = bytes
        storage.withUnsafeMutableBytes { all in
            var input = all
            guard case .ping(let payload)? = try? connection.next(&input, messageLimit: 10) else {
                Issue.record("no ping")
                return
            }
            #expect([UInt8](payload) == [0xFF, 0xFE])
        }
    }

    @Test("a thousand pings in a row leave nothing behind")
    func manyPings() {
        let frame = ClientFrame.ping(String(repeating: "x", count: 125))
        let bytes = Array(repeating: frame.bytes, count: 1000).flatMap { $0 }
        let outcome = ReceivedInputs(feeding: [bytes, ClientFrame.hex("89 fe 00 7e 00 00 00 00")])
        #expect(outcome.inputs.count == 1000)
        #expect(outcome.failure == 1002)
    }

    @Test("control frames between fragments come at once and leave the message whole")
    func betweenFragments() {
        let frames: [ClientFrame] = [
            .text("{\"type\":\"sub", isFinal: false), .ping("A"), .pong("B"), .ping(), .ping("C"),
            .continuation([UInt8]("scribe\"".utf8), isFinal: false), .pong(), .continuation([UInt8]("}".utf8)),
            .text("next"),
        ]
        #expect(
            ReceivedInputs.check(frames.bytes)
                == ReceivedInputs([
                    .ping("A"), .pong("B"), .ping(""), .ping("C"), .pong(""), .text("{\"type\":\"subscribe\"}"),
                    .text("next"),
                ]))
    }

    @Test("a ping between the halves of a message, byte for byte")
    func publicFault() {
        let bytes = ClientFrame.hex("01 81 00 00 00 00 78 89 81 00 00 00 00 41 80 81 00 00 00 00 79")
        #expect(ReceivedInputs.check(bytes) == ReceivedInputs([.ping("A"), .text("xy")]))
    }
}

@Suite("The close frame (RFC 6455 §5.5.1 and §7.4)")
struct CloseFrameTests {
    @Test("an empty one has no code")
    func empty() {
        #expect(ReceivedInputs.check(ClientFrame.hex("88 80 00 00 00 00")) == ReceivedInputs([.close(nil, "")]))
    }

    @Test(
        "codes that a peer may send are taken",
        arguments: [
            1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4001, 4999,
        ] as [UInt16])
    func validCodes(code: UInt16) {
        let bytes = ClientFrame.close(code, [UInt8]("bye".utf8)).bytes
        #expect(ReceivedInputs.check(bytes) == ReceivedInputs([.close(code, "bye")]))
        #expect(ReceivedInputs.check(ClientFrame.close(code).bytes) == ReceivedInputs([.close(code, "")]))
    }

    @Test(
        "codes that must not be on the wire are refused",
        arguments: [
            0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 9999, 65_535,
        ] as [UInt16])
    func invalidCodes(code: UInt16) {
        #expect(ReceivedInputs.check(ClientFrame.close(code).bytes) == ReceivedInputs(failure: 1002))
        #expect(!CloseCode(rawValue: code).mayBeReceived)
        #expect(!CloseCode(rawValue: code).mayBeSent)
    }

    @Test(
        "the payloads of the public faults",
        arguments: [
            ("88 82 00 00 00 00 00 00", 1002), ("88 82 00 00 00 00 03 e7", 1002), ("88 82 00 00 00 00 03 ec", 1002),
            ("88 82 00 00 00 00 03 ed", 1002), ("88 82 00 00 00 00 03 ee", 1002), ("88 82 00 00 00 00 03 f7", 1002),
            ("88 82 00 00 00 00 03 f8", 1002), ("88 82 00 00 00 00 0b b7", 1002), ("88 81 00 00 00 00 03", 1002),
            ("88 83 00 00 00 00 03 e8 ff", 1007), ("88 84 00 00 00 00 03 e8 e2 82", 1007),
            ("88 85 00 00 00 00 03 e8 ed a0 80", 1007),
        ] as [(String, UInt16)])
    func publicFaults(hex: String, code: UInt16) {
        #expect(ReceivedInputs.check(ClientFrame.hex(hex)) == ReceivedInputs(failure: code))
    }

    @Test("a reason of 123 bytes fits, one of 124 does not")
    func longestReason() {
        let reason = String(repeating: "r", count: 123)
        let bytes = ClientFrame.close(1000, [UInt8](reason.utf8)).bytes
        #expect(ReceivedInputs.check(bytes) == ReceivedInputs([.close(1000, reason)]))
        let longer = ClientFrame.close(1000, [UInt8](repeating: 0x72, count: 124)).bytes
        #expect(ReceivedInputs.check(longer) == ReceivedInputs(failure: 1002))
    }

    @Test("inside a fragmented message it is an orderly close")
    func insideMessage() {
        let frames: [ClientFrame] = [.text("begun", isFinal: false), .close(1000, [UInt8]("done".utf8))]
        #expect(ReceivedInputs.check(frames.bytes) == ReceivedInputs([.close(1000, "done")]))
    }

    @Test("messages before it count, nothing after it does")
    func nothingAfter() {
        let frames: [ClientFrame] = [.text("sub"), .close(1000), .text("late"), .ping("late")]
        let expected = ReceivedInputs([.text("sub"), .close(1000, "")])
        #expect(ReceivedInputs.check(frames.bytes) == expected)
        #expect(ReceivedInputs.check(frames.bytes + ClientFrame.hex("ff ff ff")) == expected)
    }

    @Test("after it the connection is over and takes whatever comes as used")
    func over() throws {
        var connection = WebSocketConnection()
        var storage = ([ClientFrame.close(1001), .text("late")] as [ClientFrame]).bytes
        try storage.withUnsafeMutableBytes { all in
            var input = all
            #expect(!connection.isOver)
            guard case .close(.goingAway?, _)? = try connection.next(&input, messageLimit: 10) else {
                Issue.record("no close")
                return
            }
            #expect(connection.isOver)
            #expect(input.isEmpty)
            input = all
            let last = try connection.next(&input, messageLimit: 10)
            #expect(last == nil)
            #expect(input.isEmpty)
        }
    }
}
