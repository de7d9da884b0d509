import Testing

@testable import TiffinLiveCore

@Suite("Contract 8: events on their way")
struct DeliveryTests {
    @Test("all listeners of a kind share one encoding, and each gets it whole")
    func shared() throws {
        let harness = try SessionHarness()
        let sockets = try (0..<5).map { _ in try harness.openWebSocket() }
        harness.publish("riders:5521", #"{"a":1}"#, event: "offer")
        let first = Array(sockets[0].pending)
        #expect(!first.isEmpty)
        for socket in sockets { #expect(Array(socket.pending) == first) }
    }

    @Test("a batch is delivered as one frame an event, in order")
    func batch() throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        for number in 0..<20 {
            harness.context.topics.publish(
                Event(topic: "riders:5521", id: nil, data: Array("\(number)".utf8), isJSON: true))
        }
        harness.finishTurn()
        #expect(try client.messages().map { $0["data"] } == (0..<20).map { JSONValue.integer(Int64($0)) })
        #expect(client.session.eventsSent == 20)
    }

    @Test("only who listens gets it")
    func others() throws {
        let harness = try SessionHarness()
        let one = try harness.openWebSocket(token: harness.token("1"))
        let two = try harness.openWebSocket(token: harness.token("2"))
        harness.publish("riders:1", "1")
        #expect(try one.messages().count == 1)
        #expect(two.pending.isEmpty)
    }

    @Test("events that come while a WebSocket is being admitted come once, behind the welcome")
    func early() throws {
        let harness = try SessionHarness(SessionHarness.threeTopics)
        harness.attachments = .later
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/feeds", token: harness.token()))
        harness.answerAttachments(2)
        for number in 0..<100 { harness.publish("a:5521", "\(number)") }
        harness.answerAttachments()
        harness.publish("a:5521", "100")
        _ = try client.response()
        let messages = try client.messages()
        #expect(messages.first?["type"] == "welcome")
        #expect(messages.dropFirst().map { $0["data"] } == (0...100).map { JSONValue.integer(Int64($0)) })
    }

    /// A replay of so many events of about 1 KiB.
    private func replay(_ harness: SessionHarness, _ count: Int, isStream: Bool, room: Int?) throws -> HarnessClient {
        let filler = String(repeating: "x", count: 1000)
        let events = (0..<count).map { number in
            Event(
                topic: "orders:123", id: EventID(milliseconds: 1, sequence: UInt64(number)),
                data: Array(#"{"n":\#(number),"f":"\#(filler)"}"#.utf8), isJSON: true)
        }
        harness.scriptedResumptions["orders:123"] = .replay(
            events, position: EventID(milliseconds: 1, sequence: 99_999))
        harness.own("123", by: "7001")
        let client = try harness.connect()
        client.room = room
        let token = harness.token("7001", role: "customer")
        client.send(
            isStream
                ? SessionHarness.stream("/orders/123/events", token: token)
                : SessionHarness.upgrade("/orders/123/events", token: token))
        return client
    }

    private func numbers(_ client: HarnessClient, isStream: Bool) throws -> [Int] {
        let texts: [String]
        if isStream {
            if client.isStreamChunked == nil { try client.readStreamHead() }
            texts = try client.events().filter { $0.event == "message" }.compactMap(\.data)
        } else {
            texts = try client.frames().map(\.text).filter { $0.contains(#""type":"event""#) }
        }
        return texts.compactMap { text in
            text.split(separator: #""n":"#).last.flatMap { Int($0.prefix { $0.isNumber }) }
        }
    }

    @Test(
        "a long replay goes out in steps as the client takes it, never queued as a whole, and live events wait behind it",
        arguments: [false, true])
    func backlog(isStream: Bool) throws {
        let harness = try SessionHarness()
        let client = try replay(harness, 1000, isStream: isStream, room: 10_000)
        var most = client.queuedBytes
        for number in 1000..<1010 {
            harness.deliver(
                Event(topic: "orders:123", id: nil, data: Array(#"{"n":\#(number)}"#.utf8), isJSON: true))
            most = max(most, client.queuedBytes)
        }
        var steps = 0
        while client.session.backlog != nil || client.queuedBytes > 0 {
            client.drain(room: 5000)
            most = max(most, client.queuedBytes)
            steps += 1
            #expect(client.session.isOpen)
            guard steps < 1000 else { break }
        }
        #expect(most < 70 * 1024)
        #expect(steps > 100)
        if !isStream { _ = try client.response() }
        #expect(try numbers(client, isStream: isStream) == Array(0..<1010))
        harness.deliver(Event(topic: "orders:123", id: nil, data: Array(#"{"n":5}"#.utf8), isJSON: true))
        client.drain()
        #expect(try numbers(client, isStream: isStream) == [5])
    }

    @Test("live events behind a replay are limited: then the client is too slow", arguments: [false, true])
    func backlogLimit(isStream: Bool) throws {
        let harness = try SessionHarness()
        let client = try replay(harness, 100, isStream: isStream, room: 10)
        let event = Event(topic: "orders:123", id: nil, data: [0x31], isJSON: true)
        for _ in 0..<(Backlog.limit + 200) where client.session.isOpen { harness.deliver(event) }
        #expect(client.session.ending == .tooSlow)
        #expect(client.queuedBytes < 2000, "what was queued is dropped")
        client.drain()
        if isStream {
            try client.readStreamHead()
            #expect(try client.events().last?.data == #"{"code":4008,"reason":"too_slow"}"#)
        } else {
            _ = try client.response()
            #expect(try client.close(passingOverMessages: true).code == 4008)
        }
        try client.expectEnd()
    }

    @Test("the deadline passes during a replay: nothing of it follows", arguments: [false, true])
    func deadlineInReplay(isStream: Bool) throws {
        let harness = try SessionHarness()
        let client = try replay(harness, 1000, isStream: isStream, room: 100_000)
        harness.advanceWithoutTimers(by: 901 * .second)
        client.drain()
        #expect(client.session.ending == .tokenExpired)
        let text = String(decoding: client.pending, as: UTF8.self)
        #expect(text.contains("token_expired"))
        #expect(!text.contains(#""n":200,"#))
        try #require(client.hasSentEnd)
    }

    @Test("a revocation during a replay: nothing of it follows", arguments: [false, true])
    func revokedInReplay(isStream: Bool) throws {
        let harness = try SessionHarness()
        let client = try replay(harness, 1000, isStream: isStream, room: 20_000)
        try harness.revoke(#"{"user_id":"7001"}"#)
        client.drain()
        let text = String(decoding: client.pending, as: UTF8.self)
        #expect(text.contains("revoked"))
        #expect(!text.contains(#""n":30,"#))
        #expect(client.session.backlog == nil)
    }

    @Test("a heartbeat and our own messages do not overtake a replay's order")
    func ownMessages() throws {
        let harness = try SessionHarness()
        let client = try replay(harness, 300, isStream: false, room: 10_000)
        client.send(text: #"{"type":"ping","ref":1}"#)
        client.drain()
        _ = try client.response()
        let frames = try client.frames()
        #expect(frames.count == 302)
        #expect(frames.contains { $0.text == #"{"type":"pong","ref":1}"# })
    }
}
