import Testing

@testable import TiffinLiveCore

@Suite("RFC 9112 §5: field lines")
struct FieldLineTests {
    static let malformed: [RawRequest] = [
        RawRequest("space before colon", "Upgrade : websocket\r\n"),
        RawRequest("tab before colon", "X-A\t: 1\r\n"),
        RawRequest("obs-fold with a space", "X-A: 1\r\n 2\r\n"),
        RawRequest("obs-fold with a tab", "Connection: keep-alive,\r\n\tUpgrade\r\n"),
        RawRequest("white space before the first field", raw: "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
        RawRequest("bare LF ends the lines", raw: "GET / HTTP/1.1\nHost: a\n\n"),
        RawRequest("bare LF ends one field", "X-A: 1\nX-B: 2\r\n"),
        RawRequest("LF LF ends the head", raw: "GET / HTTP/1.1\r\nHost: a\r\n\n"),
        RawRequest("bare CR in a value", "X-A: 1\rX-B: 2\r\n"),
        RawRequest("CR CR LF", "X-A: 1\r\r\n"),
        RawRequest("bare CR ends the lines", raw: "GET / HTTP/1.1\rHost: a\r\r"),
        RawRequest("NUL in a value", "X-A: 1\u{0}2\r\n"),
        RawRequest("NUL in a name", "X\u{0}A: 1\r\n"),
        RawRequest("BEL in a value", "X-A: 1\u{7}2\r\n"),
        RawRequest("VT in a value", "X-A: 1\u{B}2\r\n"),
        RawRequest("ESC in a value", "User-Agent: \u{1B}[2J\r\n"),
        RawRequest("DEL in a value", "X-A: 1\u{7F}2\r\n"),
        RawRequest("empty name", ": 1\r\n"),
        RawRequest("no colon", "XA\r\n"),
        RawRequest("name X[]", "X[]: 1\r\n"),
        RawRequest("name (x)", "(x): 1\r\n"),
        RawRequest("name X A", "X A: 1\r\n"),
        RawRequest("name X\"", "X\": 1\r\n"),
        RawRequest("name X/A", "X/A: 1\r\n"),
        RawRequest("name in Latin-1", "\u{E9}t\u{E9}: 1\r\n"),
        RawRequest("name X@", "X@: 1\r\n"),
        RawRequest("tab in the name", "X\tA: 1\r\n"),
    ]

    @Test("a malformed field line is refused with 400", arguments: malformed)
    func malformedLine(_ request: RawRequest) {
        #expect(ChunkedFeed.check(request.bytes) { DecodedRequests.read($0) }.refused?.status == 400)
    }

    static let wellFormed: [(RawRequest, String, String)] = [
        (RawRequest("name in lower case", "x-a: 1\r\n"), "X-A", "1"),
        (RawRequest("name in upper case", "X-A: 1\r\n"), "x-a", "1"),
        (RawRequest("no space", "X-A:1\r\n"), "x-a", "1"),
        (RawRequest("tab and spaces around the value", "X-A:\t  1 2 \t \r\n"), "x-a", "1 2"),
        (RawRequest("tab inside the value", "X-A: 1\t2\r\n"), "x-a", "1\t2"),
        (RawRequest("empty value", "X-A:\r\n"), "x-a", ""),
        (RawRequest("white space for a value", "X-A: \t \r\n"), "x-a", ""),
        (RawRequest("colon in the value", "X-A: b:c\r\n"), "x-a", "b:c"),
        (RawRequest("UTF-8", "X-A: caf\u{C3}\u{A9}\r\n"), "x-a", "caf\u{E9}"),
        (RawRequest("obs-text", "X-A: caf\u{E9} \u{FF}\r\n"), "x-a", "caf\u{FFFD} \u{FFFD}"),
    ]

    @Test("a value comes without the white space around it", arguments: wellFormed)
    func value(_ request: RawRequest, _ name: String, _ value: String) throws {
        #expect(ChunkedFeed.check(request.bytes) { DecodedRequests.read($0) }.status == 200)
        var decoder = HTTPRequestDecoder()
        var consumed = 0
        let fields = try #require(try DecodedRequests.receive(request.bytes, &decoder, &consumed)).fields
        #expect(consumed == request.bytes.count)
        #expect(fields.values(name == "X-A" ? "X-A" : "x-a") == [value])
    }

    @Test("256 fields are taken, one more is answered 431")
    func fieldCount() {
        let fields = { (count: Int) in
            RawRequest("", host: nil, "Host: a\r\n" + (1..<count).map { "X-\($0): \($0)\r\n" }.joined())
        }
        #expect(DecodedRequests.read([fields(256).bytes]).status == 200)
        #expect(DecodedRequests.read([fields(257).bytes]).status == 431)
        #expect(DecodedRequests.read([fields(2000).bytes]).status == 431)
    }
}

@Suite("RFC 9110 §5: fields of a head")
struct HTTPFieldsTests {
    let fields = HTTPFields([
        (name: "Host", value: "a"), (name: "X-A", value: "1"), (name: "x-a", value: "2"),
        (name: "Connection", value: ",, keep-alive ,"), (name: "connection", value: "\tUpgrade"),
    ])

    @Test("names match without regard to case")
    func names() {
        #expect(fields.count == 5)
        #expect(fields.count(of: "x-a") == 2)
        #expect(fields.count(of: "X-A") == 2)
        #expect(fields.count(of: "x-") == 0)
        #expect(fields.count(of: "x-b") == 0)
        #expect(fields.contains("host"))
        #expect(!fields.contains("hos"))
    }

    @Test("the first value, and all values in order")
    func values() {
        #expect(fields.first("x-a") == Array("1".utf8))
        #expect(fields.text("x-a") == "1")
        #expect(fields.values("x-a") == ["1", "2"])
        #expect(fields.first("none") == nil)
        #expect(fields.text("none") == nil)
        #expect(fields.values("none").isEmpty)
        #expect(fields.withFirst("host") { $0.count } == 1)
    }

    @Test("a list runs over several lines, has empty elements, and is matched by whole elements in any case")
    func lists() {
        #expect(fields.list("connection", contains: "upgrade"))
        #expect(fields.list("connection", contains: "KEEP-ALIVE"))
        #expect(!fields.list("connection", contains: "keep"))
        #expect(!fields.list("connection", contains: ""))
        #expect(!HTTPFields([(name: "Connection", value: "xupgrade")]).list("connection", contains: "upgrade"))
        #expect(!HTTPFields([(name: "Connection", value: "upgrade x")]).list("connection", contains: "upgrade"))
        #expect(!HTTPFields().list("connection", contains: "upgrade"))
    }

    @Test("comparison folds letters only: @ is not the accent")
    func folding() {
        #expect(HTTPFields([(name: "A^", value: "1")]).count(of: "a~") == 0)
        #expect(HTTPFields([(name: "A^", value: "1")]).count(of: "a^") == 1)
    }
}
