import Testing

@testable import TiffinLiveCore

@Suite("RFC 9112 §6.2: bodies of announced length")
struct HTTPBodyReaderTests {
    private func request(length: Int = 0, isChunked: Bool = false) -> HTTPRequest {
        HTTPRequest(
            method: "POST", target: RequestTarget(path: "/", segments: [], query: []), contentLength: length,
            isChunked: isChunked)
    }

    private struct Outcome: Equatable {
        var bodies: [[UInt8]] = []
        var rest: [UInt8] = []
    }

    private func read(_ chunks: [[UInt8]], length: Int) -> Outcome? {
        guard var reader = try? HTTPBodyReader(request(length: length), limit: 64) else { return nil }
        var outcome = Outcome()
        for chunk in chunks {
            guard outcome.bodies.isEmpty else {
                outcome.rest += chunk
                continue
            }
            var consumed = 0
            if let body = chunk.withUnsafeBytes({ reader.receive($0, consumed: &consumed) }) {
                outcome.bodies.append(body)
            }
            outcome.rest += chunk.dropFirst(consumed)
        }
        return outcome
    }

    @Test("the body is the announced bytes, what follows is left", arguments: [1, 5, 11, 12])
    func body(_ length: Int) {
        let bytes = Array("hello, world".utf8)
        let outcome = ChunkedFeed.check(bytes) { read($0, length: length) }
        #expect(outcome == Outcome(bodies: [Array(bytes.prefix(length))], rest: Array(bytes.dropFirst(length))))
    }

    @Test("an empty body is whole without a byte")
    func emptyBody() throws {
        var reader = try HTTPBodyReader(request(), limit: 64)
        var consumed = 9
        #expect(reader.receive(UnsafeRawBufferPointer(start: nil, count: 0), consumed: &consumed) == [])
        #expect(consumed == 0)
    }

    @Test("a body that is cut short is never given")
    func cutShort() {
        let outcome = ChunkedFeed.check(Array("hell".utf8)) { read($0, length: 5) }
        #expect(outcome == Outcome())
    }

    @Test("a body over the limit is refused before its first byte", arguments: [65, 10_485_760, Int.max])
    func tooLarge(_ length: Int) {
        #expect(throws: HTTPError.contentTooLarge) { try HTTPBodyReader(request(length: length), limit: 64) }
        #expect(throws: Never.self) { try HTTPBodyReader(request(length: 64), limit: 64) }
    }

    @Test("a chunked body is asked for again with a length")
    func chunked() {
        #expect(throws: HTTPError.lengthRequired) { try HTTPBodyReader(request(isChunked: true), limit: 64) }
    }
}
