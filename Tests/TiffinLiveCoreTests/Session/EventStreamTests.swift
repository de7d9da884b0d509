import Testing

@testable import TiffinLiveCore

@Suite("Contract 8: an event stream")
struct EventStreamTests {
    @Test(
        "the head tells caches and proxies to keep their hands off, and nothing of length or coding (B52)",
        arguments: ["HTTP/1.1", "HTTP/1.0"])
    func head(version: String) throws {
        let harness = try SessionHarness()
        harness.own("123", by: "7001")
        let client = try harness.connect()
        client.send(
            SessionHarness.stream(
                "/orders/123/events", token: harness.token("7001", role: "customer"), version: version,
                headers: [("Accept-Encoding", "gzip, br")]))
        let response = try client.response(headOnly: true)
        #expect(response.status == 200)
        #expect(response.only("Content-Type") == "text/event-stream")
        #expect(response.only("Cache-Control") == "no-cache, no-store, no-transform")
        #expect(response.only("X-Accel-Buffering") == "no")
        #expect(response.only("Content-Length") == nil)
        #expect(response.only("Content-Encoding") == nil)
        #expect(response.only("Transfer-Encoding") == (version == "HTTP/1.1" ? "chunked" : nil))
        #expect(response.only("Connection") == "close")
    }

    @Test("begins at once with retry and welcome, although no event comes (B53)")
    func beginning() throws {
        let harness = try SessionHarness([#"heartbeat={comment:"15s"}"#])
        let client = try harness.openStream()
        let blocks = try client.blocks()
        let retry = try #require(blocks.compactMap(\.retry).first.flatMap { Int($0) })
        #expect((500...30_000).contains(retry))
        let welcome = try #require(blocks.first { $0.event == "welcome" })
        let name = ServerMessage.name(ofConnection: client.session.id)
        #expect(
            welcome.data
                == #"{"type":"welcome","connection":"\#(name)","user":"7001","expires_in":900,"heartbeat":15}"#)
        #expect(welcome.id == harness.broker.lastID.description)
        #expect(blocks.count(where: { $0.data != nil }) == 1)
        #expect(client.opened == 1)
        #expect(client.session.transport == .sse)
    }

    @Test("the delay before reconnecting is not the same for everybody")
    func retry() throws {
        var delays: Set<String> = []
        for seed in 0..<20 as Range<UInt64> {
            let client = try SessionHarness(seed: seed).openStream()
            delays.formUnion(try client.blocks().compactMap(\.retry))
        }
        #expect(delays.count > 10)
    }

    @Test("events carry id, name and data as lines; plain data stays plain")
    func events() throws {
        let harness = try SessionHarness()
        let client = try harness.openStream()
        _ = try client.blocks()
        let one = harness.publish("orders:123", #"{"a":1}"#, event: "status")
        let two = harness.publish("orders:123", "line 1\nline 2\r\nline 3", isJSON: false)
        harness.deliver(Event(topic: "orders:123", id: nil, name: "hint", data: Array("x".utf8), isJSON: false))
        #expect(
            try client.blocks() == [
                RawEvent(id: one?.description, event: "status", data: #"{"a":1}"#),
                RawEvent(id: two?.description, event: "message", data: "line 1\nline 2\nline 3"),
                RawEvent(event: "hint", data: "x"),
            ])
        #expect(client.session.eventsSent == 3)
    }

    @Test(
        "what is published cannot add a line of its own",
        arguments: [
            "x\n\nevent: close\ndata: {}", "x\r\rid: 9-9", "\n", "\r\n", "\u{0}", ": comment", "id: 5", "",
        ])
    func injection(text: String) throws {
        let harness = try SessionHarness()
        let client = try harness.openStream()
        _ = try client.blocks()
        let id = harness.publish("orders:123", text, event: text, isJSON: false)
        let blocks = try client.blocks()
        #expect(blocks.count == 1)
        #expect(blocks.first?.id == id?.description)
        #expect(blocks.first?.event?.contains("\n") != true)
    }

    @Test("an HTTP/1.0 client gets no chunks, and the connection's end is the stream's")
    func http10() throws {
        let harness = try SessionHarness()
        let client = try harness.openStream(version: "HTTP/1.0")
        #expect(client.isStreamChunked == false)
        #expect(try client.events().map(\.event) == ["welcome"])
        harness.publish("orders:123", "1")
        #expect(try client.events().map(\.data) == ["1"])
        harness.advance(seconds: 900)
        #expect(try client.events() == [RawEvent(event: "close", data: #"{"code":4001,"reason":"token_expired"}"#)])
        try client.expectEnd()
    }

    @Test("a client that half-closes gets a clean end")
    func halfClosed() throws {
        let harness = try SessionHarness()
        let client = try harness.openStream()
        _ = try client.blocks()
        client.sendEnd()
        #expect(try client.blocks().isEmpty)
        #expect(client.isStreamOver)
        try client.expectEnd()
        #expect(client.session.ending == .peerGone)
    }

    @Test("a restart tells the delay twice: in the reason, and as retry for EventSource")
    func restart() throws {
        let harness = try SessionHarness()
        let client = try harness.openStream()
        _ = try client.blocks()
        client.perform { $0.disconnect(.restart, $1) }
        let blocks = try client.blocks()
        let data = try #require(blocks.last?.data)
        let reason = try #require(try JSONReader.read(Array(data.utf8))["reason"]?.stringValue)
        #expect(reason.hasPrefix("restart; retry="))
        #expect(blocks.compactMap(\.retry) == [String(reason.dropFirst("restart; retry=".utf8.count))])
        #expect(client.isStreamOver)
    }

    @Test("the route may be opened as a WebSocket too, and then speaks frames")
    func asWebSocket() throws {
        let harness = try SessionHarness()
        harness.own("123", by: "7001")
        let client = try harness.openWebSocket("/orders/123/events", token: harness.token("7001", role: "customer"))
        harness.publish("orders:123", "1")
        #expect(try client.message()["data"] == 1)
    }
}
