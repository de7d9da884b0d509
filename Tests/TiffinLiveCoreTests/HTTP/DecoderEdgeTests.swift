import Testing

@testable import TiffinLiveCore

@Suite("RFC 9112 §2, §11.2: limits of a head, and what smuggled requests are made of")
struct DecoderEdgeTests {
    @Test("no limit under 64 bytes counts, and a limit is met to the byte")
    func smallestLimit() {
        let head = { (length: Int) in
            let start = "GET / HTTP/1.1\r\nHost: a\r\nX: "
            return Array((start + String(repeating: "x", count: length - start.utf8.count - 4) + "\r\n\r\n").utf8)
        }
        for limit in [0, -1, 1, 63, 64] {
            #expect(DecodedRequests.read([head(64)], headLimit: limit).status == 200)
            #expect(DecodedRequests.read([head(65)], headLimit: limit).status == 431)
        }
        #expect(DecodedRequests.read([head(65)], headLimit: 65).status == 200)
        #expect(DecodedRequests.read([head(66)], headLimit: 65).status == 431)
    }

    @Test("the head limit does not count what follows the head")
    func behindTheHead() {
        let head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let outcome = DecodedRequests.read([Array((head + String(repeating: "x", count: 5000)).utf8)], headLimit: 64)
        #expect(outcome.status == 200)
        #expect(outcome.rest.count == 5000)
    }

    @Test("a head that reaches the limit unfinished is refused at once: 414 in its first line, 431 behind it")
    func noWaiting() {
        let line = Array(("GET /" + String(repeating: "a", count: 100)).utf8)
        #expect(DecodedRequests.read([Array(line.prefix(63))], headLimit: 64).status == 0)
        #expect(DecodedRequests.read([Array(line.prefix(64))], headLimit: 64).status == 414)
        let field = Array(("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 100)).utf8)
        #expect(DecodedRequests.read([Array(field.prefix(63))], headLimit: 64).status == 0)
        #expect(DecodedRequests.read([Array(field.prefix(64))], headLimit: 64).status == 431)
    }

    @Test("an empty line that was forgiven counts towards the limit and is forgiven once for each request")
    func emptyLines() {
        let head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let outcome = DecodedRequests.read([Array(("\r\n" + head + "\r\n" + head).utf8)], maximum: 2)
        #expect(outcome.heads.count == 2)
        let two = DecodedRequests.read([Array((head + "\r\n\r\n" + head).utf8)], maximum: 2)
        #expect(two.heads.count == 1 && two.refused?.status == 400)
    }

    /// What stands behind a request that was refused must not be read as a request.
    @Test(
        "a request that another reader might end elsewhere is refused",
        arguments: [
            "Content-Length: 5\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 0",
            "Content-Length: 0\r\nContent-Length: 5",
            "Content-Length: 5\r\ncontent-length: 5",
            "Content-Length: 5,5",
            "Content-Length: 5;",
            "Content-Length: \"5\"",
            "Content-Length: 5.0",
            "Content-Length: 5e0",
            "Content-Length: 0b1",
            "Content-Length: 0o5",
            "Content-Length: \u{B2}",
            "Content-Length: 9223372036854775808",
            "Content-Length: 18446744073709551616",
            "Content-Length: 92233720368547758070",
            "Transfer-Encoding: identity",
            "Transfer-Encoding: gzip",
            "Transfer-Encoding: chunked, gzip",
            "Transfer-Encoding: gzip, chunked, chunked",
            "Transfer-Encoding: chunked, gzip, chunked",
            "Transfer-Encoding: chunkedd",
            "Transfer-Encoding: \"chunked\"",
            "Transfer-Encoding: chunked\u{A0}",
            "Transfer-Encoding: ,",
            "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding\u{A0}: chunked",
            "Transfer-Encoding:\u{B}chunked",
            "Transfer-Encoding: x\r\n chunked",
            "Transfer_Encoding : chunked",
            "Host: b",
        ])
    func smuggling(_ fields: String) {
        let request = RawRequest("", line: "POST / HTTP/1.1", fields + "\r\n")
        let behind = RawRequest("").bytes
        let outcome = ChunkedFeed.check(request.bytes + behind) { DecodedRequests.read($0, maximum: 2) }
        #expect(outcome.heads.isEmpty)
        #expect(outcome.refused?.status == 400)
    }

    @Test("names that only look like those of framing mean nothing")
    func lookalikes() throws {
        for name in ["Content_Length", "Content-Lengthx", "Content.Length", "Transfer_Encoding", "XTransfer-Encoding"] {
            let request = try #require(try DecodedRequests.request("GET / HTTP/1.1\r\nHost: a\r\n\(name): 5\r\n\r\n"))
            #expect(!request.hasBody)
        }
    }

    @Test(
        "codings before chunked are answered 501, in any case and with any spaces", arguments: ["gzip", "GZIP", "x-y"])
    func otherCodings(_ coding: String) {
        for value in ["\(coding), chunked", "\(coding),CHUNKED", ", \(coding) ,, chunked ,", "a, \(coding), chunked"] {
            let request = RawRequest("", line: "POST / HTTP/1.1", "Transfer-Encoding: \(value)\r\n")
            #expect(DecodedRequests.read([request.bytes]).status == 501)
        }
    }

    @Test("a method of 32 bytes is the longest, segments go to 32, query items to 128")
    func counts() throws {
        let segments = String(repeating: "/a", count: 32)
        #expect(
            try DecodedRequests.request("GET \(segments) HTTP/1.1\r\nHost: a\r\n\r\n")?.target.segments?.count == 32)
        let request = try DecodedRequests.request("GET \(segments)/a HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try #require(request).target.segments == nil)
        let items = Array(repeating: "a", count: 128).joined(separator: "&")
        #expect(try DecodedRequests.request("GET /?\(items) HTTP/1.1\r\nHost: a\r\n\r\n")?.target.query.count == 128)
        #expect(DecodedRequests.read([RawRequest("", target: "/?\(items)&a").bytes]).status == 400)
    }

    @Test("every byte of the version counts")
    func version() {
        let good = Array("HTTP/1.1".utf8)
        for place in good.indices {
            for byte in UInt8.min...UInt8.max where byte != good[place] {
                var changed = good
                changed[place] = byte
                let outcome = DecodedRequests.read([Array("GET / ".utf8) + changed + Array("\r\nHost: a\r\n\r\n".utf8)])
                let isOther = ASCII.isDigit(byte) && (place == 5 || place == 7)
                let isOlder = place == 7 && byte == ASCII.zero
                #expect(outcome.status == (isOlder ? 200 : isOther ? 505 : 400))
            }
        }
    }

    @Test("of all bytes in a field value exactly the control bytes but the tab are refused")
    func valueBytes() {
        for byte in UInt8.min...UInt8.max {
            let head = Array("GET / HTTP/1.1\r\nHost: a\r\nX: a".utf8) + [byte] + Array("b\r\n\r\n".utf8)
            let isControl = byte < 0x20 && byte != 0x09 || byte == 0x7F
            #expect(DecodedRequests.read([head]).status == (isControl ? 400 : 200))
        }
    }

    @Test("of all bytes in a field name exactly those of a token are taken")
    func nameBytes() {
        for byte in UInt8.min...UInt8.max where byte != ASCII.colon {
            let head = Array("GET / HTTP/1.1\r\nHost: a\r\nX".utf8) + [byte] + Array("Y: b\r\n\r\n".utf8)
            #expect(DecodedRequests.read([head]).status == (ByteSet.token.contains(byte) ? 200 : 400))
        }
    }

    @Test("of all bytes in a target exactly the visible ones but the number sign are taken")
    func targetBytes() {
        for byte in UInt8.min...UInt8.max {
            let head = Array("GET /a".utf8) + [byte] + Array("b HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            let isTaken = byte > 0x20 && byte < 0x7F && byte != 0x23
            #expect(DecodedRequests.read([head]).status == (isTaken ? 200 : 400))
        }
    }
}
