import Testing

@testable import TiffinLiveCore

@Suite("RFC 9112 §3: request line")
struct RequestLineTests {
    static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    static let malformed: [RawRequest] = [
        RawRequest("two spaces before the target", line: "GET  /ws HTTP/1.1"),
        RawRequest("two spaces before the version", line: "GET /ws  HTTP/1.1"),
        RawRequest("tab as separator", line: "GET\t/ws\tHTTP/1.1"),
        RawRequest("space after the version", line: "GET /ws HTTP/1.1 "),
        RawRequest("no version", line: "GET /ws"),
        RawRequest("method alone", line: "GET"),
        RawRequest("method and space", line: "GET "),
        RawRequest("HTTP/0.9", raw: "GET /\r\n\r\n"),
        RawRequest("method G\"T", line: "G\"T /ws HTTP/1.1"),
        RawRequest("white space first", raw: " GET /ws HTTP/1.1\r\nHost: a\r\n\r\n"),
        RawRequest("SSH banner", raw: "SSH-2.0-OpenSSH_9.2\r\n\r\n"),
        RawRequest("SSH banner, nothing more", raw: "SSH-2.0-OpenSSH_9.2\r\n"),
        RawRequest("two empty lines first", raw: "\r\n\r\nGET /ws HTTP/1.1\r\nHost: a\r\n\r\n"),
        RawRequest("line feed first", raw: "\nGET /ws HTTP/1.1\r\nHost: a\r\n\r\n"),
    ]

    @Test("a malformed request line is refused with 400", arguments: malformed)
    func malformedLine(_ request: RawRequest) {
        #expect(ChunkedFeed.check(request.bytes) { DecodedRequests.read($0) }.refused?.status == 400)
    }

    @Test(
        "a malformed version is refused with 400",
        arguments: [
            "http/1.1", "HTTP/1.1x", "HTTP/1.10", "HTTP/01.1", "HTTP/1", "HTTP/1,1", "HTTP /1.1", "HTTPS/1.1",
            "ICY/1.1", "HTTP/-1.1", "HTTP/", "HTTP/1.", "HTTP/.1", "HTTP/a.1", "HTTP/1.b", "hTTP/1.1", "HTTP\\1.1",
        ])
    func malformedVersion(_ version: String) {
        let request = RawRequest(version, line: "GET /ws \(version)")
        #expect(ChunkedFeed.check(request.bytes) { DecodedRequests.read($0) }.refused?.status == 400)
    }

    @Test(
        "a version other than 1.0 and 1.1 is refused with 505",
        arguments: ["HTTP/2.0", "HTTP/9.9", "HTTP/1.2", "HTTP/0.9", "HTTP/3.0", "HTTP/1.9"])
    func otherVersion(_ version: String) {
        let request = RawRequest(version, line: "GET /ws \(version)")
        #expect(ChunkedFeed.check(request.bytes) { DecodedRequests.read($0) }.refused?.status == 505)
    }

    @Test("the HTTP/2 preface is refused at the end of its first line")
    func preface() {
        let first = Array(Self.preface.utf8.prefix(16))
        #expect(DecodedRequests.read([first]).refused?.status == 505)
        #expect(ChunkedFeed.check(Array(Self.preface.utf8)) { DecodedRequests.read($0) }.refused?.status == 505)
    }

    @Test(
        "another protocol is refused at its first byte, not at a deadline", arguments: [0x16, 0x80, 0x00, 0xFF, 0x0A])
    func firstByte(_ byte: Int) {
        #expect(DecodedRequests.read([[UInt8(byte)]]).refused?.status == 400)
        #expect(DecodedRequests.read([[13], [10], [UInt8(byte)]]).refused?.status == 400)
        #expect(DecodedRequests.read([[13, 10, UInt8(byte)]]).refused?.status == 400)
    }

    @Test("a control byte is refused as soon as it comes, with no line end to follow")
    func earlyControlByte() {
        #expect(DecodedRequests.read([Array("GET /a".utf8) + [1]]).refused?.status == 400)
        #expect(DecodedRequests.read([Array("GET /a HTTP/1.1\rH".utf8)]).refused?.status == 400)
        #expect(DecodedRequests.read([Array("GET /a HTTP/1.1\n".utf8)]).refused?.status == 400)
    }

    @Test("one empty line before the request line is forgiven")
    func emptyLineFirst() {
        let request = RawRequest("", raw: "\r\nGET /ws HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(ChunkedFeed.check(request.bytes) { DecodedRequests.read($0) }.heads.count == 1)
    }

    @Test("any token is a method and is kept as sent", arguments: ["GET", "get", "M-SEARCH", "A!#$%&'*+-.^_`|~9"])
    func methods(_ method: String) throws {
        #expect(try DecodedRequests.request("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n")?.method == method)
    }

    @Test("a method longer than any that exists is answered 501")
    func longMethod() {
        let longest = String(repeating: "A", count: RequestLine.maximumMethodLength)
        let longer = longest + "A"
        #expect(DecodedRequests.read([RawRequest("", line: "\(longest) /ws HTTP/1.1").bytes]).status == 200)
        #expect(DecodedRequests.read([RawRequest("", line: "\(longer) /ws HTTP/1.1").bytes]).status == 501)
        let huge = RawRequest("", line: String(repeating: "A", count: 5000) + " /ws HTTP/1.1")
        #expect(ChunkedFeed.check(huge.bytes) { DecodedRequests.read($0) }.status == 501)
    }

    @Test("CONNECT and its authority-form are refused")
    func connect() {
        #expect(DecodedRequests.read([RawRequest("", line: "CONNECT localhost:8080 HTTP/1.1").bytes]).status == 400)
    }
}
