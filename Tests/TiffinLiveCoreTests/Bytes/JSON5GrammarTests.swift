import Testing

@testable import TiffinLiveCore

@Suite("json5.org: the grammar, rule by rule")
struct JSON5GrammarTests {
    typealias Value = JSON5Node.Value

    private static func value(_ text: String) -> Value? {
        try? JSON5Reader.read(Array(text.utf8)).value
    }

    private static func names(_ text: String) -> [String]? {
        guard case .object(let members)? = value(text) else { return nil }
        return members.map(\.name)
    }

    // MARK: Section 6, numbers

    @Test(
        "decimal numbers, with the points and signs that JSON does not know",
        arguments: [
            ("0", "0"),
            ("-0", "-0"),
            ("+0", "0"),
            ("0.", "0"),
            ("-0.", "-0"),
            (".0", "0.0"),
            ("+.5", "0.5"),
            ("-.5e1", "-0.5e1"),
            ("1.", "1"),
            ("1.e1", "1e1"),
            ("1.E-1", "1e-1"),
            ("0e0", "0e0"),
            ("0.5E+05", "0.5e05"),
            ("10", "10"),
            ("100", "100"),
            ("1.10", "1.10"),
            ("9007199254740993", "9007199254740993"),
            ("1e400", "1e400"),
        ])
    func decimals(_ text: String, _ expected: String) {
        #expect(Self.value(text) == .number(JSONNumber(text: expected)))
        #expect(Self.value("[\(text)]") != nil)
        #expect(Self.value("{a:\(text)}") != nil)
        // What was rewritten is JSON, and means what was written.
        #expect(JSONText.isValid(expected))
    }

    @Test(
        "hexadecimal numbers become decimal",
        arguments: [
            ("0x0", "0"), ("0X0", "0"), ("0x00", "0"), ("0xa", "10"), ("0xA", "10"), ("0xaBcDeF", "11259375"),
            ("+0x10", "16"), ("-0x10", "-16"), ("-0x0", "-0"), ("0x7fffffffffffffff", "9223372036854775807"),
            ("0xffffffffffffffff", "18446744073709551615"), ("0x00000000000000000001", "1"),
        ])
    func hexadecimals(_ text: String, _ expected: String) {
        #expect(Self.value(text) == .number(JSONNumber(text: expected)))
    }

    @Test(
        "infinities and not-a-number, with their signs",
        arguments: [
            ("Infinity", "Infinity"), ("+Infinity", "Infinity"), ("-Infinity", "-Infinity"), ("NaN", "NaN"),
            ("+NaN", "NaN"), ("-NaN", "-NaN"),
        ])
    func notFinite(_ text: String, _ expected: String) {
        #expect(Self.value(text) == .number(JSONNumber(text: expected)))
    }

    @Test(
        "no numbers",
        arguments: [
            "00", "01", "-01", "+01", "00.5", "01e1", "010", "08", "0x", "0X", "-0x", "0xG", "0x1G", "0x.1", "0x1.8",
            "0x1p1", "0x10000000000000000", "0xfffffffffffffffff", "0b1", "0o7", ".", "+.", "-.", ".e1", "1e", "1E",
            "1e+",
            "1e-", "1e.5", "1e1.5", "1e1e1", "1..2", "1.2.3", "++1", "--1", "+-1", "-+1", "- 1", "+ 1", "1_0", "1a",
            "1$",
            "1\\u0061", "0a", "1n", "1f", "5s", "5%", "infinity", "-infinity", "+nan", "Nan", "-Inf", "Infinity1",
            "NaNa",
            "-true", "+null", "1 000", "1,5", "\u{661}", "1\u{661}", "\u{FF11}",
        ])
    func noNumbers(_ text: String) {
        #expect(Self.value(text) == nil)
        #expect(Self.value("{a:\(text)}") == nil)
    }

    // MARK: Section 5, strings

    @Test("every escape of one character stands for what ECMAScript says")
    func everyEscape() {
        for code in UInt8(0x20)..<0x7F {
            let scalar = Unicode.Scalar(code)
            let value = Self.value("'\\\(scalar)'")
            let expected: String? =
                switch scalar {
                case "b": "\u{8}"
                case "f": "\u{C}"
                case "n": "\n"
                case "r": "\r"
                case "t": "\t"
                case "v": "\u{B}"
                case "0": "\0"
                case "1"..."9", "u", "x": nil
                default: String(scalar)
                }
            #expect(value == expected.map { .string($0) }, "\\\(scalar)")
        }
    }

    @Test(
        "escapes by number",
        arguments: [
            (#"\x00"#, "\u{0}"), (#"\x7F"#, "\u{7F}"), (#"\x80"#, "\u{80}"), (#"\xfF"#, "\u{FF}"), (#"\x411"#, "A1"),
            (#"\u0000"#, "\u{0}"), (#"\uFFFF"#, "\u{FFFF}"), (#"\uD7FF"#, "\u{D7FF}"), (#"\uE000"#, "\u{E000}"),
            (#"\uD800\uDC00"#, "\u{10000}"), (#"\uDBFF\uDFFF"#, "\u{10FFFF}"), (#"\ud83d\ude00"#, "\u{1F600}"),
            (#"\u00411"#, "A1"), (#"\0a"#, "\0a"), (#"\0\0"#, "\0\0"), (#"\\u0041"#, "\\u0041"),
        ])
    func numberedEscapes(_ inner: String, _ expected: String) {
        #expect(Self.value("'\(inner)'") == .string(expected))
        #expect(Self.value("\"\(inner)\"") == .string(expected))
    }

    @Test(
        "broken escapes",
        arguments: [
            #"\x"#, #"\x4"#, #"\xg1"#, #"\x4g"#, #"\x+1"#, #"\x 1"#, #"\u"#, #"\u004"#, #"\u004g"#, #"\u{41}"#,
            #"\u+041"#,
            #"\uD800"#, #"\uDBFF"#, #"\uDC00"#, #"\uDFFF"#, #"\uD800\uD800"#, #"\uD800\uDBFF"#, #"\uD800\uE000"#,
            #"\uD800a"#, #"\uD800\n"#, #"\uD800\"#, #"\uD800\u"#, #"\uD800\uDC0"#, #"\uDC00\uD800"#, #"\00"#, #"\09"#,
            #"\1"#, #"\8"#, #"\9"#, #"\x\u{E9}0"#,
        ])
    func brokenEscapes(_ inner: String) {
        #expect(Self.value("'\(inner)'") == nil)
        #expect(Self.value("\"\(inner)\"") == nil)
    }

    @Test(
        "an escaped end of line is no part of the text",
        arguments: [("\n", ""), ("\r", ""), ("\r\n", ""), ("\u{2028}", ""), ("\u{2029}", ""), ("\n\\\n", "")])
    func continuedLines(_ end: String, _ expected: String) {
        #expect(Self.value("'a\\\(end)b'") == .string("a\(expected)b"))
    }

    @Test("of the ends of line only U+2028 and U+2029 may stand in a text as they are")
    func endsInStrings() {
        #expect(Self.value("'a\u{2028}\u{2029}b'") == .string("a\u{2028}\u{2029}b"))
        #expect(Self.value("'a\nb'") == nil)
        #expect(Self.value("'a\rb'") == nil)
        #expect(Self.value("'a\\\r\rb'") == nil)
        #expect(Self.value("'a\\\n\nb'") == nil)
        #expect(Self.value("'a\tb\u{0}'") == .string("a\tb\u{0}"))
    }

    // MARK: Sections 7 and 8, comments and white space

    @Test(
        "white space",
        arguments: [
            "\t", "\u{B}", "\u{C}", " ", "\u{A0}", "\u{FEFF}", "\n", "\r", "\u{2028}", "\u{2029}", "\u{1680}",
            "\u{2000}",
            "\u{200A}", "\u{202F}", "\u{205F}", "\u{3000}",
        ])
    func whiteSpace(_ space: String) {
        #expect(Self.value("\(space)[\(space)1\(space),\(space)2\(space)]\(space)") != nil)
        #expect(Self.names("{\(space)a\(space):\(space)1\(space),\(space)}") == ["a"])
    }

    @Test(
        "no white space",
        arguments: ["\u{0}", "\u{1}", "\u{8}", "\u{1F}", "\u{7F}", "\u{85}", "\u{200B}", "\u{180E}", "\u{2060}"])
    func noWhiteSpace(_ other: String) {
        #expect(Self.value("\(other)1") == nil)
        #expect(Self.value("[1\(other)]") == nil)
        #expect(Self.value("1\(other)") == nil)
    }

    @Test(
        "comments end where they end",
        arguments: [
            "//\n1", "// x\r1", "// x\u{2028}1", "// x\u{2029}1", "///*\n1", "//\\\n1", "/**/1", "/***/1", "/* * / */1",
            "/*//*/1", "/* \n\n */1", "/*/ */1", "1//", "1/**/", "1//\u{2028}", "/**//**/1//",
        ])
    func comments(_ text: String) {
        #expect(Self.value(text) == .number(JSONNumber(text: "1")))
    }

    @Test(
        "no comments",
        arguments: [
            "/1", "/ /1", "/*1", "/*/1", "/* /1", "1/", "1/*", "1/*/", "#1", "--1", "<!-- -->1", "1 */", "/*/**/*/1",
        ])
    func noComments(_ text: String) {
        #expect(Self.value(text) == nil)
    }

    // MARK: Sections 3 and 4, objects and lists

    @Test(
        "names that need no quotes",
        arguments: [
            "a", "A", "_", "$", "$a", "_1", "a1", "a$_", "\u{E9}", "\u{3B1}", "\u{2160}", "\u{2B0}", "\u{1C5}",
            "\u{4E2D}",
            "a\u{301}", "a\u{903}", "a\u{661}", "a\u{203F}", "a\u{200C}b", "a\u{200D}b", "null", "true", "NaN", "class",
            "\u{1D49C}",
        ])
    func bareNames(_ name: String) {
        #expect(Self.names("{\(name):1}") == [name])
    }

    @Test(
        "names that need quotes",
        arguments: [
            "", "1", "1a", "-a", "a-b", "a.b", "a b", "a/b", "a@b", "\u{301}a", "\u{661}a", "\u{203F}a", "\u{200C}a",
            "\u{20AC}", "\u{1F600}", "a\u{1F600}", "#a", "a+", "(a)", "a:b",
        ])
    func quotedNames(_ name: String) {
        #expect(Self.names("{\(name):1}") == nil || name == "a:b")
        #expect(Self.names("{\"\(name)\":1}") == [name])
        #expect(Self.names("{'\(name)':1}") == [name])
    }

    @Test("escapes in names stand for what may stand there")
    func escapedNames() {
        #expect(Self.names(#"{\u0061b:1}"#) == ["ab"])
        #expect(Self.names(#"{a\u0062:1}"#) == ["ab"])
        #expect(Self.names(#"{a\u0031:1}"#) == ["a1"])
        #expect(Self.names(#"{\u0031:1}"#) == nil)
        #expect(Self.names(#"{a\u002d:1}"#) == nil)
        #expect(Self.names(#"{\u005c:1}"#) == nil)
        #expect(Self.names(#"{a\u005cu0062:1}"#) == nil)
        #expect(Self.names(#"{a\x62:1}"#) == nil)
        #expect(Self.names(#"{a\n:1}"#) == nil)
        #expect(Self.names(#"{a\u00:1}"#) == nil)
        #expect(Self.names(#"{\u0024\u005f:1}"#) == ["$_"])
    }

    @Test(
        "commas: one behind the last is allowed, none in front, none doubled",
        arguments: [
            ("[]", true), ("[1]", true), ("[1,]", true), ("[1,2,]", true), ("[,]", false), ("[,1]", false),
            ("[1,,]", false), ("[1,,2]", false), ("{}", true), ("{a:1}", true), ("{a:1,}", true), ("{,}", false),
            ("{,a:1}", false), ("{a:1,,}", false), ("{a:1,,b:2}", false), ("[1 ,]", true), ("[1;2]", false),
            ("[1 2]", false),
        ])
    func commas(_ text: String, _ isRead: Bool) {
        #expect((Self.value(text) != nil) == isRead)
    }

    @Test("objects and lists count into one depth")
    func mixedDepth() {
        let mixed = { (levels: Int) in
            (0..<levels).map { $0 % 2 == 0 ? "[" : "{a:" }.joined() + "1"
                + (0..<levels).reversed().map { $0 % 2 == 0 ? "]" : "}" }.joined()
        }
        #expect(Self.value(mixed(32)) != nil)
        #expect(Self.value(mixed(33)) == nil)
        // What was closed counts no more.
        #expect(Self.value("[" + String(repeating: "[[]],", count: 100) + "]") != nil)
    }

    @Test("JSON texts are JSON5 texts of the same meaning")
    func superset() throws {
        let text = #"{"a":[1,-2.5e3,true,false,null,"x\n\u00e9\ud83d\ude00"],"b":{"c":{}},"":[]}"#
        func plain(_ value: Value) -> JSONValue {
            switch value {
            case .null: .null
            case .bool(let value): .bool(value)
            case .number(let value): .number(value)
            case .string(let value): .string(value)
            case .array(let elements): .array(elements.map { plain($0.value) })
            case .object(let members):
                .object(
                    JSONObject(members: members.map { JSONObject.Member(name: $0.name, value: plain($0.value.value)) }))
            }
        }
        #expect(try plain(#require(Self.value(text))) == JSONReader.read(Array(text.utf8)))
    }
}

@Suite("JSON5 errors: what a person is told")
struct JSON5MessageTests {
    private static func error(_ text: String) -> JSON5Error? {
        do {
            _ = try JSON5Reader.read(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "the message says what is wrong and the line where",
        arguments: [
            ("", 1, "expected a value instead of the end of the text"),
            ("\n\n", 3, "expected a value instead of the end of the text"),
            ("1 2", 1, "expected the end of the text instead of \u{201C}2\u{201D}"),
            ("1\n\u{1}", 2, "expected the end of the text instead of a control character"),
            ("#", 1, "expected a value instead of \u{201C}#\u{201D}"),
            ("on", 1, "on is not a value; a text needs quotes"),
            ("[1\n2]", 2, "expected a comma or ] instead of \u{201C}2\u{201D}"),
            ("\n[1,\n", 3, "the list that begins on line 2 is not closed"),
            ("{a:1\n b:2}", 2, "expected a comma or } instead of \u{201C}b\u{201D}"),
            ("\n\n{a:1,\n", 4, "the object that begins on line 3 is not closed"),
            ("{a 1}", 1, "expected a colon after a instead of \u{201C}1\u{201D}"),
            ("{5:1}", 1, "expected a key instead of \u{201C}5\u{201D}"),
            ("{a:1,a:2}", 1, "the key is given twice, first on line 1; remove one of the two"),
            ("/*\n\n", 3, "the comment that begins on line 1 is not closed"),
            ("'a\n'", 1, "the text that begins on line 1 has no closing quote on its line"),
            ("'a\\\nb\n'", 2, "the text that begins on line 1 has no closing quote on its line"),
            ("'a", 1, "the text that begins on line 1 is not closed"),
            ("'a\\", 1, "the text ends within an escape"),
            (#"'\01'"#, 1, "\\0 may not stand before a digit"),
            (#"'\1'"#, 1, "a backslash may not stand before a digit"),
            (#"'\x4'"#, 1, "an escape needs 2 hexadecimal digits"),
            (#"'\u004'"#, 1, "an escape needs 4 hexadecimal digits"),
            (#"'\uD800'"#, 1, "a surrogate escape stands without its partner"),
            (#"{\x41:1}"#, 1, "a key may only contain escapes of the form \\uXXXX"),
            (#"{\u0020:1}"#, 1, "an escape in a key stands for a character that needs quotes"),
            ("30s", 1, "\u{201C}s\u{201D} may not follow a number; a text such as \"30s\" needs quotes"),
            ("-Inf", 1, "Inf is not a number"),
            ("0xg", 1, "0x needs hexadecimal digits"),
            ("0x10000000000000000", 1, "the hexadecimal number is too large"),
            (".", 1, "a number needs digits"),
            ("01", 1, "a number may not begin with 0"),
            ("1e", 1, "an exponent needs digits"),
        ])
    func messages(_ text: String, _ line: Int, _ message: String) {
        let error = Self.error(text)
        #expect(error?.message == message)
        #expect(error?.line == line)
    }

    @Test(
        "the key is the path to the member, with quotes where a name is more than a word",
        arguments: [
            ("{a:#}", "a"),
            ("{a:{b:#}}", "a.b"),
            ("{a:{b:1},c:#}", "c"),
            ("{a:[1,{b:#}]}", "a.b"),
            ("{a_b-1:#}", nil),
            ("{'a_b-1':#}", "a_b-1"),
            ("{'a.b':#}", "\"a.b\""),
            ("{'':#}", "\"\""),
            ("{'/x':{y:#}}", "\"/x\".y"),
            ("{\u{E9}:#}", "\"\u{E9}\""),
            ("{a:1,b:2}#", nil),
            ("{a:1 #}", nil),
            ("[#]", nil),
            ("{a:{b:1 #}}", "a"),
        ] as [(String, String?)])
    func keys(_ text: String, _ key: String?) {
        #expect(Self.error(text)?.key == key)
    }

    @Test("every line end counts one line, CR LF too", arguments: ["\n", "\r", "\r\n"])
    func lineEnds(_ end: String) {
        for lines in 0..<5 { #expect(Self.error(String(repeating: end, count: lines) + "#")?.line == lines + 1) }
        #expect(Self.error("/*\(end)*/#")?.line == 2)
        #expect(Self.error("//\(end)#")?.line == 2)
        #expect(Self.error("'\\\(end)'#")?.line == 2)
    }
}
