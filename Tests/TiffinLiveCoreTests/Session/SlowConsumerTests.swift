import Testing

@testable import TiffinLiveCore

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
        try #require(frames.count == 2, "the event had begun and must be finished")
        #expect(frames[0].payload.count > 40_000)
    }

    @Test(
        "a replayed event larger than the limit is no fault: who resumes gets it at its own pace, and what came since")
    func largeEventInReplay() throws {
        let harness = try SessionHarness(["limits.outbound=\"16KiB\""])
        let start = try #require(harness.publish("riders:5521", "0"))
        harness.publish("riders:5521", #""\#(String(repeating: "x", count: 40_000))""#)
        let client = try harness.openWebSocket()
        client.drain()
        client.pending = []
        client.room = 100
        client.send(text: #"{"type":"unsubscribe","topic":"riders:5521"}"#)
        client.send(text: #"{"type":"subscribe","topic":"riders:5521","after":"\#(start.description)"}"#)
        #expect(client.queuedBytes > 20_000)
        harness.publish("riders:5521", "2")
        #expect(client.session.isOpen)
        client.drain()
        let data = try client.messages().filter { $0["type"] == "event" }.map { $0["data"] }
        #expect(data.count == 2)
        #expect(data.last == .some(JSONValue.integer(Int64(2))))
        #expect(client.session.backlog == nil)
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
