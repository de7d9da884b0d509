import Testing

@testable import TiffinLiveCore

@Suite("Contract 7.10: messages a second")
struct MessageRateTests {
    static let settings = ["limits.messages={rate:20,burst:40}"]

    @Test("one over the burst closes with 4029, and what is behind is not obeyed")
    func burst() throws {
        let harness = try SessionHarness(Self.settings)
        let client = try harness.openWebSocket()
        for _ in 0..<40 { client.send(text: #"{"type":"ping"}"#) }
        #expect(try client.messages().count == 40)
        client.send([.text(#"{"type":"accept"}"#), .text(#"{"type":"accept"}"#), .ping()].bytes)
        let close = try client.close()
        #expect(close.code == 4029)
        #expect(close.reason == "rate_limited")
        #expect(client.handedOver.isEmpty)
    }

    @Test("the steady rate may go on for ever")
    func steady() throws {
        let harness = try SessionHarness(Self.settings)
        let client = try harness.openWebSocket()
        for _ in 0..<1000 {
            harness.advance(by: 50 * .millisecond)
            client.send(text: #"{"type":"ping"}"#)
        }
        #expect(try client.messages().count(where: { $0["type"] == "pong" }) == 1000)
    }

    @Test(
        "every kind of message counts, good or not",
        arguments: [
            "nonsense", #"{"type":"auth","token":"x"}"#, #"{"type":"subscribe","topic":"x"}"#, #"{"type":"accept"}"#,
            "",
        ])
    func kinds(text: String) throws {
        let harness = try SessionHarness(Self.settings)
        let client = try harness.openWebSocket()
        for _ in 0..<41 { client.send(text: text) }
        #expect(try client.close(passingOverMessages: true).code == 4029)
        #expect(client.session.messagesReceived == 41)
    }

    @Test("fragments are one message")
    func fragments() throws {
        let harness = try SessionHarness(Self.settings)
        let client = try harness.openWebSocket()
        client.send(.text("{", isFinal: false))
        for _ in 0..<100 { client.send(.continuation([0x20], isFinal: false)) }
        client.send(.continuation(Array(#""type":"ping"}"#.utf8)))
        #expect(try client.message()["type"] == "pong")
    }

    @Test("control frames do not count")
    func controls() throws {
        let harness = try SessionHarness(Self.settings)
        let client = try harness.openWebSocket()
        for _ in 0..<500 { client.send(.ping(), .pong()) }
        #expect(try client.frames().count == 500)
        #expect(client.session.isOpen)
    }

    @Test("0 is no limit")
    func unlimited() throws {
        let harness = try SessionHarness(["limits.messages={rate:0,burst:0}"])
        let client = try harness.openWebSocket()
        for _ in 0..<5000 { client.send(text: #"{"type":"ping"}"#) }
        #expect(client.session.isOpen)
        #expect(client.session.messagesReceived == 5000)
        #expect(harness.context.messagesReceived == 5000)
    }

    @Test("what was answered before goes out before the close")
    func answersFirst() throws {
        let harness = try SessionHarness(Self.settings)
        let client = try harness.openWebSocket()
        client.send((0..<50).map { ClientFrame.text(#"{"type":"ping","ref":\#($0)}"#) }.bytes)
        let frames = try client.frames()
        try #require(frames.count == 41)
        #expect(frames[39].text == #"{"type":"pong","ref":39}"#)
        #expect(frames[40].opcode == RawFrame.close)
    }
}
