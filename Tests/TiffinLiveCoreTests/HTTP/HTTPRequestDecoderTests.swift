import Testing

@testable import TiffinLiveCore

@Suite("RFC 9112 §2: reading requests from a connection")
struct HTTPRequestDecoderTests {
    static let upgrade =
        "GET /rider/socket?last_event_id=1-0 HTTP/1.1\r\nHost: live.tiffin.example\r\nUpgrade: websocket\r\n"
        + "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        + "Sec-WebSocket-Version: 13\r\nAuthorization: Bearer a.b.c\r\n\r\n"

    @Test("a head split anywhere gives the same request")
    func crumbs() throws {
        let outcome = ChunkedFeed.check(Array(Self.upgrade.utf8)) { DecodedRequests.read($0) }
        #expect(outcome.heads.count == 1)
        #expect(outcome.rest.isEmpty)
        let request = try #require(try DecodedRequests.request(Self.upgrade))
        #expect(request.method == "GET")
        #expect(request.target.segments == ["rider", "socket"])
        #expect(request.target.values(ofQuery: "last_event_id") == ["1-0"])
        #expect(request.version == .http11)
        #expect(request.fields.count == 6)
        #expect(request.fields.list("connection", contains: "upgrade"))
        #expect(request.fields.text("authorization") == "Bearer a.b.c")
        #expect(!request.hasBody)
    }

    @Test("what follows the head is left, to the byte, for whoever comes next")
    func frameInTheSameSegment() {
        let frame: [UInt8] = [0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]
        let outcome = ChunkedFeed.check(Array(Self.upgrade.utf8) + frame) { DecodedRequests.read($0) }
        #expect(outcome.heads.count == 1)
        #expect(outcome.rest == frame)
    }

    @Test("pipelined requests are read one after the other, each with fields of its own")
    func pipelining() {
        let first = "GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n\r\n"
        let bytes = Array((first + "\r\n" + Self.upgrade + first).utf8)
        let outcome = ChunkedFeed.check(bytes) { DecodedRequests.read($0, maximum: 3) }
        #expect(outcome.heads.count == 3)
        #expect(outcome.heads.first == outcome.heads.last)
        #expect(outcome.heads.first != outcome.heads.dropFirst().first)
        #expect(outcome.rest.isEmpty && outcome.refused == nil)
    }

    @Test("after a refused request nothing behind it is read")
    func nothingAfterARefusal() {
        let bytes = Array(("GET /a HTTP/1.1\r\n\r\n" + Self.upgrade).utf8)
        let outcome = ChunkedFeed.check(bytes) { DecodedRequests.read($0, maximum: 2) }
        #expect(outcome.heads.isEmpty)
        #expect(outcome.refused?.status == 400)
    }

    @Test("an unfinished head waits and says so")
    func halfAHead() throws {
        let half = Array(Self.upgrade.utf8.prefix(40))
        let outcome = ChunkedFeed.check(half) { DecodedRequests.read($0) }
        #expect(outcome.status == 0)
        var decoder = HTTPRequestDecoder()
        var consumed = 0
        #expect(!decoder.isInsideHead)
        #expect(try DecodedRequests.receive([], &decoder, &consumed) == nil)
        #expect(!decoder.isInsideHead)
        #expect(try DecodedRequests.receive(half, &decoder, &consumed) == nil)
        #expect(decoder.isInsideHead)
        #expect(consumed == 40)
        let rest = Array(Self.upgrade.utf8.dropFirst(40)) + [1, 2, 3]
        #expect(try DecodedRequests.receive(rest, &decoder, &consumed) != nil)
        #expect(consumed == rest.count - 3)
        #expect(!decoder.isInsideHead)
    }

    @Test("a head of exactly the limit is taken, one byte more is answered 431")
    func headLimit() {
        let start = "GET / HTTP/1.1\r\nHost: a\r\nX-Pad: "
        let head = { (length: Int) in
            Array((start + String(repeating: "a", count: length - start.utf8.count - 4) + "\r\n\r\n").utf8)
        }
        #expect(ChunkedFeed.check(head(1024)) { DecodedRequests.read($0, headLimit: 1024) }.status == 200)
        #expect(ChunkedFeed.check(head(1025)) { DecodedRequests.read($0, headLimit: 1024) }.status == 431)
        #expect(ChunkedFeed.check(head(9000)) { DecodedRequests.read($0, headLimit: 1024) }.status == 431)
    }

    @Test("a request line beyond the limit is answered 414")
    func requestLineLimit() {
        let line = Array("GET /\(String(repeating: "a", count: 2000)) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        #expect(ChunkedFeed.check(line) { DecodedRequests.read($0, headLimit: 1024) }.status == 414)
        #expect(ChunkedFeed.check(line) { DecodedRequests.read($0, headLimit: 4096) }.status == 200)
        #expect(
            DecodedRequests.read([RawRequest("", target: "/" + String(repeating: "a", count: 65_536)).bytes]).status
                == 414)
        #expect(
            DecodedRequests.read([RawRequest("", target: "/" + String(repeating: "a", count: 7999)).bytes]).status
                == 200)
    }

    @Test("real tokens and cookies fit")
    func largeCredentials() {
        let bearer = "Authorization: Bearer \(String(repeating: "a", count: 8754))\r\n"
        let cookie =
            "Cookie: \((0..<40).map { "c\($0)=\(String(repeating: "b", count: 150))" }.joined(separator: "; "))\r\n"
        #expect(DecodedRequests.read([RawRequest("", bearer).bytes]).status == 200)
        #expect(DecodedRequests.read([RawRequest("", cookie).bytes]).status == 200)
        #expect(DecodedRequests.read([RawRequest("", bearer + cookie).bytes]).status == 200)
    }

    @Test("endless input is refused at the limit with bounded memory")
    func endlessInput() {
        let flood = { (start: String, unit: String) in
            [Array(start.utf8)]
                + Array(repeating: Array(String(repeating: unit, count: 4096 / unit.utf8.count).utf8), count: 256)
        }
        #expect(DecodedRequests.read(flood("GET /", "a")).status == 414)
        #expect(DecodedRequests.read(flood("GET / HTTP/1.1\r\nHost: a\r\nX-Pad: ", "a")).status == 431)
        #expect(DecodedRequests.read(flood("GET / HTTP/1.1\r\nHost: a\r\n", "X-A: 1\r\n")).status == 431)
        #expect(DecodedRequests.read(flood("", "\r\n")).status == 400)
    }

    @Test("a head in one-byte reads costs no more than its bytes")
    func linearInCrumbs() {
        // Reading again from the start at every byte would take 2.7 billion steps here.
        let bytes = RawRequest("", "X-Pad: \(String(repeating: "a", count: 16 * 1024))\r\n").bytes
        let buffer = ByteBuffer()
        buffer.append(bytes)
        var whole = 0
        for _ in 0..<20 {
            var decoder = HTTPRequestDecoder()
            for index in 0..<bytes.count {
                var consumed = 0
                let byte = UnsafeRawBufferPointer(rebasing: buffer.bytes[index...index])
                if (try? decoder.receive(byte, consumed: &consumed)) != nil { whole += 1 }
            }
        }
        #expect(whole == 20)
    }

    @Test("no bytes whatever make the decoder trap or take more than it was given")
    func randomBytes() {
        var random = SeededRandom(seed: 11)
        let pieces = [
            "GET ", "/", " HTTP/1.1", "\r\n", "\r", "\n", "Host: a", ":", " ", "\t", "Content-Length: ", "9", ",",
            "\u{0}",
            "Transfer-Encoding: chunked", "?", "%2", "[::", "http://", "*", "OPTIONS", "\u{7F}", "Connection: close",
        ]
        for _ in 0..<3000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                bytes += (pieces.randomElement(using: &random) ?? "").utf8
            }
            var decoder = HTTPRequestDecoder(headLimit: 128)
            var consumed = 0
            _ = try? DecodedRequests.receive(bytes, &decoder, &consumed)
            #expect(consumed >= 0 && consumed <= bytes.count)
            _ = ChunkedFeed.check(bytes, randomRounds: 2) { DecodedRequests.read($0, headLimit: 128) }
        }
    }
}
