import Testing

@testable import TiffinLiveCore

@Suite("Messages and their fragments (RFC 6455 §5.4)")
struct MessageTests {
    @Test("several messages in one read come one by one and in order")
    func inOrder() {
        let frames: [ClientFrame] = [.text("one"), .binary([2]), .ping("three"), .text(""), .binary([])]
        #expect(
            ReceivedInputs.check(frames.bytes)
                == ReceivedInputs([.text("one"), .binary([2]), .ping("three"), .text(""), .binary([])]))
    }

    @Test("fragments are put together, empty ones too")
    func fragments() {
        let frames: [ClientFrame] = [
            .text("", isFinal: false), .continuation([], isFinal: false), .continuation([0x61], isFinal: false),
            .continuation([]), .binary([1, 2], isFinal: false), .continuation([3]), .binary([], isFinal: false),
            .continuation([]),
        ]
        #expect(
            ReceivedInputs.check(frames.bytes)
                == ReceivedInputs([.text("a"), .binary([1, 2, 3]), .binary([])]))
    }

    @Test("what came before an error is handed out first")
    func errorAfterMessages() {
        let good: [ClientFrame] = [.text("one"), .ping("two")]
        for bad in ["c1 80 00 00 00 00", "83 80 00 00 00 00", "81 00", "80 80 00 00 00 00"] {
            let bytes = good.bytes + ClientFrame.hex(bad) + ClientFrame.text("late").bytes
            #expect(ReceivedInputs.check(bytes) == ReceivedInputs([.text("one"), .ping("two")], failure: 1002))
        }
    }

    @Test("a continuation without a message is refused")
    func strayContinuation() {
        let expected = ReceivedInputs(failure: 1002)
        #expect(ReceivedInputs.check(ClientFrame.continuation([0x61]).bytes) == expected)
        #expect(ReceivedInputs.check(ClientFrame.continuation([0x61], isFinal: false).bytes) == expected)
        let afterWhole: [ClientFrame] = [.text("a"), .continuation([0x62])]
        #expect(ReceivedInputs.check(afterWhole.bytes) == ReceivedInputs([.text("a")], failure: 1002))
        let afterEnd: [ClientFrame] = [.text("a", isFinal: false), .continuation([0x62]), .continuation([0x63])]
        #expect(ReceivedInputs.check(afterEnd.bytes) == ReceivedInputs([.text("ab")], failure: 1002))
    }

    @Test("a new message inside a message is refused", arguments: [0x1, 0x2] as [UInt8])
    func newMessageInside(opcode: UInt8) {
        for isFinal in [true, false] {
            let second = ClientFrame(opcode: opcode, payload: [0x62], isFinal: isFinal)
            let frames: [ClientFrame] = [.text("a", isFinal: false), .ping(), second]
            #expect(ReceivedInputs.check(frames.bytes) == ReceivedInputs([.ping("")], failure: 1002))
        }
    }

    @Test("a message of 65,536 fragments is put together")
    func manyFragments() {
        let part = [UInt8](repeating: 0x2A, count: 64)
        let middle = ClientFrame.continuation(part, isFinal: false).bytes
        var bytes = ClientFrame.text(String(repeating: "*", count: 64), isFinal: false).bytes
        bytes.reserveCapacity(65_536 * 70)
        for _ in 0..<65_534 { bytes += middle }
        bytes += ClientFrame.continuation(part).bytes
        let chunks = stride(from: 0, to: bytes.count, by: 65_536).map {
            Array(bytes[$0..<min($0 + 65_536, bytes.count)])
        }
        let outcome = ReceivedInputs(feeding: chunks, limit: 4_194_304)
        #expect(outcome == ReceivedInputs([.text(String(repeating: "*", count: 4_194_304))]))
    }

    @Test("a message of 16 MiB comes through, one byte more does not")
    func largest() {
        let limit = 16 * 1_048_576
        var chunks = [ClientFrame.hex("82 ff 00 00 00 00 01 00 00 00 01 02 03 04")]
        chunks += Array(repeating: [UInt8](repeating: 0, count: 65_536), count: 256)
        let outcome = ReceivedInputs(feeding: chunks, limit: limit)
        guard case .binary(let payload)? = outcome.inputs.first else {
            Issue.record("no message but \(outcome.failure ?? 0)")
            return
        }
        #expect(payload.count == limit)
        #expect(payload.prefix(6) == [1, 2, 3, 4, 1, 2])
        #expect(payload.suffix(2) == [3, 4])
        #expect(ReceivedInputs(feeding: chunks, limit: limit - 1).failure == 1009)
    }
}

@Suite("The limit on a message")
struct MessageLimitTests {
    static let limit = 64

    static func outcome(_ frames: [ClientFrame]) -> ReceivedInputs {
        ReceivedInputs.check(frames.bytes, limit: limit)
    }

    @Test("exactly the limit is taken, in one frame or in several")
    func exact() {
        let whole = [UInt8](repeating: 7, count: 64)
        #expect(Self.outcome([.binary(whole)]) == ReceivedInputs([.binary(whole)]))
        let parts: [ClientFrame] = [
            .binary(Array(whole.prefix(40)), isFinal: false), .ping("p"),
            .continuation(Array(whole.prefix(24)), isFinal: false), .continuation([]),
        ]
        #expect(Self.outcome(parts) == ReceivedInputs([.ping("p"), .binary(whole)]))
    }

    @Test("one byte more is not, in one frame or in several")
    func oneMore() {
        #expect(Self.outcome([.binary([UInt8](repeating: 7, count: 65))]) == ReceivedInputs(failure: 1009))
        let parts: [ClientFrame] = [
            .binary([UInt8](repeating: 7, count: 64), isFinal: false), .pong("p"), .continuation([1]),
        ]
        #expect(Self.outcome(parts) == ReceivedInputs([.pong("p")], failure: 1009))
    }

    @Test("the announcement alone is enough to refuse")
    func announced() {
        let declared = ClientFrame.hex("82 ff 00 00 00 00 40 00 00 00 00 00 00 00")
        #expect(ReceivedInputs.check(declared) == ReceivedInputs(failure: 1009))
        let continued = ClientFrame.binary([1], isFinal: false).bytes + ClientFrame.hex("80 c0 00 00 00 00")
        #expect(ReceivedInputs.check(continued, limit: Self.limit) == ReceivedInputs(failure: 1009))
    }

    @Test("fragments without an end are refused once their sum is over the limit, pongs between or not")
    func endless() {
        let kilobyte = [UInt8](repeating: 0, count: 1024)
        var chunks = [ClientFrame.binary(kilobyte, isFinal: false).bytes]
        for _ in 0..<200 {
            chunks.append(ClientFrame.pong().bytes + ClientFrame.continuation(kilobyte, isFinal: false).bytes)
        }
        let outcome = ReceivedInputs(feeding: chunks, limit: 65_536)
        #expect(outcome.failure == 1009)
        #expect(outcome.failedChunk == 64)
        #expect(outcome.inputs == Array(repeating: .pong(""), count: 64))
    }

    @Test("a control frame does not count, and each message starts from zero")
    func fresh() {
        let half = [UInt8](repeating: 1, count: 60)
        let frames: [ClientFrame] = [
            .binary(half), .ping(String(repeating: "x", count: 125)), .binary(half, isFinal: false), .continuation([]),
            .binary(half),
        ]
        let outcome = Self.outcome(frames)
        #expect(outcome.failure == nil)
        #expect(outcome.inputs.count == 4)
    }

    @Test("a limit of zero lets empty messages through")
    func zero() {
        let frames: [ClientFrame] = [.text(""), .text("a")]
        #expect(ReceivedInputs.check(frames.bytes, limit: 0) == ReceivedInputs([.text("")], failure: 1009))
    }
}
