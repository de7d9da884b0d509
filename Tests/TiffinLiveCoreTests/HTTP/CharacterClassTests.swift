import Testing

@testable import TiffinLiveCore

@Suite("RFC 9110 §5.6.2, RFC 3986 §2.3 and §3.3: the character classes of the grammars")
struct CharacterClassTests {
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    private static let digits = "0123456789"

    private static func members(_ set: ByteSet) -> [UInt8] {
        (UInt8.min...UInt8.max).filter { set.contains($0) }
    }

    @Test("a token is made of tchar and of nothing else")
    func token() {
        #expect(Self.members(.token) == ("!#$%&'*+-.^_`|~" + Self.digits + Self.letters).utf8.sorted())
        for delimiter in "\"(),/:;<=>?@[\\]{} \t\r\n\u{0}\u{7F}".utf8 { #expect(!ByteSet.token.contains(delimiter)) }
    }

    @Test("a path is made of pchar, the percent sign and the slash")
    func path() {
        #expect(Self.members(.path) == ("-._~!$&'()*+,;=:@%/" + Self.digits + Self.letters).utf8.sorted())
        for other in "\"<>[]\\^`{|}#? \u{7F}".utf8 { #expect(!ByteSet.path.contains(other)) }
    }

    @Test("a host name is made of the unreserved characters")
    func hostName() {
        #expect(Self.members(.hostName) == ("-._~" + Self.digits + Self.letters).utf8.sorted())
        for other in "!$&'()*+,;=:@%/[]?#\\ \u{7F}".utf8 { #expect(!ByteSet.hostName.contains(other)) }
    }

    @Test("both halves of a set count, and no byte from 0x80 on is ever in one")
    func halves() {
        #expect(Self.members(ByteSet("")).isEmpty)
        #expect(Self.members(ByteSet("\u{0}?@\u{7F}")) == [0x00, 0x3F, 0x40, 0x7F])
        // The two bytes of é are not ASCII and so are left out.
        #expect(Self.members(ByteSet("a\u{E9}")) == [0x61])
    }

    @Test("a run is inside a set when each of its bytes is")
    func runs() {
        func isInside(_ text: String) -> Bool {
            Array(text.utf8).withUnsafeBytes { ByteSet.hostName.containsAll(of: $0) }
        }
        #expect(isInside(""))
        #expect(isInside("live.tiffin.example"))
        #expect(!isInside("live/tiffin"))
        #expect(!isInside("/live"))
        #expect(!isInside("live/"))
        #expect(!isInside("caf\u{E9}"))
    }

    @Test("digits, letters and hexadecimal digits are told from all other bytes")
    func classes() {
        for byte in UInt8.min...UInt8.max {
            let scalar = Unicode.Scalar(byte)
            let isASCII = byte < 0x80
            #expect(ASCII.isDigit(byte) == (isASCII && Self.digits.unicodeScalars.contains(scalar)))
            #expect(ASCII.isLetter(byte) == (isASCII && Self.letters.unicodeScalars.contains(scalar)))
            let hexadecimal = isASCII ? Character(scalar).hexDigitValue : nil
            #expect(ASCII.hexValue(byte).map { Int($0) } == hexadecimal)
            let folded = isASCII ? Character(scalar).lowercased().utf8.first : byte
            #expect(ASCII.lowercased(byte) == folded)
        }
    }
}

@Suite("RFC 9110 §5.6.1, §5.6.3: lists and white space")
struct FieldListTests {
    private static func elements(_ value: String) -> [String] {
        var elements: [String] = []
        Array(value.utf8).withUnsafeBytes { bytes in
            FieldList.forEachElement(of: bytes) { elements.append(String(decoding: $0, as: UTF8.self)) }
        }
        return elements
    }

    @Test(
        "a list is cut at its commas, empty elements count for nothing",
        arguments: [
            ("", []),
            (",", []),
            (" , \t,, ", []),
            ("a", ["a"]),
            ("a,b", ["a", "b"]),
            ("a , b", ["a", "b"]),
            ("\ta\t,\tb\t", ["a", "b"]),
            (",a,,b,", ["a", "b"]),
            ("a b, c", ["a b", "c"]),
            ("a;q=1, b", ["a;q=1", "b"]),
            ("foo , ,bar,charlie", ["foo", "bar", "charlie"]),
            ("\u{B}a", ["\u{B}a"]),
            ("\u{A0}a", ["\u{A0}a"]),
            ("\"a,b\"", ["\"a", "b\""]),
        ])
    func lists(_ value: String, _ expected: [String]) {
        #expect(Self.elements(value) == expected)
    }

    @Test("only the space and the tab are white space")
    func whiteSpace() {
        for byte in UInt8.min...UInt8.max { #expect(FieldList.isWhiteSpace(byte) == (byte == 0x20 || byte == 0x09)) }
    }

    @Test(
        "trimming takes white space from both ends and from nowhere else",
        arguments: [
            ("", ""), (" ", ""), ("\t \t", ""), ("a", "a"), (" a", "a"), ("a ", "a"), ("\ta b\t ", "a b"),
            ("  a\t\tb", "a\t\tb"), ("\r\na", "\r\na"),
        ])
    func trimming(_ text: String, _ expected: String) {
        let trimmed = Array(text.utf8).withUnsafeBytes { String(decoding: FieldList.trimmed($0), as: UTF8.self) }
        #expect(trimmed == expected)
    }

    @Test(
        "comparison folds ASCII letters and nothing else",
        arguments: [
            ("websocket", true), ("WebSocket", true), ("WEBSOCKET", true), ("websocke", false), ("websockets", false),
            ("", false), ("web-ocket", false), ("websocke\u{212A}", false), ("xebsocket", false), ("websockeT", true),
        ])
    func comparison(_ text: String, _ isEqual: Bool) {
        #expect(Array(text.utf8).withUnsafeBytes { FieldList.equals($0, "websocket") } == isEqual)
        #expect(Array(text.utf8).withUnsafeBytes { FieldList.equals($0, "WEBsocket") } == isEqual)
    }

    @Test("bytes that differ only in the bit of the case are equal exactly when they are letters")
    func caseBit() {
        for (upper, lower) in [("@", "`"), ("[", "{"), ("\\", "|"), ("]", "}"), ("^", "~")] {
            let upper = Array(upper.utf8)
            let lower = Array(lower.utf8)
            #expect(ASCII.lowercased(upper[0]) != ASCII.lowercased(lower[0]))
        }
        #expect(Array("@".utf8).withUnsafeBytes { !FieldList.equals($0, "`") })
        #expect(Array("[".utf8).withUnsafeBytes { !FieldList.equals($0, "{") })
        #expect(Array("Z".utf8).withUnsafeBytes { FieldList.equals($0, "z") })
        #expect(Array("A".utf8).withUnsafeBytes { FieldList.equals($0, "a") })
    }
}

@Suite("RFC 3986 §2.1: percent-decoding")
struct PercentDecodingTests {
    private static func text(_ bytes: [UInt8]) -> String? {
        bytes.withUnsafeBytes { PercentDecoding.text($0) }
    }

    @Test(
        "is done once, in either case, and leaves the plus alone",
        arguments: [
            ("", ""), ("abc", "abc"), ("%61", "a"), ("a%62c", "abc"), ("%2b+", "++"), ("%2B", "+"), ("%25", "%"),
            ("%2525", "%25"), ("%25%32%35", "%25"), ("%C3%A9", "\u{E9}"), ("%c3%a9", "\u{E9}"),
            ("%F0%9F%98%80", "\u{1F600}"), ("%EF%BB%BF", "\u{FEFF}"), ("%00", "\u{0}"), ("%7f", "\u{7F}"),
            ("x%20y", "x y"), ("%0D%0A", "\r\n"), ("%41%42%43", "ABC"), ("100%25", "100%"),
        ])
    func decoded(_ text: String, _ expected: String) {
        #expect(Self.text(Array(text.utf8)).map { Array($0.utf8) } == Array(expected.utf8))
    }

    @Test(
        "a percent sign without two digits, and what is not UTF-8, is refused",
        arguments: [
            "%", "a%", "%4", "a%4", "%%", "%4%41", "%g1", "%1g", "%-1", "%+1", "% 1", "%1 ", "%x41", "%u0041", "%41%",
            "%41%4", "%80", "%C3", "%C3a", "a%C3", "%C3%28", "%C0%80", "%C0%AF", "%E0%80%AF", "%ED%A0%80",
            "%F4%90%80%80",
            "%FF", "%FE%FF", "%F0%9F%98", "%C3%A9%80",
        ])
    func refused(_ text: String) {
        #expect(Self.text(Array(text.utf8)) == nil)
    }

    @Test("every byte, percent-encoded, comes back when it is ASCII and is refused when it stands alone above")
    func everyByte() {
        for byte in UInt8.min...UInt8.max {
            let digits = String(byte, radix: 16)
            let encoded = "%" + (byte < 16 ? "0" : "") + digits
            #expect(Self.text(Array(encoded.utf8)).map { Array($0.utf8) } == (byte < 0x80 ? [byte] : nil))
        }
    }

    @Test("raw bytes without a percent sign must be UTF-8 too")
    func rawBytes() {
        #expect(Self.text([0xC3, 0xA9]) == "\u{E9}")
        #expect(Self.text([0xC3]) == nil)
        #expect(Self.text([0x61, 0xFF]) == nil)
        #expect(Self.text([0xC3] + Array("%A9".utf8)) == "\u{E9}")
    }
}
