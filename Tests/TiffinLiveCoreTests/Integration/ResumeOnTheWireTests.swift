import Testing

@testable import TiffinLiveCore

/// Contract section 8, resume: no gap and no double at the seam of replay and live.
@Suite("Resuming on the wire")
struct ResumeOnTheWireTests {
    private static func server(keep: Int) throws -> LiveServer {
        let server = try LiveServer(["limits.perUser=0", "events.keep=\(keep)"])
        try server.admin("/store", #"{"command":["HSET","order:1","customer_id","7001"]}"#)
        return server
    }

    /// The reading side of a client that comes back again and again.
    private struct Reader {
        let server: LiveServer
        let token: String
        var lastID: String?
        var numbers: [Int64] = []

        /// Takes some events from an event stream and drops it.
        mutating func readStream(_ count: Int) throws {
            let client = try server.connect()
            let stream = try client.openEventStream("/orders/1/events", token: token, lastEventID: lastID)
            let welcome = try #require(try stream.nextEvent())
            #expect(welcome.event == "welcome")
            if let lastID { #expect(welcome.id == lastID) }
            lastID = welcome.id
            for _ in 0..<count {
                let event = try #require(try stream.nextEvent())
                #expect(event.event == "n")
                let id: String = try #require(event.id)
                lastID = id
                try take(JSONReader.read(Array((event.data ?? "").utf8)))
            }
            client.reset()
        }

        /// Takes some events from a WebSocket and drops it.
        mutating func readSocket(_ count: Int) throws {
            let client = try server.connect()
            try client.openWebSocket("/orders/1/events?last_event_id=\(try #require(lastID))", token: token)
            #expect(try client.receiveText().contains(#""type":"welcome""#))
            for _ in 0..<count {
                let event = try JSONReader.read(Array(try client.receiveText().utf8))
                #expect(event["type"]?.stringValue == "event")
                let id: String = try #require(event["id"]?.stringValue)
                lastID = id
                try take(event["data"])
            }
            client.reset()
        }

        private mutating func take(_ data: JSONValue?) throws {
            numbers.append(try #require(NumberedPublisher.read(data)).number)
        }
    }

    // B55
    @Test("two hundred reconnects in a flood lose no event and repeat none")
    func seam() throws {
        let server = try Self.server(keep: 100_000)
        let publisher = try NumberedPublisher(adminPort: server.adminPort, topic: "orders:1")
        var reader = Reader(server: server, token: server.token("7001", role: "customer"))
        var random = SeededRandom(seed: 55)
        for round in 0..<200 {
            let count = Int.random(in: 0...40, using: &random)
            if round % 2 == 0 { try reader.readStream(count) } else { try reader.readSocket(count) }
        }
        publisher.stop()
        let first = try #require(reader.numbers.first)
        #expect(reader.numbers.count > 1000)
        #expect(reader.numbers == Array(first..<first + Int64(reader.numbers.count)))
    }

    // B55
    @Test("a subscription with a position goes on from it, while the topic is in use here already")
    func subscribeAfter() throws {
        let server = try LiveServer([LiveServer.feeds, "limits.perUser=0", "events.keep=100000"])
        let listener = try server.rider()
        try listener.sendText(#"{"type":"subscribe","topic":"feeds:1"}"#)
        #expect(try listener.receiveText().contains("subscribed"))
        let first = try server.publish("feeds:1", #"{"number":0,"at":0}"#)
        let publisher = try NumberedPublisher(adminPort: server.adminPort, topic: "feeds:1")
        _ = try listener.receiveText(containing: #""number":50,"#)
        let client = try server.rider()
        try client.sendText(#"{"type":"subscribe","topic":"feeds:1","after":"\#(first)"}"#)
        #expect(try client.receiveText().contains("subscribed"))
        for number in 0..<200 { #expect(try client.receiveText().contains(#""number":\#(number),"#)) }
        publisher.stop()
    }

    // B56
    @Test(
        "a position of another run of the server is answered with reset, then live events",
        arguments: ["sse", "websocket"])
    func foreignPosition(_ transport: String) throws {
        let before = try Self.server(keep: 100)
        let old = try before.publish("orders:1", "1")
        before.stop()
        let server = try Self.server(keep: 100)
        for number in 0..<10 { try server.publish("orders:1", "\(number)") }
        let token = server.token("7001", role: "customer")
        if transport == "sse" {
            let stream = try server.connect().openEventStream("/orders/1/events", token: token, lastEventID: old)
            let welcome = try #require(try stream.nextEvent())
            #expect(welcome.event == "welcome")
            #expect(welcome.id != old)
            let reset = try #require(try stream.nextEvent())
            #expect(reset.event == "reset")
            #expect(reset.data == #"{"topic":"orders:1","reason":"history"}"#)
            let id = try server.publish("orders:1", #""live""#)
            #expect(try stream.nextEvent() == RawEvent(id: id, event: "status", data: "live"))
        } else {
            let client = try server.connect()
            try client.openWebSocket("/orders/1/events?last_event_id=\(old)", token: token)
            #expect(try client.receiveText().contains("welcome"))
            #expect(try client.receiveText() == #"{"type":"reset","topic":"orders:1","reason":"history"}"#)
            let id = try server.publish("orders:1", "true")
            #expect(try client.receiveText().contains(#""id":"\#(id)""#))
        }
    }

    @Test(
        "a position that is malformed, trimmed or from the future is answered with reset",
        arguments: ["x", "1-", "-1", "0-0", "1-1", "99999999999999-0", "18446744073709551616-0", "1-1,2-2"])
    func badPosition(_ position: String) throws {
        let server = try Self.server(keep: 2)
        for number in 0..<10 { try server.publish("orders:1", "\(number)") }
        let token = server.token("7001", role: "customer")
        let stream = try server.connect().openEventStream("/orders/1/events", token: token, lastEventID: position)
        #expect(try stream.nextEvent()?.event == "welcome")
        #expect(try stream.nextEvent()?.event == "reset")
        try server.publish("orders:1", #""live""#)
        #expect(try stream.nextEvent()?.data == "live")
    }

    @Test("the position of the last event replays nothing, the one before it one event")
    func present() throws {
        let server = try Self.server(keep: 10)
        let ids = try (0..<5).map { try server.publish("orders:1", "\($0)") }
        let token = server.token("7001", role: "customer")
        for (index, id) in ids.enumerated() {
            let stream = try server.connect().openEventStream("/orders/1/events?last_event_id=\(id)", token: token)
            #expect(try stream.nextEvent()?.id == id)
            for missed in ids[(index + 1)...] { #expect(try stream.nextEvent()?.id == missed) }
            let live = try server.publish("orders:2", "0")
            #expect(!ids.contains(live))
        }
    }

    @Test("a header wins over the address of the stream, which a browser keeps for ever")
    func headerWins() throws {
        let server = try Self.server(keep: 10)
        let ids = try (0..<3).map { try server.publish("orders:1", "\($0)") }
        let stream = try server.connect().openEventStream(
            "/orders/1/events?last_event_id=\(ids[0])", token: server.token("7001", role: "customer"),
            lastEventID: ids[1])
        #expect(try stream.nextEvent()?.id == ids[1])
        #expect(try stream.nextEvent()?.id == ids[2])
    }
}
