import Testing

@testable import TiffinLiveCore

@Suite("JSON strings (RFC 8259 section 7)")
struct JSONStringTests {
    @Test(
        "escapes are decoded",
        arguments: [
            (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"), (#"\u0041"#, "A"), (#"\u00e9\u00E9"#, "éé"),
            (#"\u20AC"#, "€"),
            (#"\uFFFF\ufffe"#, "\u{FFFF}\u{FFFE}"), (#"\ud83d\ude00"#, "😀"), (#"\uD800\uDC00"#, "\u{10000}"),
            (#"\uDBFF\uDFFF"#, "\u{10FFFF}"), (#"a\u0000b"#, "a\u{0}b"), (#"\u2028"#, "\u{2028}"),
            (#"\uD7FF\uE000"#, "\u{D7FF}\u{E000}"),
            (#"\\u0041"#, "\\u0041"), (#"é\n€\n😀"#, "é\n€\n😀"), (#"\ufeff"#, "\u{FEFF}"),
        ])
    func escapes(inner: String, text: String) throws {
        let value = try JSONReader.read(Array("\"\(inner)\"".utf8))
        #expect(value.stringValue.map { Array($0.utf8) } == Array(text.utf8))
        #expect(JSONText.isValid("\"\(inner)\""))
        let object = try JSONReader.read(Array("{\"\(inner)\":1}".utf8))
        #expect(object.objectValue?.members.first.map { Array($0.name.utf8) } == Array(text.utf8))
    }

    @Test("plain characters of every length stay as they are")
    func plain() throws {
        for text in ["\u{7F}", "é", "€", "\u{2028}\u{2029}", "😀", "\u{FEFF}", "\u{FFFE}", "\u{10FFFF}", "e\u{301}"] {
            #expect(
                try JSONReader.read(Array("\"\(text)\"".utf8)).stringValue.map { Array($0.utf8) } == Array(text.utf8))
        }
    }

    @Test(
        "half of a surrogate pair is refused",
        arguments: [
            #"\ud800"#, #"\udc00"#, #"\udfff"#, #"\ud800\ud800"#, #"\ud800a"#, #"\ud800\n"#, #"\ud800\u0041"#,
            #"\ude00\ud83d"#, #"\ud83d\ude0"#, #"\ud83dude00"#, #"\uD83D\\uDE00"#, #"\ud83d\ude00\ude00"#,
        ])
    func loneSurrogates(inner: String) {
        #expect(JSONText.error("\"\(inner)\"")?.problem == .loneSurrogate)
        #expect(JSONText.error("{\"\(inner)\":1}")?.problem == .loneSurrogate)
        #expect(!JSONText.isValid("[\"\(inner)\"]"))
    }

    @Test(
        "other escapes are refused",
        arguments: [
            #"\a"#, #"\v"#, #"\0"#, #"\'"#, #"\x41"#, #"\U0041"#, #"\u"#, #"\u1"#, #"\u12"#, #"\u123"#, #"\u123g"#,
            #"\u+123"#,
            #"\u 123"#, #"\u00é"#, "\\\n", "\\ ", "\\é", "\\\u{0}", #"\u{41}"#,
        ])
    func badEscapes(inner: String) {
        #expect(JSONText.error("\"\(inner)\"")?.problem == .invalidEscape)
        #expect(JSONText.error("\"abcdefghij\(inner)\"") == JSONError(offset: 11, problem: .invalidEscape))
        #expect(!JSONText.isValid("\"\(inner)\""))
    }

    @Test("control characters are refused at every place of a string", arguments: 0..<32)
    func controls(code: Int) {
        for before in 0..<20 {
            let text =
                [0x22] + [UInt8](repeating: 0x61, count: before) + [UInt8(code)] + Array("bbbbbbbbbbbbbbbb\"".utf8)
            #expect(throws: JSONError(offset: before + 1, problem: .controlCharacter)) { try JSONReader.read(text) }
            #expect(!text.withUnsafeBytes { JSONReader.isValid($0) })
        }
    }

    @Test("strings of every length end where they end", arguments: 0..<40)
    func lengths(count: Int) throws {
        let text = String(repeating: "x", count: count)
        #expect(
            try JSONReader.read(Array("[\"\(text)\",\"é\(text)\",\"\(text)\\n\"]".utf8)) == [
                .string(text), "é\(text)", "\(text)\n",
            ])
    }

    @Test("an escaped string of a megabyte is read")
    func long() throws {
        let inner = String(repeating: #"\ud83d\ude00"#, count: 90_000)
        let value = try JSONReader.read(Array("\"\(inner)\"".utf8))
        #expect(value.stringValue?.utf8.count == 360_000)
    }

    @Test("canonically equivalent strings are different values")
    func equality() {
        #expect(JSONValue.string("\u{E9}") != JSONValue.string("e\u{301}"))
        #expect(JSONValue.string("\u{E9}") == "\u{E9}")
    }
}
