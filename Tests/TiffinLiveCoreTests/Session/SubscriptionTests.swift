import Testing

@testable import TiffinLiveCore

@Suite("Contract 8: subscribe and unsubscribe, under the topic rules")
struct SubscriptionTests {
    static func subscribe(_ topic: String, after: String? = nil, ref: Int? = nil) -> String {
        var message: JSONObject = ["type": "subscribe", "topic": .string(topic)]
        message["after"] = after.map { .string($0) }
        message["ref"] = ref.map { .integer(Int64($0)) }
        let buffer = ByteBuffer()
        JSONWriter.append(.object(message), to: buffer)
        return String(decoding: buffer.array, as: UTF8.self)
    }

    /// A member of staff with restaurants 1 to 99.
    static func open(_ harness: SessionHarness) throws -> HarnessClient {
        let restaurants = (1..<100).map { JSONValue.string(String($0)) }
        return try harness.openWebSocket(
            "/restaurants/88/events",
            token: harness.token("1", role: "restaurant", extra: ["restaurants": .array(restaurants)]))
    }

    @Test("what the rules give is listened to and answered with position and reference")
    func good() throws {
        let harness = try SessionHarness()
        let client = try Self.open(harness)
        let last = harness.publish("restaurants:7", "1")
        client.send(text: Self.subscribe("restaurants:7", ref: 5))
        let id = try #require(last)
        #expect(try client.texts() == [#"{"type":"subscribed","topic":"restaurants:7","id":"\#(id)","ref":5}"#])
        #expect(client.topics == ["restaurants:88", "restaurants:7"])
        harness.publish("restaurants:7", #"{"x":1}"#, event: "status")
        let event = try client.message()
        #expect(event["topic"] == "restaurants:7")
        #expect(event["data"] == ["x": 1])
    }

    @Test(
        "odd names are nobody's topics (B49)",
        arguments: [
            "", "restaurants", "restaurants:", "restaurants:*", "restaurants:8*", "RESTAURANTS:7", "restaurants:7\u{0}",
            "restaurants:../88", "restaurants:88/../7", "restaurants%3A7", "restaurants:100", "restaurants:7:7",
            " restaurants:7",
            "restaurants:7 ", "riders:1", "riders:5521", "orders:123", "revocations", "grants", "restaurants:é", "*",
            "#", ".",
            String(repeating: "restaurants:7", count: 800),
        ])
    func odd(topic: String) throws {
        let harness = try SessionHarness()
        let client = try Self.open(harness)
        client.send(text: Self.subscribe(topic, ref: 1))
        let answer = try client.message()
        #expect(answer["type"] == "error")
        #expect(answer["error"] == "forbidden")
        #expect(answer["ref"] == 1)
        #expect((answer["topic"]?.stringValue?.utf8.count ?? 0) <= 256)
        harness.publish(topic, "1")
        #expect(client.pending.isEmpty)
        #expect(client.topics == ["restaurants:88"])
        #expect(client.listened.count == 1)
    }

    @Test("another's order is refused after a look-up, and not one event comes before the answer (B49)")
    func notBeforeTheAnswer() throws {
        let harness = try SessionHarness()
        harness.own("123", by: "7001")
        harness.own("200", by: "7002")
        let client = try harness.openWebSocket("/orders/123/events", token: harness.token("7001", role: "customer"))
        harness.lookUps = .later
        client.send(text: Self.subscribe("orders:200"))
        harness.publish("orders:200", "1")
        #expect(client.pending.isEmpty)
        harness.answerLookUps()
        harness.publish("orders:200", "2")
        #expect(try client.texts() == [#"{"type":"error","error":"forbidden","topic":"orders:200"}"#])
    }

    @Test("a look-up that fails or comes late is unavailable", arguments: [true, false])
    func unavailable(late: Bool) throws {
        let harness = try SessionHarness()
        harness.own("123", by: "7001")
        harness.own("200", by: "7001")
        let client = try harness.openWebSocket("/orders/123/events", token: harness.token("7001", role: "customer"))
        harness.lookUps = late ? .later : .failing
        client.send(text: Self.subscribe("orders:200", ref: 3))
        if late { harness.advance(by: 500 * .millisecond) }
        #expect(try client.texts() == [#"{"type":"error","error":"unavailable","topic":"orders:200","ref":3}"#])
        harness.answerLookUps()
        #expect(client.topics == ["orders:123"])
        harness.lookUps = .atOnce
        client.send(text: Self.subscribe("orders:200"))
        #expect(try client.message()["type"] == "subscribed")
    }

    @Test("a topic that cannot be attached is unavailable")
    func notAttached() throws {
        let harness = try SessionHarness()
        let client = try Self.open(harness)
        harness.attachments = .failing
        client.send(text: Self.subscribe("restaurants:7"))
        #expect(try client.message()["error"] == "unavailable")
        harness.attachments = .later
        client.send(text: Self.subscribe("restaurants:8"))
        harness.advance(seconds: 10)
        #expect(try client.message()["error"] == "unavailable")
        harness.answerAttachments()
        #expect(client.topics == ["restaurants:88"])
        #expect(client.pending.isEmpty)
    }

    @Test("the limit on topics counts the route's own")
    func limit() throws {
        let harness = try SessionHarness(["limits.topicsPerConnection=32", "limits.messages={rate:0,burst:0}"])
        let client = try Self.open(harness)
        for number in 1...31 {
            client.send(text: Self.subscribe("restaurants:\(number)"))
            #expect(try client.message()["type"] == "subscribed")
        }
        for number in 32...40 {
            client.send(text: Self.subscribe("restaurants:\(number)", ref: number))
            #expect(
                try client.texts() == [
                    #"{"type":"error","error":"too_many_topics","topic":"restaurants:\#(number)","ref":\#(number)}"#
                ])
        }
        #expect(client.topics.count == 32)
        client.send(text: Self.subscribe("restaurants:31"))
        #expect(try client.message()["type"] == "subscribed", "one that it has is no further one")
        client.send(text: #"{"type":"unsubscribe","topic":"restaurants:1"}"#)
        client.send(text: Self.subscribe("restaurants:32"))
        #expect(try client.messages().map { $0["type"] } == ["unsubscribed", "subscribed"])
    }

    @Test("ten thousand subscriptions hit the rate before anything else (B49)")
    func flood() throws {
        let harness = try SessionHarness()
        let client = try Self.open(harness)
        for number in 0..<10_000 where client.session.isOpen {
            client.send(text: Self.subscribe("restaurants:\(number)"))
        }
        #expect(try client.close(passingOverMessages: true).code == 4029)
        #expect(client.listened.count <= 32)
    }

    @Test("subscribing twice is answered twice and delivers once")
    func twice() throws {
        let harness = try SessionHarness()
        let client = try Self.open(harness)
        client.send(.text(Self.subscribe("restaurants:7")), .text(Self.subscribe("restaurants:7")))
        #expect(try client.messages().map { $0["type"] } == ["subscribed", "subscribed"])
        harness.publish("restaurants:7", "1")
        #expect(try client.messages().count == 1)
        #expect(client.listened.map(\.topic) == ["restaurants:88", "restaurants:7"])
        client.send(text: #"{"type":"unsubscribe","topic":"restaurants:7"}"#)
        _ = try client.message()
        harness.publish("restaurants:7", "2")
        #expect(client.pending.isEmpty)
    }

    @Test("after an id: what was missed, then live, without a gap or a double")
    func after() throws {
        let harness = try SessionHarness()
        let client = try Self.open(harness)
        let ids = (0..<10).compactMap { harness.publish("restaurants:7", "\($0)") }
        client.send(text: Self.subscribe("restaurants:7", after: ids[3].description))
        harness.publish("restaurants:7", "10")
        let messages = try client.messages()
        #expect(messages.first?["type"] == "subscribed")
        #expect(
            messages.first?["id"] == .string(ids[3].description), "a drop in the replay comes back to where it began")
        #expect(messages.dropFirst().map { $0["data"] } == (4...10).map { JSONValue.integer(Int64($0)) })
        #expect(Set(messages.dropFirst().compactMap { $0["id"]?.stringValue }).count == 7)
    }

    @Test(
        "an id that is none, foreign or from the future is answered with reset, then live",
        arguments: [
            "", "x", "5", "1-0", "-", "9999999999999-0", "0-0", "1764504000000-8", "01764504000000-7",
            "99999999999999999999-0",
            String(repeating: "9", count: 5000),
        ])
    func reset(after: String) throws {
        let harness = try SessionHarness()
        let client = try Self.open(harness)
        harness.publish("restaurants:7", "1")
        client.send(text: Self.subscribe("restaurants:7", after: after))
        harness.publish("restaurants:7", "2")
        let messages = try client.messages()
        try #require(messages.map { $0["type"] } == ["subscribed", "reset", "event"])
        #expect(messages[1] == ["type": "reset", "topic": "restaurants:7", "reason": "history"])
        #expect(messages[2]["data"] == 2)
    }

    @Test("an id that was trimmed is answered with reset")
    func trimmed() throws {
        let harness = try SessionHarness(["events.keep=5"])
        let client = try Self.open(harness)
        let ids = (0..<20).compactMap { harness.publish("restaurants:7", "\($0)") }
        client.send(text: Self.subscribe("restaurants:7", after: ids[3].description))
        #expect(try client.messages().map { $0["type"] } == ["subscribed", "reset"])
    }

    @Test("messages behind a subscription wait for it, and the order of all answers is that of the questions")
    func order() throws {
        let harness = try SessionHarness()
        let client = try Self.open(harness)
        harness.attachments = .later
        client.send(
            .text(Self.subscribe("restaurants:1", ref: 1)), .text(#"{"type":"ping","ref":2}"#),
            .text(Self.subscribe("restaurants:2", ref: 3)), .text(Self.subscribe("restaurants:2", ref: 4)),
            .text(#"{"type":"unsubscribe","topic":"restaurants:2","ref":5}"#))
        #expect(client.pending.isEmpty)
        while client.session.waiting != nil { harness.answerAttachments() }
        #expect(try client.messages().map { $0["ref"] } == [1, 2, 3, 4, 5])
        #expect(client.topics == ["restaurants:88", "restaurants:1"])
    }

    @Test("live events of other topics do not wait for a subscription")
    func othersGoOn() throws {
        let harness = try SessionHarness()
        let client = try Self.open(harness)
        harness.attachments = .later
        client.send(text: Self.subscribe("restaurants:1"))
        harness.publish("restaurants:88", "1")
        #expect(try client.message()["topic"] == "restaurants:88")
    }

    @Test(
        "unsubscribing is answered also when there was nothing to leave",
        arguments: [
            "restaurants:88", "restaurants:7", "", "x", "orders:123",
        ])
    func unsubscribe(topic: String) throws {
        let harness = try SessionHarness()
        let client = try Self.open(harness)
        client.send(text: #"{"type":"unsubscribe","topic":"\#(topic)","ref":"9"}"#)
        #expect(try client.texts() == [#"{"type":"unsubscribed","topic":"\#(topic)","ref":"9"}"#])
        #expect(client.unlistened == (topic == "restaurants:88" ? [topic] : []))
        #expect(client.session.isOpen)
    }

    @Test("the loop stops listening when its last listener leaves, by whatever way")
    func lastListener() throws {
        let harness = try SessionHarness()
        let one = try Self.open(harness)
        let two = try Self.open(harness)
        one.send(text: #"{"type":"unsubscribe","topic":"restaurants:88"}"#)
        #expect(one.unlistened.isEmpty)
        two.send(.close(1000))
        #expect(two.unlistened == ["restaurants:88"])
        #expect(!harness.context.topics.isListening("restaurants:88"))
    }
}
