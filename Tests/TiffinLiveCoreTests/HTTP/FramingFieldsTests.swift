import Testing

@testable import TiffinLiveCore

@Suite("RFC 9112 §6, §9.3 and RFC 9110 §7.2: where a message ends, for which host, and what comes after it")
struct FramingFieldsTests {
    private static func post(_ name: String, _ add: String) -> RawRequest {
        RawRequest(name, line: "POST /live/tickets HTTP/1.1", add)
    }

    static let ambiguous: [RawRequest] = [
        post("Transfer-Encoding and Content-Length", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
        post("Content-Length and Transfer-Encoding", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
        post("Content-Length twice, different", "Content-Length: 5\r\nContent-Length: 6\r\n"),
        post("Content-Length twice, same", "Content-Length: 5\r\nContent-Length: 5\r\n"),
        post("Content-Length: 5, 6", "Content-Length: 5, 6\r\n"),
        post("Content-Length: +5", "Content-Length: +5\r\n"),
        post("Content-Length: -1", "Content-Length: -1\r\n"),
        post("Content-Length: 0x5", "Content-Length: 0x5\r\n"),
        post("Content-Length: 1_0", "Content-Length: 1_0\r\n"),
        post("Content-Length: 5 5", "Content-Length: 5 5\r\n"),
        post("Content-Length empty", "Content-Length:\r\n"),
        post("Content-Length: 2^64+5", "Content-Length: 18446744073709551621\r\n"),
        post("Content-Length: 2^63", "Content-Length: 9223372036854775808\r\n"),
        post("Content-Length of a thousand digits", "Content-Length: \(String(repeating: "9", count: 1000))\r\n"),
        post("Transfer-Encoding: xchunked", "Transfer-Encoding: xchunked\r\n"),
        post("Transfer-Encoding: chunked, identity", "Transfer-Encoding: chunked, identity\r\n"),
        post("Transfer-Encoding: chunked, chunked", "Transfer-Encoding: chunked, chunked\r\n"),
        post("Transfer-Encoding: chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
        post("Transfer-Encoding : chunked", "Transfer-Encoding : chunked\r\n"),
        post("Transfer-Encoding: VT chunked", "Transfer-Encoding: \u{B}chunked\r\n"),
        post("Transfer-Encoding empty", "Transfer-Encoding:\r\n"),
        post("Transfer-Encoding: chunked;a=b", "Transfer-Encoding: chunked;a=b\r\n"),
        RawRequest("Transfer-Encoding in HTTP/1.0", line: "POST / HTTP/1.0", "Transfer-Encoding: chunked\r\n"),
    ]

    @Test("framing that two readers could read differently is refused with 400", arguments: ambiguous)
    func ambiguousFraming(_ request: RawRequest) {
        let outcome = ChunkedFeed.check(request.bytes + Array("hello".utf8)) { DecodedRequests.read($0) }
        #expect(outcome.refused?.status == 400)
    }

    @Test("a coding before chunked is not implemented")
    func otherCoding() {
        let request = Self.post("", "Transfer-Encoding: gzip, chunked\r\n")
        #expect(DecodedRequests.read([request.bytes]).status == 501)
    }

    @Test(
        "the length of a body is told",
        arguments: [
            ("", 0, false), ("Content-Length: 0\r\n", 0, false), ("content-length: 5\r\n", 5, false),
            ("Content-Length: 005\r\n", 5, false), ("Content-Length:9223372036854775807\r\n", Int.max, false),
            ("Transfer-Encoding: Chunked\r\n", 0, true), ("Transfer-Encoding: ,chunked,\r\n", 0, true),
        ])
    func length(_ add: String, _ length: Int, _ isChunked: Bool) throws {
        let request = try #require(try DecodedRequests.request("POST / HTTP/1.1\r\nHost: a\r\n\(add)\r\n"))
        #expect(request.contentLength == length)
        #expect(request.isChunked == isChunked)
        #expect(request.hasBody == (length > 0 || isChunked))
    }

    @Test(
        "a malformed Host is refused with 400",
        arguments: [
            "a b", "a/b", "user@h", "h:port", "h:99999999", "h:65536", "h:1:2", "[::1", "::1", "[]", "[::1]x",
            "[::1]:x",
            "[1.2.3.4]", "[fe80::1%25eth0]", "a,b", "\u{7F}", "a\tb", "", ":80", "h%00", "\u{E9}", "*", "a?b",
            String(repeating: "a", count: 256),
        ])
    func malformedHost(_ host: String) {
        let request = RawRequest(host, host: "Host: \(host)")
        #expect(ChunkedFeed.check(request.bytes) { DecodedRequests.read($0) }.refused?.status == 400)
    }

    @Test(
        "a well-formed Host is taken",
        arguments: [
            "LOCALHOST", "a", "live.tiffin.example", "live.tiffin.example.:443", "127.0.0.1:8080", "h:", "h:0",
            "h:65535",
            "h:00080", "[::1]", "[::1]:8080", "[2001:DB8::1.2.3.4]:", "x_y-z~1",
        ])
    func wellFormedHost(_ host: String) {
        let request = RawRequest(host, host: "Host: \(host)")
        #expect(ChunkedFeed.check(request.bytes) { DecodedRequests.read($0) }.status == 200)
    }

    @Test("HTTP/1.1 has exactly one Host, HTTP/1.0 at most one")
    func hostCount() {
        let one = "HTTP/1.1"
        #expect(DecodedRequests.read([RawRequest("", host: nil).bytes]).status == 400)
        #expect(DecodedRequests.read([RawRequest("", "Host: localhost:8080\r\n").bytes]).status == 400)
        #expect(DecodedRequests.read([RawRequest("", "host: other.example\r\n").bytes]).status == 400)
        #expect(DecodedRequests.read([RawRequest("", line: "GET http://a/ \(one)", host: nil).bytes]).status == 400)
        #expect(DecodedRequests.read([RawRequest("", line: "GET / HTTP/1.0", host: nil).bytes]).status == 200)
        #expect(DecodedRequests.read([RawRequest("", line: "GET / HTTP/1.0", "Host: b\r\n").bytes]).status == 400)
    }

    @Test(
        "the connection goes on when both would have it so",
        arguments: [
            ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
            ("HTTP/1.1", "Connection: Upgrade, CLOSE\r\n", false), ("HTTP/1.1", "Connection: closed\r\n", true),
            ("HTTP/1.1", "Connection: keep-alive\r\nConnection: close\r\n", false), ("HTTP/1.0", "", false),
            ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
            ("HTTP/1.0", "Connection: keep-alive, close\r\n", false),
        ])
    func keepAlive(_ version: String, _ add: String, _ keepsAlive: Bool) throws {
        let request = try #require(try DecodedRequests.request("GET / \(version)\r\nHost: a\r\n\(add)\r\n"))
        #expect(request.keepsAlive == keepsAlive)
    }

    @Test(
        "100-continue is expected in HTTP/1.1 only, and other expectations are ignored",
        arguments: [
            ("HTTP/1.1", "Expect: 100-continue\r\n", true), ("HTTP/1.1", "Expect: 100-Continue\r\n", true),
            ("HTTP/1.1", "Expect: x-sorcery\r\n", false), ("HTTP/1.0", "Expect: 100-continue\r\n", false),
            ("HTTP/1.1", "", false),
        ])
    func expectation(_ version: String, _ add: String, _ expects: Bool) throws {
        let request = try #require(try DecodedRequests.request("GET / \(version)\r\nHost: a\r\n\(add)\r\n"))
        #expect(request.expectsContinue == expects)
    }
}
