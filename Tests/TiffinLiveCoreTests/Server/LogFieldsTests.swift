import Testing

@testable import TiffinLiveCore

@Suite("Log lines")
struct LogFieldsTests {
    /// A line as it is written.
    private func line(wall: Nanoseconds = 0, _ write: (LogFields) -> Void = { _ in }) -> [UInt8] {
        let buffer = ByteBuffer()
        let fields = LogFields(to: buffer, level: .info, event: .listening, wall: wall)
        write(fields)
        fields.finish()
        return buffer.array
    }

    private func text(_ write: (LogFields) -> Void) -> String {
        String(decoding: line(write), as: UTF8.self)
    }

    /// The object of a line, which must be one line.
    private func object(_ line: [UInt8]) throws -> JSONObject {
        #expect(line.last == ASCII.lineFeed)
        #expect(line.count { $0 == ASCII.lineFeed } == 1)
        return try #require(JSONReader.read(Array(line.dropLast())).objectValue)
    }

    @Test("the fixed members come first and a line is one JSON object")
    func fixedMembers() throws {
        let line = line(wall: 1_764_500_000_123_456_789) { $0.add("listen", ["127.0.0.1:80", "[::1]:80"]) }
        #expect(
            String(decoding: line, as: UTF8.self)
                == #"{"at":"2025-11-30T10:53:20.123Z","level":"info","event":"listening","#
                + #""listen":["127.0.0.1:80","[::1]:80"]}"# + "\n")
        #expect(try object(line).members.map(\.name) == ["at", "level", "event", "listen"])
    }

    @Test(
        "instants are written by RFC 3339, leap days included",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999_000_000, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000_000_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000_000_000, "2000-03-01T00:00:00.000Z"),
            (1_709_164_800_000_000_000, "2024-02-29T00:00:00.000Z"),
            (1_735_689_599_999_999_999, "2024-12-31T23:59:59.999Z"),
            (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000Z"),
            (Nanoseconds.max, "2262-04-11T23:47:16.854Z"),
        ] as [(Nanoseconds, String)])
    func timestamps(wall: Nanoseconds, expected: String) {
        let buffer = ByteBuffer()
        LogTimestamp.append(wall: wall, to: buffer)
        #expect(String(decoding: buffer.array, as: UTF8.self) == expected)
    }

    @Test("every kind of field is written as its kind")
    func kinds() {
        let text = text {
            $0.add("a", 5)
            $0.add("b", -7 as Int64)
            $0.add("c", UInt64.max)
            $0.add("d", Int64.min)
            $0.add("e", true)
            $0.add("f", milliseconds: 1_234_567_890)
            $0.add("g", milliseconds: -1_000_000)
            $0.add("h", milliseconds: 999)
            $0.add("i", nil as String?)
            $0.add("j", wall: 1_000_000_000)
            $0.add("k", "x")
            $0.add("l", [])
        }
        #expect(
            text.hasSuffix(
                #""event":"listening","a":5,"b":-7,"c":18446744073709551615,"d":-9223372036854775808,"e":true,"#
                    + #""f":1234.567,"g":-1.000,"h":0.000,"j":"1970-01-01T00:00:01.000Z","k":"x","l":[]}"# + "\n"))
    }

    @Test(
        "outside text can neither end a line nor forge a member",
        arguments: [
            "\"", "\\", "\u{0}", "\u{1B}[2J", "\n{\"level\":\"info\"}", "\u{2028}", "\r", "\u{7F}", "\",\"level\":\"x",
            "é😀", "",
        ])
    func outsideText(text: String) throws {
        let line = line { $0.add("user", text) }
        #expect(line.dropLast().allSatisfy { $0 >= 0x20 && $0 != 0x7F })
        let object = try object(line)
        #expect(object.members.map(\.name) == ["at", "level", "event", "user"])
        #expect(object["user"]?.stringValue == text)
    }

    @Test(
        "bytes that are not UTF-8 are replaced",
        arguments: [[0x80, 0xFF], [0x61, 0xC3], [0xED, 0xA0, 0x80]] as [[UInt8]])
    func outsideBytes(bytes: [UInt8]) throws {
        let line = line { fields in bytes.withUnsafeBytes { fields.add("path", bytes: $0) } }
        #expect(try object(line)["path"]?.stringValue == String(decoding: bytes, as: UTF8.self))
    }

    @Test("a long text is cut at a character and marked", arguments: 250...260)
    func cut(length: Int) throws {
        for tail in ["a", "é", "€", "😀"] {
            let whole = String(repeating: "x", count: length) + tail
            let kept = try #require(try object(line { $0.add("user", whole) })["user"]?.stringValue)
            if whole.utf8.count <= 256 {
                #expect(kept == whole)
            } else {
                #expect(kept.hasSuffix("…"))
                #expect(kept.utf8.count <= 256 + 3)
                #expect(whole.hasPrefix(kept.dropLast()))
                #expect(kept.utf8.count > 250)
            }
        }
    }

    @Test("64 KiB of anything stay a short line")
    func enormousText() throws {
        for text in [String(repeating: "\u{1}", count: 65536), String(repeating: "😀", count: 16384)] {
            let line = line { $0.add("user", text) }
            #expect(line.count < 2000)
            _ = try object(line)
        }
        let list = line { $0.add("topics", Array(repeating: "t", count: 10_000)) }
        #expect(try object(list)["topics"]?.arrayValue?.count == 33)
    }

    @Test("no field overrides a fixed member")
    func fixedNames() throws {
        let line = line {
            $0.add("level", "error")
            $0.add("at", 5)
            $0.add("event", true)
            $0.add("levels", "x")
        }
        #expect(try object(line).members.map(\.name) == ["at", "level", "event", "levels"])
        #expect(try object(line)["level"]?.stringValue == "info")
    }

    @Test("event names are words joined by underscores")
    func eventNames() {
        for event in LogEvent.allCases {
            #expect(event.rawValue.utf8.allSatisfy { ($0 >= 0x61 && $0 <= 0x7A) || $0 == ASCII.underscore })
        }
    }
}
