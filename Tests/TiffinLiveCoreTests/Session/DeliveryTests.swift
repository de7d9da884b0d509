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

@Suite("Contract 7.9: slow consumers (B70)")
struct SlowConsumerTests {
    @Test(
        "over the limit: 4008, the queue dropped but for the event that had begun; others never wait",
        arguments: [false, true])
    func tooSlow(isStream: Bool) throws {
        let harness = try SessionHarness(["limits.outbound=\"16KiB\""])
        let slow = isStream ? try harness.openStream() : try harness.openWebSocket()
        let fast = isStream ? try harness.openStream() : try harness.openWebSocket()
        slow.pending = []
        fast.pending = []
        slow.room = 100
        let topic = isStream ? "orders:123" : "riders:5521"
        let data = #""\#(String(repeating: "x", count: 1000))""#
        var most = 0
        var published = 0
        while slow.session.isOpen, published < 100 {
            harness.publish(topic, data)
            published += 1
            most = max(most, slow.queuedBytes)
        }
        #expect((15...20).contains(published))
        #expect(most <= 18 * 1024)
        #expect(slow.queuedBytes < 1500)
        #expect(slow.session.ending == .tooSlow)
        #expect(slow.session.endingCode == 4008)
        slow.drain()
        if isStream {
            slow.isStreamChunked = true
            let events = try slow.events()
            #expect(events.count == 2)
            #expect(events.last?.data == #"{"code":4008,"reason":"too_slow"}"#)
        } else {
            #expect(try slow.close(passingOverMessages: true).code == 4008)
        }
        try slow.expectEnd()
        let received = isStream ? try fast.events().count : try fast.messages().count
        #expect(received == published)
        #expect(fast.session.isOpen)
    }

    @Test("a single event larger than the limit ends only those who do not take it")
    func oneLargeEvent() throws {
        let harness = try SessionHarness(["limits.outbound=\"16KiB\""])
        let slow = try harness.openWebSocket()
        let fast = try harness.openWebSocket()
        slow.room = 100
        harness.publish("riders:5521", #""\#(String(repeating: "x", count: 40_000))""#)
        #expect(slow.session.ending == .tooSlow)
        #expect(fast.session.isOpen)
        #expect(try fast.messages().count == 1)
        slow.drain()
        let frames = try slow.frames()
        #expect(frames.count == 2, "the event had begun and must be finished")
        #expect(frames[0].payload.count > 40_000)
    }

    @Test("a queue up to the limit is no fault, and is delivered whole and in order")
    func fits() throws {
        let harness = try SessionHarness(["limits.outbound=\"16KiB\""])
        let client = try harness.openWebSocket()
        client.room = 100
        var published = 0
        while client.queuedBytes < 15_000 {
            harness.publish("riders:5521", "\(published)")
            published += 1
        }
        #expect(client.session.isOpen)
        for _ in 0..<10_000 where client.queuedBytes > 0 { client.drain(room: 7) }
        #expect(try client.messages().map { $0["data"] } == (0..<published).map { JSONValue.integer(Int64($0)) })
        harness.publish("riders:5521", "-1")
        client.drain()
        #expect(try client.messages().count == 1)
    }

    @Test("answers to the client's own messages count as well")
    func ownAnswers() throws {
        let harness = try SessionHarness(["limits.outbound=\"16KiB\"", "limits.messages={rate:0,burst:0}"])
        let client = try harness.openWebSocket()
        client.room = 0
        for _ in 0..<2000 where client.session.isOpen { client.send(text: #"{"type":"ping","ref":"0123456789"}"#) }
        #expect(client.session.ending == .tooSlow)
    }

    @Test("a close is delivered although the queue was full")
    func closeHasRoom() throws {
        let harness = try SessionHarness(["limits.outbound=\"16KiB\""])
        let client = try harness.openWebSocket()
        client.room = 0
        while client.queuedBytes < 16_000 { harness.publish("riders:5521", "1") }
        client.perform { $0.disconnect(.restart, $1) }
        client.drain()
        #expect(try client.close(passingOverMessages: true).code == 1012)
    }
}

@Suite("RFC 6455 5.5.3: pongs (B62)")
struct PongTests {
    @Test("a pong carries the ping's payload", arguments: [0, 1, 124, 125])
    func payload(count: Int) throws {
        let client = try SessionHarness().openWebSocket()
        let text = String(repeating: "p", count: count)
        client.send(.ping(text))
        #expect(try client.frames() == [RawFrame(opcode: RawFrame.pong, payload: Array(text.utf8))])
    }

    @Test("to a client that does not read the answers do not pile up: the last ping is answered when it reads")
    func coalesced() throws {
        let client = try SessionHarness().openWebSocket()
        client.room = 0
        client.send(.ping("first"))
        let queued = client.queuedBytes
        for number in 0..<10_000 { client.send(.ping("\(number)")) }
        #expect(client.queuedBytes == queued)
        client.drain()
        #expect(try client.frames().map(\.text) == ["first", "9999"])
        client.send(.ping("again"))
        #expect(try client.frames().map(\.text) == ["again"])
    }

    @Test("many pings in one segment are bounded by the segment")
    func oneSegment() throws {
        let client = try SessionHarness().openWebSocket()
        client.room = 0
        client.send(
            [UInt8](repeating: 0, count: 0)
                + (0..<400).flatMap { _ in ClientFrame.ping(String(repeating: "x", count: 125)).bytes })
        #expect(client.queuedBytes <= 400 * 127)
        #expect(client.session.isOpen)
    }

    @Test("a pong that waits is dropped when the session ends")
    func droppedAtTheEnd() throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        client.room = 3
        harness.publish("riders:5521", "1")
        client.send(.ping("late"))
        try harness.revoke(#"{"user_id":5521}"#)
        client.drain()
        #expect(try client.frames().map(\.opcode) == [RawFrame.text, RawFrame.close])
    }
}
