import Testing

@testable import TiffinLiveCore

@Suite("RESP: commands")
struct RESPEncoderTests {
    @Test("a command is an array of bulk strings")
    func plain() {
        let buffer = ByteBuffer()
        RESPEncoder.append(["SET", "k", ""], to: buffer)
        RESPEncoder.append(["PING"], to: buffer)
        #expect(
            String(decoding: buffer.array, as: UTF8.self)
                == "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n*1\r\n$4\r\nPING\r\n")
    }

    @Test("no argument can end a command: what is written reads back, whatever bytes it holds", arguments: 0..<50)
    func roundTrip(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let commands: [[[UInt8]]] = (0..<8).map { _ in
            (0..<Int.random(in: 1...6, using: &random)).map { _ in
                (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    Bool.random(using: &random)
                        ? ([13, 10, 36, 42, 0] as [UInt8])[Int.random(in: 0..<5, using: &random)]
                        : UInt8.random(in: 0...255, using: &random)
                }
            }
        }
        let buffer = ByteBuffer()
        for command in commands { RESPEncoder.append(command, to: buffer) }
        #expect(
            RESPOutcome.of(buffer.array) == RESPOutcome(commands.map { .array($0.map { .bulkString($0) }) }))
    }
}
