import Testing

@testable import TiffinLiveCore

@Suite("Contract 8: positions of an event stream, and resuming")
struct EventStreamPositionTests {
    private static func welcomeID(_ blocks: [RawEvent]) -> String? { blocks.first { $0.event == "welcome" }?.id }

    @Test("with a known Last-Event-ID: the welcome names it, then comes what was missed, then live")
    func resumed() throws {
        let harness = try SessionHarness()
        let ids = (0..<10).compactMap { harness.publish("orders:123", "\($0)") }
        let client = try harness.openStream(lastEventID: ids[4].description)
        harness.publish("orders:123", "10")
        let events = try client.events()
        #expect(Self.welcomeID(events) == ids[4].description, "a link that drops now loses nothing")
        #expect(events.dropFirst().map(\.data) == (5...10).map { String($0) })
        #expect(events.dropFirst().prefix(5).map(\.id) == ids[5...].map(\.description))
        #expect(client.listened.map(\.after) == [ids[4].description])
    }

    @Test("with the newest id nothing is missed")
    func upToDate() throws {
        let harness = try SessionHarness()
        let id = try #require(harness.publish("orders:123", "1"))
        let events = try harness.openStream(lastEventID: id.description).events()
        #expect(events.map(\.event) == ["welcome"])
        #expect(Self.welcomeID(events) == id.description)
    }

    @Test(
        "an id that cannot be continued: the present position, a reset, then live",
        arguments: [
            "x", "5-", "1-0", "9999999999999-7", "1764504000000-8", "01764504000000-7", "5-7,6-7",
            String(repeating: "1", count: 200),
        ])
    func reset(id: String) throws {
        let harness = try SessionHarness()
        harness.publish("orders:123", "1")
        let client = try harness.openStream(lastEventID: id)
        let last = harness.publish("orders:123", "2")
        let events = try client.events()
        try #require(events.map(\.event) == ["welcome", "reset", "message"])
        #expect(events[1] == RawEvent(event: "reset", data: #"{"topic":"orders:123","reason":"history"}"#))
        #expect(events[2].id == last?.description)
        #expect(Self.welcomeID(events).flatMap { EventID($0) }.map { $0 < (last ?? $0) } == true)
    }

    @Test("an empty Last-Event-ID is none")
    func empty() throws {
        let events = try SessionHarness().openStream(lastEventID: "").events()
        #expect(events.map(\.event) == ["welcome"])
    }

    @Test("?last_event_id= does the same for a new EventSource, and the header wins over an old URL")
    func query() throws {
        let harness = try SessionHarness()
        let ids = (0..<5).compactMap { harness.publish("orders:123", "\($0)") }
        let target = "/orders/123/events?last_event_id=\(ids[3])"
        #expect(try harness.openStream(target).events().dropFirst().map(\.data) == ["4"])
        #expect(try harness.openStream(target, lastEventID: ids[1].description).events().count == 4)
        #expect(try harness.openStream("/orders/123/events?last_event_id=").events().count == 1)
    }

    @Test("the same position serves the same route as a WebSocket")
    func webSocket() throws {
        let harness = try SessionHarness()
        harness.own("123", by: "7001")
        let ids = (0..<5).compactMap { harness.publish("orders:123", "\($0)") }
        for target in ["/orders/123/events", "/orders/123/events?last_event_id=\(ids[2])"] {
            let client = try harness.connect()
            let headers = target.contains("?") ? [] : [("Last-Event-ID", ids[2].description)]
            client.send(
                SessionHarness.upgrade(target, token: harness.token("7001", role: "customer"), headers: headers))
            _ = try client.response()
            #expect(try client.messages().map { $0["type"] } == ["welcome", "event", "event"])
        }
    }

    @Test(
        "a connection that ends in the middle of a replay resumes from its last id, or the welcome's, without a gap",
        arguments: 0..<20)
    func brokenReplay(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let harness = try SessionHarness()
        var position = try #require(harness.publish("orders:123", "first")).description
        var expected = 0
        var published = 0
        for _ in 0..<30 {
            for _ in 0..<Int.random(in: 0..<8, using: &random) {
                harness.publish("orders:123", "\(published)")
                published += 1
            }
            let client = try harness.openStream(lastEventID: position)
            harness.publish("orders:123", "\(published)")
            published += 1
            let events = try client.events()
            for event in events.prefix(Int.random(in: 1...events.count, using: &random)) {
                if let id = event.id { position = id }
                #expect(event.event != "reset")
                guard event.event == "message" else { continue }
                #expect(event.data == "\(expected)")
                expected += 1
            }
            client.reset()
        }
    }
}
