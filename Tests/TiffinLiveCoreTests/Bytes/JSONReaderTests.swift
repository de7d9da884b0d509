import Testing

@testable import TiffinLiveCore

@Suite("JSON reader: grammar (RFC 8259)")
struct JSONReaderTests {
    @Test(
        "values are read",
        arguments: [
            ("null", .null), ("true", true), ("false", false), ("0", 0), ("-17", -17), ("\"\"", ""), ("\"a b\"", "a b"),
            ("[]", []), ("{}", [:]), ("[1,[2,[]],{}]", [1, [2, []], [:]]),
            (#"{"b":1,"a":{"c":[null]}}"#, ["b": 1, "a": ["c": [.null]]]),
            (" \t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n", [1, 2]),
            ("\n{ \"a\" : 1 , \"b\" : { } }\n", ["a": 1, "b": [:]]), (#"{"":0}"#, ["": 0]),
        ] as [(String, JSONValue)])
    func reads(text: String, value: JSONValue) throws {
        #expect(try JSONReader.read(Array(text.utf8)) == value)
        #expect(JSONText.isValid(text))
    }

    @Test(
        "each fault is refused where it stands",
        arguments: [
            ("", 0, .unexpectedEnd), (" \n", 2, .unexpectedEnd), ("[", 1, .unexpectedEnd), ("[1", 2, .unexpectedEnd),
            ("[1,", 3, .unexpectedEnd), ("{", 1, .unexpectedEnd), (#"{"a""#, 4, .unexpectedEnd),
            (#"{"a":"#, 5, .unexpectedEnd), (#"{"a":1"#, 6, .unexpectedEnd), (#"{"a":1,"#, 7, .unexpectedEnd),
            ("\"", 1, .unexpectedEnd), ("\"abc", 4, .unexpectedEnd), ("\"a\\", 2, .unexpectedEnd),
            ("]", 0, .expectedValue), ("}", 0, .expectedValue), (",", 0, .expectedValue), (":", 0, .expectedValue),
            ("nul", 0, .expectedValue), ("nulL", 0, .expectedValue), ("True", 0, .expectedValue),
            ("undefined", 0, .expectedValue), ("NaN", 0, .expectedValue), ("Infinity", 0, .expectedValue),
            ("'a'", 0, .expectedValue), ("// c\n1", 0, .expectedValue), ("/**/1", 0, .expectedValue),
            ("+1", 0, .expectedValue), (".5", 0, .expectedValue), ("\u{A0}1", 0, .expectedValue),
            ("\u{0}", 0, .expectedValue), ("\u{B}1", 0, .expectedValue), ("\u{C}1", 0, .expectedValue),
            ("[1,]", 3, .expectedValue), ("[,1]", 1, .expectedValue), ("[1,,2]", 3, .expectedValue),
            (#"{"a":}"#, 5, .expectedValue), (#"{"a":,"b":1}"#, 5, .expectedValue), ("[\u{FEFF}1]", 1, .expectedValue),
            ("{1:2}", 1, .expectedName), ("{a:1}", 1, .expectedName), ("{'a':1}", 1, .expectedName),
            (#"{"a":1,}"#, 7, .expectedName), ("{,}", 1, .expectedName), ("{null:1}", 1, .expectedName),
            ("{]", 1, .expectedName), (#"{"a":1,,"b":2}"#, 7, .expectedName),
            (#"{"a" 1}"#, 5, .expectedColon), (#"{"a"}"#, 4, .expectedColon), (#"{"a","b"}"#, 4, .expectedColon),
            (#"{"a"=1}"#, 4, .expectedColon), (#"{"a"::1}"#, 5, .expectedValue),
            ("[1 2]", 3, .expectedCommaOrBracket), ("[1}", 2, .expectedCommaOrBracket),
            ("[\"a\":1]", 4, .expectedCommaOrBracket), ("[1;2]", 2, .expectedCommaOrBracket),
            ("[truex]", 5, .expectedCommaOrBracket),
            (#"{"a":1]"#, 6, .expectedCommaOrBrace), (#"{"a":1 "b":2}"#, 7, .expectedCommaOrBrace),
            (#"{"a":1:2}"#, 6, .expectedCommaOrBrace),
            ("1 2", 2, .trailingBytes), ("{}{}", 2, .trailingBytes), ("[]]", 2, .trailingBytes),
            ("null\u{0}", 4, .trailingBytes), ("truefalse", 4, .trailingBytes), ("{} // c", 3, .trailingBytes),
            ("\"a\"\"b\"", 3, .trailingBytes), ("1,", 1, .trailingBytes), ("{}\u{FEFF}", 2, .trailingBytes),
            ("\u{FEFF}{}", 0, .byteOrderMark), ("\u{FEFF}", 0, .byteOrderMark), ("\u{FF01}", 0, .expectedValue),
        ] as [(String, Int, JSONError.Problem)])
    func refuses(text: String, offset: Int, problem: JSONError.Problem) {
        #expect(JSONText.error(text) == JSONError(offset: offset, problem: problem))
        #expect(!JSONText.isValid(text))
    }

    @Test(
        "bytes that are not UTF-8 are refused, in strings and outside",
        arguments: [
            ([0x22, 0xFF, 0x22], 1), ([0x22, 0xC3, 0x22], 1), ([0x22, 0xC3, 0xA9, 0x80, 0x22], 3),
            ([0x22, 0xC0, 0x80, 0x22], 1), ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
            ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1),
            ([0x22, 0xE2, 0x82], 1), ([0xFE, 0xFF, 0x00, 0x31], 0), ([0x5B, 0x80, 0x5D], 1),
            ([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], 2),
        ] as [([UInt8], Int)])
    func refusesBadUTF8(bytes: [UInt8], offset: Int) {
        #expect(throws: JSONError(offset: offset, problem: .invalidUTF8)) { try JSONReader.read(bytes) }
        #expect(!bytes.withUnsafeBytes { JSONReader.isValid($0) })
    }

    @Test(
        "UTF-16 and UTF-32 texts are refused",
        arguments: [[0x31, 0x00], [0x00, 0x31], [0x31, 0, 0, 0], [0x7B, 0, 0x7D, 0]])
    func refusesWideText(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONReader.read(bytes) }
    }

    @Test("every prefix of a text is refused, the whole is read")
    func prefixes() throws {
        let text = Array(#"{"a\u00e9":[1.5e-3,true,null,"x\n\ud83d\ude00é"],"b":{"c":false,"d":-0}}"#.utf8)
        for length in text.indices {
            #expect(throws: JSONError.self) { try JSONReader.read(Array(text[..<length])) }
            #expect(!text[..<length].withUnsafeBytes { JSONReader.isValid($0) })
        }
        let value = try JSONReader.read(text)
        #expect(value["aé"]?.arrayValue?.last?.stringValue == "x\n😀é")
        #expect(value["b"]?["d"]?.numberValue?.text == "-0")
    }

    @Test("an error describes itself without the text")
    func describes() {
        let error = JSONText.error("[1 secret]")
        #expect(error?.message == "expected a comma or a closing bracket")
        #expect(error?.description == "expected a comma or a closing bracket at byte 3")
    }
}
