import Testing

@testable import TiffinLiveCore

@Suite("RESP: limits to the byte")
struct RESPLimitEdgeTests {
    private func limits(_ change: (inout RESPLimits) -> Void) -> RESPLimits {
        var limits = RESPLimits()
        change(&limits)
        return limits
    }

    @Test(
        "a line with a number, a length or a boolean has at most 64 bytes behind its type",
        arguments: [":", "$", "*", "_", "#", ",", "!", "=", "%", "~", ">", "|"])
    func shortLines(_ type: String) {
        #expect(RESPOutcome.of(type + String(repeating: "0", count: 65) + "\r\n").error == .lineTooLong)
        #expect(RESPOutcome.of(type + String(repeating: "0", count: 65)).error == .lineTooLong)
        #expect(RESPOutcome.of(type + String(repeating: "0", count: 64) + "\r\n").error != .lineTooLong)
    }

    @Test("a long line is one of text, an error or a big number", arguments: ["+", "-", "("])
    func longLines(_ type: String) {
        let limits = limits { $0.line = 100 }
        #expect(RESPOutcome.of(type + String(repeating: "1", count: 100) + "\r\n", limits: limits).values.count == 1)
        #expect(RESPOutcome.of(type + String(repeating: "1", count: 101), limits: limits).error == .lineTooLong)
    }

    @Test("lines count towards the size of a reply with their type, data with its length")
    func replySize() {
        // "*2" is 2 bytes, ":1" 2, "$3" 2 and its data 3: 9 in all.
        let text = "*2\r\n:1\r\n$3\r\nabc\r\n"
        #expect(RESPOutcome.of(text, limits: limits { $0.reply = 9 }).values.count == 1)
        #expect(RESPOutcome.of(text, limits: limits { $0.reply = 8 }).error == .replyTooLarge)
        #expect(RESPOutcome.of(text + text + text, limits: limits { $0.reply = 9 }).values.count == 3)
        let integers = "*9\r\n" + String(repeating: ":1\r\n", count: 9)
        #expect(RESPOutcome.of(integers, limits: limits { $0.reply = 20 }).values.count == 1)
        #expect(RESPOutcome.of(integers, limits: limits { $0.reply = 19 }).error == .replyTooLarge)
    }

    @Test("elements count over all aggregates of a reply, and anew for the next")
    func elements() {
        let limits = limits { $0.elements = 6 }
        let nested = "*2\r\n*2\r\n:1\r\n:2\r\n%1\r\n:3\r\n:4\r\n"
        #expect(RESPOutcome.of(nested, limits: limits).values.count == 1)
        #expect(RESPOutcome.of(nested + nested, limits: limits).values.count == 2)
        #expect(RESPOutcome.of("*3\r\n*2\r\n:1\r\n:2\r\n%1\r\n", limits: limits).error == .tooManyElements)
        #expect(RESPOutcome.of("%3\r\n" + String(repeating: ":1\r\n", count: 6), limits: limits).values.count == 1)
        #expect(RESPOutcome.of("%4\r\n", limits: limits).error == .tooManyElements)
        #expect(RESPOutcome.of("|2\r\n+a\r\n+b\r\n+c\r\n+d\r\n*3\r\n", limits: limits).error == .tooManyElements)
    }

    @Test("a verbatim string has a format of three bytes and a colon, and may be empty behind it")
    func verbatim() {
        #expect(RESPOutcome.of("=3\r\n").error == .malformedVerbatimString)
        #expect(RESPOutcome.of("=0\r\n").error == .malformedVerbatimString)
        #expect(RESPOutcome.of("=4\r\nabc:\r\n") == RESPOutcome([.verbatimString(format: Array("abc".utf8), [])]))
        #expect(RESPOutcome.of("=4\r\nabcd\r\n").error == .malformedVerbatimString)
    }

    @Test("a bulk error has a code like any other, and is one element where it stands")
    func bulkErrors() {
        #expect(
            RESPOutcome.of("*2\r\n!6\r\nOOM no\r\n!0\r\n\r\n")
                == RESPOutcome([.array([.error("OOM", "OOM no"), .error("ERR", "")])]))
    }

    @Test("only outermost is a push one, also behind an attribute inside a value")
    func pushes() {
        #expect(RESPOutcome.of(">1\r\n+a\r\n>1\r\n+b\r\n").values.count == 2)
        for text in ["*1\r\n>1\r\n", ">1\r\n>1\r\n", "|1\r\n>1\r\n", "%1\r\n+k\r\n>0\r\n"] {
            #expect(RESPOutcome.of(text).error == .misplacedPush, "\(text)")
        }
    }
}
