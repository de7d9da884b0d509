import Testing

@testable import TiffinLiveCore

@Suite("RFC 9112 §7.1: chunked transfer coding")
struct ChunkedEncoderTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(
        "a chunk is its size in hexadecimal, and its bytes",
        arguments: [1, 9, 10, 15, 16, 255, 4096, 65_536, 1_000_000])
    func chunk(_ size: Int) throws {
        let buffer = ByteBuffer()
        let payload = [UInt8](repeating: 65, count: size)
        payload.withUnsafeBytes { ChunkedEncoder.append(chunk: $0, to: buffer) }
        let written = buffer.array
        let line = try #require(String(validating: written.prefix(8), as: UTF8.self))
        #expect(Int(line, radix: 16) == size)
        #expect(Array(written[8..<10]) == bytes("\r\n"))
        #expect(Array(written[10...]) == payload + bytes("\r\n"))
    }

    @Test("an empty chunk is not written: it would end the body")
    func emptyChunk() {
        let buffer = ByteBuffer()
        ChunkedEncoder.append(chunk: UnsafeRawBufferPointer(start: nil, count: 0), to: buffer)
        #expect(buffer.isEmpty)
        buffer.append("before")
        ChunkedEncoder.end(ChunkedEncoder.begin(in: buffer), in: buffer)
        #expect(buffer.array == bytes("before"))
    }

    @Test("a block is encoded in place behind what is already there")
    func inPlace() {
        let buffer = ByteBuffer(capacity: 16)
        buffer.append("before")
        let slot = ChunkedEncoder.begin(in: buffer)
        EventStreamEncoder.append(event: nil, id: nil, data: "hello", to: buffer)
        ChunkedEncoder.end(slot, in: buffer)
        ChunkedEncoder.appendLast(to: buffer)
        #expect(buffer.array == bytes("before0000000d\r\ndata: hello\n\n\r\n0\r\n\r\n"))
    }
}

@Suite("Contract §8: the response that opens an event stream")
struct EventStreamHandshakeTests {
    private func head(_ version: HTTPVersion, closes: Bool = true) -> String {
        let buffer = ByteBuffer()
        EventStreamHandshake.appendResponse(
            to: buffer, date: HTTPDate(wall: 0), version: version,
            extraFields: [(name: "Vary", value: "Origin\r\nX: 1")], closes: closes)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    @Test("nothing on the way may store, hold back or recode the stream", arguments: [HTTPVersion.http10, .http11])
    func fields(_ version: HTTPVersion) {
        let text = head(version)
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"))
        #expect(text.contains("\r\nContent-Type: text/event-stream\r\n"))
        #expect(text.contains("\r\nCache-Control: no-cache, no-store, no-transform\r\n"))
        #expect(text.contains("\r\nX-Accel-Buffering: no\r\n"))
        #expect(text.contains("\r\nVary: OriginX: 1\r\n"))
        #expect(!text.contains("Content-Length") && !text.contains("Content-Encoding"))
        #expect(text.hasSuffix("\r\n\r\n"))
        #expect(text.contains("Transfer-Encoding: chunked\r\n") == (version == .http11))
    }

    @Test("an HTTP/1.0 stream ends with its connection, an HTTP/1.1 stream as asked")
    func connection() {
        #expect(head(.http10, closes: false).contains("\r\nConnection: close\r\n"))
        #expect(head(.http11).contains("\r\nConnection: close\r\n"))
        #expect(!head(.http11, closes: false).contains("Connection"))
    }
}
