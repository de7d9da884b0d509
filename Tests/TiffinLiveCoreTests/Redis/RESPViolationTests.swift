import Testing

@testable import TiffinLiveCore

@Suite("RESP: what is none, and what is too much")
struct RESPViolationTests {
    @Test(
        "a violation ends the stream, at the same place however it is cut",
        arguments: [
            ("xyz\r\n", .unknownType(UInt8(ascii: "x"))),
            ("\r\n", .unknownType(13)),
            ("HTTP/1.1 200 OK\r\n", .unknownType(UInt8(ascii: "H"))),
            (":abc\r\n", .malformedNumber),
            (":\r\n", .malformedNumber),
            (":-\r\n", .malformedNumber),
            (":1.5\r\n", .malformedNumber),
            (": 1\r\n", .malformedNumber),
            (":9223372036854775808\r\n", .malformedNumber),
            (":-9223372036854775809\r\n", .malformedNumber),
            (",abc\r\n", .malformedNumber),
            (",0x10\r\n", .malformedNumber),
            (",infinity\r\n", .malformedNumber),
            (",\r\n", .malformedNumber),
            ("(12a\r\n", .malformedNumber),
            ("(\r\n", .malformedNumber),
            ("#x\r\n", .malformedBoolean),
            ("#true\r\n", .malformedBoolean),
            ("_x\r\n", .malformedNull),
            ("$-5\r\n", .malformedLength),
            ("$-0\r\n", .malformedLength),
            ("$+5\r\n", .malformedLength),
            ("$\r\n", .malformedLength),
            ("$?\r\n", .malformedLength),
            ("*?\r\n", .malformedLength),
            ("*-2\r\n", .malformedLength),
            ("~-1\r\n", .malformedLength),
            ("%-1\r\n", .malformedLength),
            (">-1\r\n", .malformedLength),
            ("!-1\r\n", .malformedLength),
            ("=-1\r\n", .malformedLength),
            ("$5\r\nabcdeXX", .malformedLineEnd),
            ("$5\r\nabcde\rX", .malformedLineEnd),
            ("$0\r\nX", .malformedLineEnd),
            ("$3\r\nabcd\r\n", .malformedLineEnd),
            ("+OK\n", .malformedLineEnd),
            ("+OK\rX", .malformedLineEnd),
            ("+a\r\r\n", .malformedLineEnd),
            (":1\n", .malformedLineEnd),
            ("=3\r\ntxt\r\n", .malformedVerbatimString),
            ("=5\r\ntxt-a\r\n", .malformedVerbatimString),
            ("*2\r\n+a\r\n>0\r\n", .misplacedPush),
            ("$9999999999999\r\n", .bulkTooLong),
            ("$99999999999999999999999\r\n", .malformedLength),
            ("*2147483647\r\n", .tooManyElements),
            ("%9223372036854775807\r\n", .tooManyElements),
            ("|4611686018427387904\r\n", .tooManyElements),
            (":" + String(repeating: "1", count: 100), .lineTooLong),
            (":" + String(repeating: "1", count: 100) + "\r\n", .lineTooLong),
        ] as [(String, RESPError)])
    func violations(_ text: String, _ error: RESPError) {
        #expect(RESPOutcome.of(text) == RESPOutcome([], error: error))
        #expect(RESPOutcome.of("+OK\r\n" + text) == RESPOutcome([.simpleString("OK")], error: error))
    }

    @Test("nothing comes after a violation")
    func afterwards() {
        var decoder = RESPDecoder()
        for _ in 0..<2 {
            Array("?\r\n+OK\r\n".utf8).withUnsafeBytes { bytes in
                var input = bytes
                #expect(throws: RESPError.unknownType(UInt8(ascii: "?"))) { try decoder.next(&input) }
            }
        }
    }

    @Test("sixteen levels are read, a hundred are not")
    func depth() {
        let sixteen = String(repeating: "*1\r\n", count: 16) + ":1\r\n"
        let value = (0..<16).reduce(RESPValue.integer(1)) { value, _ in .array([value]) }
        #expect(RESPOutcome.of(sixteen) == RESPOutcome([value]))
        #expect(RESPOutcome.of(String(repeating: "*1\r\n", count: 17)) == RESPOutcome([], error: .tooDeep))
        #expect(RESPOutcome.of(String(repeating: "*1\r\n", count: 100) + ":1\r\n") == RESPOutcome([], error: .tooDeep))
        #expect(RESPOutcome.of(String(repeating: "%1\r\n", count: 100)) == RESPOutcome([], error: .tooDeep))
    }

    @Test("lengths up to the limit are taken, one more is not")
    func limits() {
        var limits = RESPLimits()
        limits.bulk = 4
        limits.elements = 4
        limits.reply = 30
        limits.line = 6
        #expect(RESPOutcome.of("$4\r\nabcd\r\n", limits: limits) == RESPOutcome([.bulkString("abcd")]))
        #expect(RESPOutcome.of("$5\r\n", limits: limits) == RESPOutcome([], error: .bulkTooLong))
        #expect(RESPOutcome.of("!5\r\n", limits: limits) == RESPOutcome([], error: .bulkTooLong))
        #expect(RESPOutcome.of("+abcdef\r\n", limits: limits) == RESPOutcome([.simpleString("abcdef")]))
        #expect(RESPOutcome.of("+abcdefg\r\n", limits: limits) == RESPOutcome([], error: .lineTooLong))
        #expect(RESPOutcome.of("*5\r\n", limits: limits) == RESPOutcome([], error: .tooManyElements))
        #expect(RESPOutcome.of("%3\r\n", limits: limits) == RESPOutcome([], error: .tooManyElements))
        #expect(RESPOutcome.of("*2\r\n*2\r\n:1\r\n:2\r\n*1\r\n", limits: limits).error == .tooManyElements)
        let words = "*4\r\n" + String(repeating: "$4\r\nabcd\r\n", count: 4)
        #expect(
            RESPOutcome.of(words, limits: limits)
                == RESPOutcome([.array(.init(repeating: .bulkString("abcd"), count: 4))]))
        limits.reply = 25
        #expect(RESPOutcome.of(words, limits: limits) == RESPOutcome([], error: .replyTooLarge))
        // The limits are those of a reply and not of the stream.
        let many = String(repeating: "*2\r\n:1\r\n:2\r\n", count: 50)
        #expect(RESPOutcome.of(many, limits: limits).values.count == 50)
    }

    @Test("a declared length takes no memory")
    func declaredLength() throws {
        // A thousand readers that have been promised 64 MiB each: 64 GB if they believed it.
        var decoders: [RESPDecoder] = []
        for _ in 0..<1000 {
            var decoder = RESPDecoder()
            try Array("*1000000\r\n$67108864\r\nabc".utf8).withUnsafeBytes { bytes in
                var input = bytes
                let value = try decoder.next(&input)
                #expect(value == nil && input.isEmpty)
            }
            decoders.append(decoder)
        }
        #expect(decoders.allSatisfy { $0.isInsideValue })
    }

    @Test("a reply of two hundred thousand bytes one at a time takes linear time")
    func linear() throws {
        var decoder = RESPDecoder()
        let head = Array("$200000\r\n".utf8)
        let bytes = head + [UInt8](repeating: 0x61, count: 200_000) + [13, 10]
        var found: RESPValue?
        try bytes.withUnsafeBytes { all in
            for index in 0..<all.count {
                var input = UnsafeRawBufferPointer(rebasing: all[index..<(index + 1)])
                if let value = try decoder.next(&input) { found = value }
            }
        }
        #expect(found?.bytes?.count == 200_000)
    }
}
