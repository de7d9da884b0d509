import Testing

@testable import TiffinLiveCore

@Suite("Contract 8: an event stream with several topics")
struct MultiTopicStreamTests {
    private static let topics = ["a:5521", "b:5521", "c:5521"]

    private func harness(_ settings: [String] = []) throws -> SessionHarness {
        try SessionHarness(SessionHarness.threeTopics + settings)
    }

    private func open(_ harness: SessionHarness, lastEventID: String? = nil) throws -> HarnessClient {
        try harness.openStream("/feeds", token: harness.token(), lastEventID: lastEventID)
    }

    @Test("its ids are the positions of all topics in the route's order, joined by commas")
    func ids() throws {
        let harness = try harness()
        let start = harness.broker.lastID.description
        let client = try open(harness)
        #expect(try client.events().map(\.id) == ["\(start),\(start),\(start)"])
        let b = try #require(harness.publish("b:5521", "1"))
        let a = try #require(harness.publish("a:5521", "2"))
        let other = try #require(harness.publish("b:5521", "3"))
        #expect(
            try client.events().map(\.id) == ["\(start),\(b),\(start)", "\(a),\(b),\(start)", "\(a),\(other),\(start)"])
    }

    @Test("an event without an id moves nothing")
    func noID() throws {
        let harness = try harness()
        let client = try open(harness)
        let start = harness.broker.lastID
        _ = try client.events()
        harness.deliver(Event(topic: "b:5521", id: nil, data: Array("1".utf8), isJSON: true))
        #expect(try client.events().map(\.id) == [nil])
        let c = try #require(harness.publish("c:5521", "1"))
        #expect(try client.events().map(\.id) == ["\(start),\(start),\(c)"])
    }

    @Test("each topic resumes from its own position, and the last id of the replay is the present one")
    func resumed() throws {
        let harness = try harness()
        let a = (0..<4).compactMap { harness.publish("a:5521", "a\($0)", isJSON: false) }
        let b = (0..<4).compactMap { harness.publish("b:5521", "b\($0)", isJSON: false) }
        let c = (0..<4).compactMap { harness.publish("c:5521", "c\($0)", isJSON: false) }
        let client = try open(harness, lastEventID: "\(a[2]),\(b[0]),\(c[3])")
        #expect(client.listened.map(\.after) == [a[2], b[0], c[3]].map(\.description))
        let events = try client.events()
        #expect(events.first?.id == "\(a[2]),\(b[0]),\(c[3])")
        #expect(events.dropFirst().map(\.data) == ["a3", "b1", "b2", "b3"])
        #expect(events.last?.id == "\(a[3]),\(b[3]),\(c[3])")
        #expect(events[2].id == "\(a[3]),\(b[1]),\(c[3])")
    }

    @Test(
        "one topic that cannot be continued is reset alone: the others lose nothing, not even when the link drops at once"
    )
    func oneReset() throws {
        let harness = try harness(["events.keep=3"])
        let a = (0..<10).compactMap { harness.publish("a:5521", "a\($0)", isJSON: false) }
        let b = (0..<3).compactMap { harness.publish("b:5521", "b\($0)", isJSON: false) }
        let client = try open(harness, lastEventID: "\(a[0]),\(b[0]),\(b[0])")
        let events = try client.events()
        try #require(events.map(\.event) == ["welcome", "reset", "message", "message"])
        #expect(events[1].data == #"{"topic":"a:5521","reason":"history"}"#)
        #expect(events[0].id == "\(harness.broker.lastID),\(b[0]),\(b[0])")
        let again = try open(harness, lastEventID: events[0].id)
        #expect(try again.events().dropFirst().map(\.data) == ["b1", "b2"])
    }

    @Test(
        "positions that do not fit the topics reset all of them",
        arguments: [
            "1764504000000-7", "1764504000000-7,1764504000000-7",
            "1764504000000-7,1764504000000-7,1764504000000-7,1764504000000-7",
            ",,", "x,y,z", ",", "1764504000000-7,x,1764504000000-7",
        ])
    func misfit(id: String) throws {
        let harness = try harness()
        let events = try open(harness, lastEventID: id).events()
        #expect(events.map(\.event) == ["welcome", "reset", "reset", "reset"])
    }

    @Test("events that come while other topics are still being attached are delivered once, behind the welcome")
    func early() throws {
        let harness = try harness()
        harness.attachments = .later
        harness.own("123", by: "7001")
        let client = try harness.connect()
        client.send(SessionHarness.stream("/feeds", token: harness.token()))
        harness.answerAttachments(1)
        harness.publish("a:5521", "early a", isJSON: false)
        harness.publish("b:5521", "not yet", isJSON: false)
        #expect(client.pending.isEmpty)
        harness.answerAttachments(1)
        harness.publish("b:5521", "early b", isJSON: false)
        #expect(client.pending.isEmpty)
        harness.answerAttachments()
        harness.publish("c:5521", "live c", isJSON: false)
        try client.readStreamHead()
        #expect(try client.events().map(\.data).dropFirst() == ["early a", "early b", "live c"])
    }

    @Test("one topic that cannot be attached refuses all, and the others are let go")
    func oneFails() throws {
        let harness = try harness()
        harness.attachments = .later
        let client = try harness.connect()
        client.send(SessionHarness.stream("/feeds", token: harness.token()))
        harness.answerAttachments(2)
        client.perform { $0.notAttached("c:5521", $1) }
        #expect(try client.lastResponse().status == 503)
        #expect(client.unlistened.sorted() == ["a:5521", "b:5521"])
        harness.answerAttachments()
        #expect(harness.context.topics.subscriptionCount == 0)
    }

    @Test("its close, comments and resets carry no id")
    func ownEvents() throws {
        let harness = try SessionHarness(SessionHarness.threeTopics + [#"heartbeat={comment:"15s"}"#])
        let client = try open(harness)
        _ = try client.events()
        harness.advance(seconds: 20)
        #expect(try client.blocks().allSatisfy { $0.id == nil })
        client.perform { $0.disconnect(.revoked, $1) }
        #expect(try client.blocks().allSatisfy { $0.id == nil })
    }

    @Test("a WebSocket on the route gets plain ids")
    func webSocket() throws {
        let harness = try harness()
        let client = try harness.openWebSocket("/feeds")
        let id = harness.publish("b:5521", "1")
        #expect(try client.message()["id"] == id.map { .string($0.description) })
        #expect(client.topics == Self.topics)
    }
}
