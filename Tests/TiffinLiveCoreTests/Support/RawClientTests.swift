import Testing

@Suite("The raw test client")
struct RawClientTests {
    let client: RawClient
    let server: RawClient

    init() throws {
        (client, server) = try RawClient.pair()
        client.timeoutMilliseconds = 2_000
        server.timeoutMilliseconds = 2_000
    }

    @Test("reads bodies of a known length and chunked ones, one behind the other")
    func bodies() throws {
        try server.send(
            "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\nX-A:  1 \r\n\r\nok"
                + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0000000a\r\n0123456789\r\n0\r\n\r\n"
        )
        let first = try client.receiveResponse()
        #expect(first.status == 401)
        #expect(first.text == "ok")
        #expect(first.only("x-a") == "1")
        #expect(try client.receiveResponse().text == "abc0123456789")
    }

    @Test(
        "refuses heads that are not strict",
        arguments: [
            "HTTP/1.1 200 OK\nContent-Length: 0\n\r\n\r\n", "HTTP/1.1 200 OK\r\nA b: c\r\n\r\n",
            "HTTP/1.1 200 OK\r\n folded\r\n\r\n", "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
        ])
    func strictHeads(head: String) throws {
        try server.send(head)
        #expect(throws: RawClientError.self) { try client.receiveResponse() }
    }

    @Test("sends a request with Host and Content-Length")
    func request() throws {
        try server.send("HTTP/1.1 204 No Content\r\n\r\n")
        #expect(try client.post("/x", body: "abc").status == 204)
        #expect(
            try server.receive(through: Array("abc".utf8), as: "a request")
                == Array("POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\n\r\nabc".utf8))
    }

    @Test("checks the handshake and keeps the frames behind it")
    func handshake() throws {
        let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        try server.send(head + "Sec-WebSocket-Accept: \(RawClient.accept)\r\n\r\n")
        try server.send(RawFrame(opcode: RawFrame.text, payload: [0x68, 0x69]).encoded(key: nil))
        try client.openWebSocket("/s", token: "t")
        #expect(try client.receiveText() == "hi")
        try server.send(head + "Sec-WebSocket-Accept: AAAA\r\n\r\n")
        #expect(throws: RawClientError.self) { try client.upgrade("/s") }
    }

    @Test("reads frames of every length class", arguments: [0, 1, 125, 126, 65_535, 65_536, 100_000])
    func lengths(count: Int) throws {
        let frame = RawFrame(opcode: RawFrame.binary, payload: [UInt8](repeating: 7, count: count))
        try server.send(frame.encoded(key: nil))
        #expect(try client.receiveFrame() == frame)
    }

    @Test(
        "refuses frames that a server must not send",
        arguments: [
            [0xC1, 0x00], [0x81, 0x80, 0, 0, 0, 0], [0x83, 0x00], [0x82, 126, 0, 5],
            [0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF],
            [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], [0x09, 0x00], [0x89, 126, 1, 0],
        ])
    func badFrames(bytes: [UInt8]) throws {
        try server.send(bytes)
        #expect(throws: RawClientError.self) { try client.receiveFrame() }
    }

    @Test("masks what it sends, with any key")
    func masks() throws {
        try client.send(RawFrame(opcode: RawFrame.text, payload: Array("Hello".utf8)))
        #expect(try server.receive(11) == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
        try client.send(RawFrame(opcode: RawFrame.ping, payload: [1]), key: [0, 0, 0, 0])
        #expect(try server.receive(7) == [0x89, 0x81, 0, 0, 0, 0, 1])
    }

    @Test("reads a close and tells what stands in its way")
    func close() throws {
        let close = RawFrame(opcode: RawFrame.close, payload: RawFrame.closePayload(4001, "token_expired"))
        try server.send(close.encoded(key: nil))
        let found = try client.expectClose()
        #expect(found.code == 4001)
        #expect(found.reason == "token_expired")
        try server.send(RawFrame(opcode: RawFrame.ping).encoded(key: nil) + close.encoded(key: nil))
        #expect(throws: RawClientError.self) { try client.expectClose() }
        #expect(try client.expectClose().code == 4001)
    }

    @Test("tells FIN from what still comes before it")
    func ends() throws {
        try server.send("x")
        server.finishSending()
        #expect(throws: RawClientError.self) { try client.expectEnd() }
        #expect(client.end == .finished)
        #expect(throws: RawClientError.ended(.finished, waitingFor: "bytes", received: [])) { try client.receive(1) }
    }

    @Test("tells a reset from FIN")
    func resets() throws {
        try client.send("never read")
        server.close()
        #expect(try client.expectEnd() == .reset)
    }

    @Test("a wait that ends in nothing is an error")
    func timesOut() throws {
        client.timeoutMilliseconds = 1
        #expect(throws: RawClientError.timedOut(waitingFor: "a frame")) { try client.receiveFrame() }
        #expect(try client.isQuiet(forMilliseconds: 1))
    }

    @Test("reads events, comments and the last chunk of a stream")
    func eventStream() throws {
        try server.send(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                + Self.chunk("retry: 1500\nevent: welcome\nid: 1-0\ndata: {}\n\n:\n\ndata: a\n")
                + Self.chunk("data:  b\r\ndata\r\n\r\nevent: close\ndata: x\n\ndata: lost") + "0\r\n\r\n")
        let stream = try client.openEventStream("/e", token: "t", lastEventID: "9-9")
        #expect(try stream.nextBlock() == RawEvent(id: "1-0", event: "welcome", data: "{}", retry: "1500"))
        #expect(try stream.nextBlock() == RawEvent(comments: [""]))
        #expect(try stream.nextBlock() == RawEvent(data: "a\n b\n"))
        #expect(try stream.nextEvent(named: "close")?.data == "x")
        #expect(try stream.nextEvent() == nil)
        #expect(stream.ending == .lastChunk)
    }

    @Test("a chunked stream without its last chunk is cut")
    func cutStream() throws {
        try server.send(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                + Self.chunk("data: a\n\n"))
        server.finishSending()
        let stream = try client.openEventStream("/e")
        #expect(try stream.nextEvent()?.data == "a")
        #expect(try stream.nextEvent() == nil)
        #expect(stream.ending == .cut(.finished))
    }

    @Test("an HTTP/1.0 stream lasts until the connection ends")
    func unchunkedStream() throws {
        try server.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: a\n\n")
        server.finishSending()
        let stream = try client.openEventStream("/e", version: "HTTP/1.0")
        #expect(try stream.nextEvent()?.data == "a")
        #expect(try stream.nextEvent() == nil)
    }

    static func chunk(_ text: String) -> String {
        "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n"
    }
}
