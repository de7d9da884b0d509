import Testing

@testable import TiffinLiveCore

@Suite("RFC 9112 §4: status lines and fields of responses")
struct ResponseHeadTests {
    private static func written(_ write: (ByteBuffer) -> Void) -> String {
        let buffer = ByteBuffer()
        write(buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    @Test(
        "the phrases are those of RFC 9110 §15 and RFC 6585",
        arguments: [
            (100, "Continue"),
            (101, "Switching Protocols"),
            (200, "OK"),
            (204, "No Content"),
            (304, "Not Modified"),
            (400, "Bad Request"),
            (401, "Unauthorized"),
            (403, "Forbidden"),
            (404, "Not Found"),
            (405, "Method Not Allowed"),
            (408, "Request Timeout"),
            (409, "Conflict"),
            (411, "Length Required"),
            (413, "Content Too Large"),
            (414, "URI Too Long"),
            (415, "Unsupported Media Type"),
            (417, "Expectation Failed"),
            (421, "Misdirected Request"),
            (422, "Unprocessable Content"),
            (426, "Upgrade Required"),
            (429, "Too Many Requests"),
            (431, "Request Header Fields Too Large"),
            (500, "Internal Server Error"),
            (501, "Not Implemented"),
            (503, "Service Unavailable"),
            (505, "HTTP Version Not Supported"),
            (299, ""),
            (599, ""),
        ])
    func statusLine(_ status: Int, _ phrase: String) {
        let line = Self.written { ResponseHeadEncoder.append(status: status, to: $0) }
        #expect(line == "HTTP/1.1 \(status) \(phrase)\r\n")
    }

    @Test("of every byte only what may stand in a field is written")
    func everyByte() {
        for byte in UInt8.min..<0x80 {
            let text = "a" + String(Unicode.Scalar(byte)) + "b"
            let value = Self.written { ResponseHeadEncoder.append(field: "X", text, to: $0) }
            let isControl = byte < 0x20 || byte == 0x7F
            #expect(value == (isControl ? "X: ab\r\n" : "X: \(text)\r\n"))
            let name = Self.written { ResponseHeadEncoder.append(field: text, "1", to: $0) }
            #expect(name == (ByteSet.token.contains(byte) ? "\(text): 1\r\n" : "ab: 1\r\n"))
        }
    }

    @Test("a value beyond ASCII is written as it is, a name is not")
    func beyondASCII() {
        #expect(
            Self.written { ResponseHeadEncoder.append(field: "X", "caf\u{E9} \u{1F600}", to: $0) }
                == "X: caf\u{E9} \u{1F600}\r\n")
        #expect(Self.written { ResponseHeadEncoder.append(field: "X\u{E9}Y", "1", to: $0) } == "XY: 1\r\n")
        #expect(Self.written { ResponseHeadEncoder.append(field: "\u{E9}", "1", to: $0) } == "")
        #expect(Self.written { ResponseHeadEncoder.append(field: "", "1", to: $0) } == "")
    }

    @Test("fields of our own are written as they are")
    func ownFields() {
        let text = Self.written {
            ResponseHeadEncoder.append(field: "Vary" as StaticString, "Origin" as StaticString, to: $0)
            ResponseHeadEncoder.append(date: HTTPDate(wall: 0), to: $0)
            ResponseHeadEncoder.appendEnd(to: $0)
        }
        #expect(text == "Vary: Origin\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n")
    }

    @Test("control bytes are dropped wherever they stand, alone and in runs")
    func controls() {
        for count in 0..<20 {
            let padding = String(repeating: "x", count: count)
            let text = "\r\n" + padding + "\r" + padding + "\n\n\u{0}" + padding + "\u{7F}"
            let value = Self.written { buffer in
                Array(text.utf8).withUnsafeBytes { ControlScan.append(withoutControls: $0, to: buffer) }
            }
            #expect(value == padding + padding + padding)
        }
    }
}

@Suite("RFC 9110 §15: errors of requests")
struct HTTPErrorTests {
    @Test(
        "each has its status and its word",
        arguments: [
            (HTTPError.badRequest("x"), 400, "bad_request"),
            (.lengthRequired, 411, "length_required"),
            (.contentTooLarge, 413, "content_too_large"),
            (.targetTooLong, 414, "uri_too_long"),
            (.headTooLarge, 431, "head_too_large"),
            (.tooManyFields, 431, "head_too_large"),
            (.methodTooLong, 501, "not_implemented"),
            (.codingNotImplemented, 501, "not_implemented"),
            (.versionNotSupported, 505, "version_not_supported"),
        ])
    func words(_ error: HTTPError, _ status: Int, _ word: String) {
        #expect(error.status == status)
        #expect(error.error == word)
        #expect(!error.detail.isEmpty)
        #expect(HTTPResponse(error).status == status)
        #expect(HTTPResponse(error).body == Array("{\"error\":\"\(word)\"}".utf8))
        #expect(ResponseHeadEncoder.reason(status).utf8CodeUnitCount > 0)
    }

    @Test("the detail is for the log and never in the answer")
    func detail() {
        let response = HTTPResponse(.badRequest("two Host fields"))
        #expect(!String(decoding: response.body, as: UTF8.self).contains("Host"))
        #expect(!response.fields.contains { $0.value.contains("Host") })
        #expect(HTTPError(status: 418, error: "teapot").detail.isEmpty)
    }

    @Test("a word that would need escaping in JSON is cut, not escaped")
    func cutWord() throws {
        for byte in UInt8.min..<0x80 {
            let response = HTTPResponse.json(400, error: "a" + String(Unicode.Scalar(byte)) + "b")
            let word = try #require(try JSONReader.read(response.body)["error"]?.stringValue)
            let isKept = byte >= 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x5C
            #expect(word == (isKept ? "a" + String(Unicode.Scalar(byte)) + "b" : "ab"))
        }
        #expect(HTTPResponse.json(400, error: "caf\u{E9}").body == Array("{\"error\":\"caf\"}".utf8))
    }

    @Test("kinds of bodies name their type")
    func types() {
        #expect(HTTPResponse.json(200, body: [1]).fields.map(\.value) == ["application/json"])
        #expect(HTTPResponse.text(200, "x").fields.map(\.value) == ["text/plain; charset=utf-8"])
        #expect(HTTPResponse.text(200, "\u{E9}").body == [0xC3, 0xA9])
        let fields = HTTPResponse.text(200, "x", fields: [(name: "Vary", value: "Origin")]).fields
        #expect(fields.map(\.name) == ["Content-Type", "Vary"])
        #expect(HTTPResponse(HTTPError(status: 426, error: "x")).fields.map(\.name) == ["Content-Type", "Upgrade"])
        #expect(HTTPResponse(HTTPError(status: 425, error: "x")).fields.map(\.name) == ["Content-Type"])
    }
}

@Suite("RFC 9110 §5.6.7: every part of a date")
struct HTTPDatePartTests {
    private static func text(_ seconds: Int64) -> String {
        let buffer = ByteBuffer()
        HTTPDate(wall: seconds * .second).append(to: buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    @Test("the months, on the first day of each in 2026")
    func months() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let weekdays = ["Thu", "Sun", "Sun", "Wed", "Fri", "Mon", "Wed", "Sat", "Tue", "Thu", "Sun", "Tue"]
        var seconds: Int64 = 1_767_225_600
        for month in 0..<12 {
            #expect(Self.text(seconds) == "\(weekdays[month]), 01 \(names[month]) 2026 00:00:00 GMT")
            #expect(Self.text(seconds - 1).hasSuffix(" 23:59:59 GMT"))
            seconds += Int64(lengths[month]) * 86_400
        }
        #expect(Self.text(seconds) == "Fri, 01 Jan 2027 00:00:00 GMT")
    }

    @Test("every second of a day is told in two digits each")
    func day() {
        var expected = 0
        for second in stride(from: 0, to: 86_400, by: 7) {
            let time = Self.text(Int64(second)).split(separator: " ")[4].split(separator: ":")
            let parts = time.compactMap { Int($0) }
            #expect(time.allSatisfy { $0.utf8.count == 2 })
            #expect(parts == [expected / 3600, expected / 60 % 60, expected % 60])
            expected += 7
        }
    }

    @Test("days of one digit have a zero in front, and the weekdays follow each other")
    func days() {
        let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        for day in 0..<31 {
            let text = Self.text(Int64(day) * 86_400 + 43_200)
            #expect(text.hasPrefix("\(names[day % 7]), \(day < 9 ? "0" : "")\(day + 1) Jan 1970 12:00:00"))
        }
    }

    @Test("a moment within a second is written as that second")
    func fractions() {
        #expect(HTTPDate(wall: 999_999_999) == HTTPDate(wall: 0))
        #expect(HTTPDate(wall: 1_000_000_000) != HTTPDate(wall: 0))
        #expect(HTTPDate(wall: -1) == HTTPDate(wall: 0))
    }
}
