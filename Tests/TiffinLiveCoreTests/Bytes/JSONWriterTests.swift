import Testing

@testable import TiffinLiveCore

@Suite("JSON writer")
struct JSONWriterTests {
    private static func string(_ text: String) -> String {
        let buffer = ByteBuffer()
        JSONWriter.append(string: text, to: buffer)
        return String(decoding: buffer.array, as: UTF8.self)
    }

    private static func string(bytes: [UInt8]) -> String {
        let buffer = ByteBuffer()
        bytes.withUnsafeBytes { JSONWriter.append(string: $0, to: buffer) }
        return String(decoding: buffer.array, as: UTF8.self)
    }

    @Test(
        "writes values on one line without white space",
        arguments: [
            (.null, "null"), (true, "true"), (false, "false"), (-5, "-5"), ("a", #""a""#), ([], "[]"), ([:], "{}"),
            ([1, "b", [.null], [:]], #"[1,"b",[null],{}]"#),
            (["z": 1, "a": ["b": false]], #"{"z":1,"a":{"b":false}}"#),
            ([["a\n": "\"" as JSONValue]], #"[{"a\n":"\""}]"#), (.number(JSONNumber(text: "1.50e+00")), "1.50e+00"),
        ] as [(JSONValue, String)])
    func values(value: JSONValue, text: String) {
        #expect(String(decoding: JSONText.written(value), as: UTF8.self) == text)
    }

    @Test(
        "escapes what could break a line, a terminal or a script",
        arguments: [
            ("\"", #"\""#), ("\\", #"\\"#), ("\n", #"\n"#), ("\r", #"\r"#), ("\t", #"\t"#), ("\u{8}", #"\b"#),
            ("\u{C}", #"\f"#),
            ("\u{0}", #"\u0000"#), ("\u{1F}", #"\u001f"#), ("\u{1B}", #"\u001b"#), ("\u{7F}", #"\u007f"#),
            ("\u{2028}", #"\u2028"#),
            ("\u{2029}", #"\u2029"#), ("\r\n", #"\r\n"#),
        ])
    func escapes(text: String, escaped: String) {
        #expect(Self.string(text) == "\"\(escaped)\"")
        for count in 0..<18 {
            let padding = String(repeating: "x", count: count)
            #expect(Self.string(padding + text + padding + text) == "\"\(padding)\(escaped)\(padding)\(escaped)\"")
            #expect(Self.string(bytes: Array((padding + text + padding).utf8)) == "\"\(padding)\(escaped)\(padding)\"")
        }
    }

    @Test(
        "leaves everything else as it is",
        arguments: [
            "", "/", "<script>", "é€😀", "\u{2027}\u{202A}", "\u{20A8}", "\u{E280}", "\u{80}\u{9F}", "\u{FEFF}",
            "•••••••••", "\u{10FFFF}",
        ])
    func plain(text: String) {
        #expect(Array(Self.string(text).utf8) == Array("\"\(text)\"".utf8))
        #expect(Array(Self.string(bytes: Array(text.utf8)).utf8) == Array("\"\(text)\"".utf8))
    }

    @Test("every ASCII character reads back, and none that is written breaks a line")
    func everyASCII() throws {
        for byte in UInt8.min..<0x80 {
            let text = String(UnicodeScalar(byte))
            let written = Self.string(text)
            #expect(try JSONReader.read(Array(written.utf8)) == .string(text))
            #expect(written.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        }
    }

    @Test(
        "makes U+FFFD of every longest piece that is not UTF-8",
        arguments: [
            ([0xFF], "\u{FFFD}"), ([0xFF, 0xFE], "\u{FFFD}\u{FFFD}"), ([0x61, 0x80, 0x62], "a\u{FFFD}b"),
            ([0xC3], "\u{FFFD}"),
            ([0xC3, 0x28], "\u{FFFD}("), ([0xE2, 0x82], "\u{FFFD}"), ([0xE2, 0x82, 0x61], "\u{FFFD}a"),
            ([0xE2, 0x80], "\u{FFFD}"),
            ([0xE2, 0x80, 0x22], "\u{FFFD}\\\""), ([0xE2, 0x80, 0x0A], "\u{FFFD}\\n"),
            ([0xC0, 0x80], "\u{FFFD}\u{FFFD}"),
            ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"), ([0xF0, 0x9F, 0x98], "\u{FFFD}"),
            ([0xF0, 0x9F, 0x98, 0x80, 0xF0], "😀\u{FFFD}"),
            ([0xF4, 0x90, 0x80, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
        ] as [([UInt8], String)])
    func repairs(bytes: [UInt8], text: String) {
        #expect(Self.string(bytes: bytes) == "\"\(text)\"")
        let padding = [UInt8](repeating: 0x78, count: 13)
        #expect(Self.string(bytes: padding + bytes + padding) == "\"xxxxxxxxxxxxx\(text)xxxxxxxxxxxxx\"")
    }

    @Test("any bytes become one valid JSON string that says what String would say", arguments: 0..<200)
    func anyBytes(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let likely: [UInt8] = [0x22, 0x5C, 0x0A, 0x7F, 0xE2, 0x80, 0xA8, 0xC3, 0xF0, 0x9F, 0x61]
        let bytes = (0..<Int.random(in: 0..<100, using: &random)).map { _ in
            Bool.random(using: &random)
                ? likely[Int.random(in: 0..<likely.count, using: &random)]
                : UInt8.random(in: .min ... .max, using: &random)
        }
        let written = Array(Self.string(bytes: bytes).utf8)
        #expect(try JSONReader.read(written) == .string(String(decoding: bytes, as: UTF8.self)))
        #expect(!written.contains { $0 < 0x20 || $0 == 0x7F })
    }

    @Test("a quarter of a megabyte of broken bytes costs no quadratic time")
    func manyBrokenBytes() {
        let bytes = [UInt8](repeating: 0xFF, count: 1 << 18)
        #expect(Self.string(bytes: bytes).utf8.count == (3 << 18) + 2)
    }
}
