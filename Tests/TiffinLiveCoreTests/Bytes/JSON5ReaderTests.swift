import Testing

@testable import TiffinLiveCore

/// json5.org, version 1.0.0.
@Suite("JSON5 reader")
struct JSON5ReaderTests {
    typealias Value = JSON5Node.Value

    private func read(_ text: String) throws(JSON5Error) -> JSON5Node {
        try JSON5Reader.read(Array(text.utf8))
    }

    /// The error of a text that must be refused.
    private func refusal(_ text: String) throws -> JSON5Error {
        try #require(throws: JSON5Error.self) { try JSON5Reader.read(Array(text.utf8)) }
    }

    @Test(
        "plain values are read",
        arguments: [
            ("null", Value.null), ("true", .bool(true)), ("false", .bool(false)), ("\"a\"", .string("a")),
            ("'a'", .string("a")), ("[]", .array([])), ("{}", .object([])), (" \t\n 'x' \r\n", .string("x")),
            ("\u{FEFF}1", .number(JSONNumber(text: "1"))), ("\u{A0}\u{2003}'x'\u{2028}", .string("x")),
        ])
    func plainValues(text: String, expected: Value) throws {
        #expect(try read(text).value == expected)
    }

    @Test(
        "numbers are rewritten in the grammar of RFC 8259",
        arguments: [
            ("0", "0"), ("12", "12"), ("-3", "-3"), ("+3", "3"), (".5", "0.5"), ("5.", "5"), ("-.5", "-0.5"),
            ("0x10", "16"), ("0XfF", "255"), ("-0x1", "-1"), ("1e3", "1e3"), ("1E+3", "1e3"), ("1.25e-2", "1.25e-2"),
            ("0xFFFFFFFFFFFFFFFF", "18446744073709551615"), ("Infinity", "Infinity"), ("-Infinity", "-Infinity"),
            ("+NaN", "NaN"), ("0.0", "0.0"), ("99999999999999999999", "99999999999999999999"),
        ])
    func numbers(text: String, expected: String) throws {
        #expect(try read(text).value == .number(JSONNumber(text: expected)))
    }

    @Test(
        "texts that are no numbers are refused",
        arguments: [
            "01", "00", "+", "-", ".", "e3", "1e", "1e+", "0x", "0xg", "0x10000000000000000", "1.2.3", "30s", "1_000",
            "--1", "+-1", "-true", "0x1p", "Infinityx", "- 1",
        ])
    func malformedNumbers(text: String) throws {
        _ = try refusal(text)
    }

    @Test(
        "escapes in strings are decoded",
        arguments: [
            (#""\b\f\n\r\t\v\0""#, "\u{8}\u{C}\n\r\t\u{B}\0"), (#"'\'\"\\\/\a'"#, "'\"\\/a"), (#""\x41\xe9""#, "Aé"),
            (#""\u0041\u20AC""#, "A€"), (#""\uD83D\uDE00""#, "😀"), ("'a\\\nb'", "ab"), ("'a\\\r\nb'", "ab"),
            ("'a\\\u{2028}b'", "ab"), ("'\u{2028}'", "\u{2028}"), ("'\"'", "\""), ("\"'\"", "'"), ("'é😀'", "é😀"),
        ])
    func strings(text: String, expected: String) throws {
        #expect(try read(text).value == .string(expected))
    }

    @Test(
        "broken strings are refused",
        arguments: [
            "'", "\"a", "'a\"", "'a\nb'", "\"a\rb\"", #""\x4""#, #""\u12G4""#, #""\uD83D""#, #""\uDE00""#,
            #""\uD83Dx""#, #""\uD83D\u0041""#, #""\1""#, #""\01""#, "'\\",
        ])
    func brokenStrings(text: String) throws {
        _ = try refusal(text)
    }

    @Test("names need no quotes when they are identifiers")
    func names() throws {
        let node = try read(#"{ a: 1, $b_2: 2, 'c d': 3, "e": 4, é: 5, \u0066: 6, null: 7, if: 8, Infinity: 9 }"#)
        guard case .object(let members) = node.value else {
            Issue.record("no object")
            return
        }
        #expect(members.map(\.name) == ["a", "$b_2", "c d", "e", "é", "f", "null", "if", "Infinity"])
    }

    @Test("broken names are refused", arguments: ["{1:1}", "{a-b:1}", "{:1}", "{\\x41:1}", "{\\u0020:1}", "{-a:1}"])
    func brokenNames(text: String) throws {
        _ = try refusal(text)
    }

    @Test("comments and trailing commas are skipped")
    func commentsAndCommas() throws {
        let node = try read(
            """
            // first
            { /* a */ a /**/ : /* * / */ [1, 2,], // to the end
              b: {c: null,}, /* over
              two lines */ }
            // last, without an end of line
            """)
        guard case .object(let members) = node.value else {
            Issue.record("no object")
            return
        }
        #expect(members.map(\.name) == ["a", "b"])
        guard case .array(let elements) = members[0].value.value else {
            Issue.record("no array")
            return
        }
        #expect(elements.map(\.value) == [.number(JSONNumber(text: "1")), .number(JSONNumber(text: "2"))])
    }

    @Test(
        "broken structure is refused",
        arguments: [
            "", "   ", "// only a comment", "[", "{", "[1", "{a", "{a:", "{a:1", "[1 2]", "{a:1 b:2}", "{a 1}", "[,]",
            "{,}", "[1,,2]", "{a:1,,}", "1 2", "{} x", "]", "/* open", "/", "tru", "undefined", "[1}", "{a:1]", "#",
        ])
    func brokenStructure(text: String) throws {
        _ = try refusal(text)
    }

    @Test(
        "every value and member knows its line, whatever ends the lines",
        arguments: ["\n", "\r\n", "\r"])
    func lines(end: String) throws {
        let text = ["{ // one", "  a: [", "    1,", "    /* four", "    five */ 2 ],", "  'b':", "  {} }"]
        let node = try read(text.joined(separator: end))
        #expect(node.line == 1)
        guard case .object(let members) = node.value, case .array(let elements) = members[0].value.value else {
            Issue.record("another shape")
            return
        }
        #expect(members.map(\.line) == [2, 6])
        #expect(elements.map(\.line) == [3, 5])
        #expect(members[1].value.line == 7)
    }

    @Test(
        "an error names its line",
        arguments: [
            ("{\n a: 1,\n b: }", 3), ("[\n1\n2]", 3), ("'a\nb'", 1), ("\n\n", 3), ("{\n a: 30s }", 2),
            ("/*\n\n", 3), ("{a: 1}\n\nx", 3), ("{\r\n a: 'x\r\n }", 2),
        ])
    func errorLines(text: String, line: Int) throws {
        #expect(try refusal(text).line == line)
    }

    @Test("an error names the key that it happened in")
    func errorKey() throws {
        let error = try refusal("{ a: { \"/x.y\": { b: 30s } } }")
        #expect(error.key == "a.\"/x.y\".b")
        #expect(error.message.contains("quotes"))
    }

    @Test("a doubled name is an error with its key and both lines, also when an escape hides it")
    func doubledNames() throws {
        let error = try refusal("{\n limits: {\n  header: 1,\n  'he\\x61der': 2 } }")
        #expect(error.line == 4)
        #expect(error.key == "limits.header")
        #expect(error.message.contains("line 3"))
    }

    @Test("all doubled names are collected and the first value of each stands")
    func collectedDoubledNames() throws {
        var doubled: [JSON5Error] = []
        let node = try JSON5Reader.read(Array("{a:1,a:2,b:{c:1,c:2},a:3}".utf8), doubled: &doubled)
        #expect(doubled.map(\.key) == ["a", "b.c", "a"])
        guard case .object(let members) = node.value else {
            Issue.record("no object")
            return
        }
        #expect(members.map(\.name) == ["a", "b"])
        #expect(members[0].value.value == .number(JSONNumber(text: "1")))
    }

    @Test("32 levels are read and 33 refused")
    func depth() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        _ = try read(nested(32))
        #expect(try refusal(nested(33)).message.contains("32"))
        #expect(try refusal(String(repeating: "{a:", count: 100_000)).message.contains("32"))
    }

    @Test(
        "bytes that are not UTF-8 are refused with their line",
        arguments: [[0x80], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0xAF]] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) throws {
        let text = Array("{\n a: '".utf8) + bytes + Array("' }".utf8)
        let error = try #require(throws: JSON5Error.self) { try JSON5Reader.read(text) }
        #expect(error.line == 2)
    }

    @Test("every cut of a text is refused, none traps")
    func cuts() throws {
        let text = Array("{ a: [1, 0x2F, .5e-3], 'b\\u0041': /* c */ \"\\uD83D\\uDE00\", } ".utf8)
        _ = try JSON5Reader.read(text)
        for length in 0..<(text.count - 2) {
            #expect(throws: JSON5Error.self) { try JSON5Reader.read(Array(text[..<length])) }
        }
    }

    @Test("random bytes are refused or read, never a trap")
    func randomBytes() {
        var random = SeededRandom(seed: 7)
        let alphabet = Array("{}[]:,'\"\\/*ux0123456789aeInN+-. \n\r".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<24, using: &random)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
            }
            _ = try? JSON5Reader.read(bytes)
        }
    }
}
