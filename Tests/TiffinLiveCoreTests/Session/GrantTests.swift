import Testing

@testable import TiffinLiveCore

@Suite("Contract 3: rights that change while a connection is open")
struct GrantTests {
    private let harness: SessionHarness

    init() throws {
        harness = try SessionHarness()
        harness.own("123", by: "7001")
        harness.own("124", by: "7001")
    }

    /// A message on the channel `grants`: cached answers are dropped, and the connections that lean on them look again.
    private func grantChanged(_ topic: String, user: String? = nil) {
        harness.context.owners.drop(topic: topic, user: user)
        for client in harness.clients { client.perform { $0.grantChanged(topic, $1) } }
        harness.finishTurn()
    }

    private func socket() throws -> HarnessClient {
        try harness.openWebSocket("/orders/123/events", token: harness.token("7001", role: "customer"))
    }

    @Test("a right that stands is looked up again, and nothing is said")
    func stands() throws {
        let client = try socket()
        grantChanged("orders:123")
        #expect(harness.lookUpsSent.count == 2)
        #expect(client.pending.isEmpty)
        harness.publish("orders:123", "1")
        #expect(try client.messages().count == 1)
    }

    @Test("the last right that is lost ends the connection with 4004", arguments: [false, true])
    func lastIsLost(isStream: Bool) throws {
        let client = isStream ? try harness.openStream() : try socket()
        if isStream { _ = try client.blocks() }
        harness.own("123", by: "9")
        grantChanged("orders:123")
        harness.publish("orders:123", "1")
        if isStream {
            #expect(try client.events() == [RawEvent(event: "close", data: #"{"code":4004,"reason":"forbidden"}"#)])
        } else {
            #expect(try client.close().code == 4004)
        }
    }

    @Test("one of several is left, and the client is told")
    func oneIsLost() throws {
        let client = try socket()
        client.send(text: SubscriptionTests.subscribe("orders:124"))
        _ = try client.message()
        harness.own("124", by: "9")
        grantChanged("orders:124")
        #expect(try client.texts() == [#"{"type":"unsubscribed","topic":"orders:124","reason":"forbidden"}"#])
        #expect(client.unlistened == ["orders:124"])
        harness.publish("orders:124", "1")
        #expect(client.pending.isEmpty)
        #expect(client.topics == ["orders:123"])
    }

    @Test("topics that a connection does not have are nothing to it")
    func others() throws {
        let client = try socket()
        grantChanged("orders:124")
        grantChanged("nonsense")
        #expect(harness.lookUpsSent.count == 1)
        #expect(client.session.isOpen)
    }

    @Test("while the backend cannot say, the connection stays as it is", arguments: [true, false])
    func unknown(late: Bool) throws {
        let client = try socket()
        harness.lookUps = late ? .later : .failing
        harness.own("123", by: "9")
        grantChanged("orders:123")
        harness.advance(seconds: 1)
        #expect(client.pending.isEmpty)
        #expect(client.session.isOpen)
        harness.publish("orders:123", "1")
        client.send(text: #"{"type":"ping"}"#)
        #expect(try client.messages().map { $0["type"] } == ["event", "pong"])
    }

    @Test("messages that come while it is looked up wait, in their order")
    func inputWaits() throws {
        let client = try socket()
        harness.lookUps = .later
        grantChanged("orders:123")
        client.send(.text(#"{"type":"ping","ref":1}"#), .ping("A"))
        #expect(client.pending.isEmpty)
        harness.answerLookUps()
        #expect(try client.frames().map(\.text) == [#"{"type":"pong","ref":1}"#, "A"])
    }

    @Test("a change that comes while another question is out is looked up after it")
    func afterAnotherQuestion() throws {
        let client = try socket()
        harness.attachments = .later
        client.send(text: SubscriptionTests.subscribe("orders:124"))
        harness.own("123", by: "9")
        grantChanged("orders:123")
        grantChanged("orders:123")
        #expect(client.pending.isEmpty)
        harness.answerAttachments()
        #expect(
            try client.messages() == [
                ["type": "subscribed", "topic": "orders:124", "id": .string(harness.broker.lastID.description)],
                ["type": "unsubscribed", "topic": "orders:123", "reason": "forbidden"],
            ])
        #expect(client.topics == ["orders:124"])
    }

    @Test("one that comes during admission closes what was opened on the old answer")
    func duringAdmission() throws {
        harness.attachments = .later
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/orders/123/events", token: harness.token("7001", role: "customer")))
        harness.own("123", by: "9")
        grantChanged("orders:123")
        harness.answerAttachments()
        _ = try client.response()
        harness.publish("orders:123", "1")
        let frames = try client.frames()
        #expect(frames.last?.payload.prefix(2).elementsEqual([0x0F, 0xA4]) == true)
        #expect(!frames.contains { $0.text.contains(#""type":"event""#) })
    }

    @Test("an event stream with several topics is told and goes on")
    func multiTopicStream() throws {
        let harness = try SessionHarness([
            #"topics={"a:{x}":{owner:["GET","a:{x}"]},"b:{x}":{owner:["GET","b:{x}"]}}"#,
            #"routes={"/feeds":{transports:["sse"],topics:["a:{sub}","b:{sub}"]}}"#,
        ])
        func own(_ key: String, _ user: String) {
            _ = harness.store.execute(["SET", key, user], now: harness.now.monotonic)
        }
        own("a:5521", "5521")
        own("b:5521", "5521")
        let client = try harness.openStream("/feeds", token: harness.token())
        _ = try client.blocks()
        own("a:5521", "9")
        harness.context.owners.drop(topic: "a:5521")
        client.perform { $0.grantChanged("a:5521", $1) }
        harness.finishTurn()
        #expect(
            try client.blocks() == [
                RawEvent(event: "unsubscribed", data: #"{"topic":"a:5521","reason":"forbidden"}"#)
            ])
        harness.publish("a:5521", "1")
        harness.publish("b:5521", "2")
        #expect(try client.events().map(\.data) == ["2"])
        #expect(client.session.isOpen)
    }

    @Test("a session that is over does not look")
    func over() throws {
        let client = try socket()
        client.send(.close(1000))
        let asked = harness.lookUpsSent.count
        grantChanged("orders:123")
        #expect(harness.lookUpsSent.count == asked)
    }
}
