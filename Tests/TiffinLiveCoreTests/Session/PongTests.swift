import Testing

@testable import TiffinLiveCore

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
