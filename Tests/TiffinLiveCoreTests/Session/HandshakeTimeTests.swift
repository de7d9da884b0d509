import Testing

@testable import TiffinLiveCore

@Suite("Contract 7.10: the time for a handshake")
struct HandshakeTimeTests {
    @Test("a silent connection ends at the limit without a word (B23)")
    func silent() throws {
        let harness = try SessionHarness(["limits.handshake=\"10s\""])
        let client = try harness.connect()
        harness.advance(by: 10 * .second - 1)
        #expect(!client.hasSentEnd)
        harness.advance(by: 1)
        try client.expectEnd()
        #expect(client.session.ending == .handshakeTimeout)
        harness.advance(seconds: 5)
        #expect(client.session.isClosed, "and the descriptor goes when the client does not close")
    }

    @Test("a dribbling head gets 408 at the limit, which no byte moves (B23)")
    func dribbling() throws {
        let harness = try SessionHarness()
        let client = try harness.connect()
        let head = SessionHarness.upgrade("/rider/socket", token: harness.token())
        for byte in head.prefix(10) {
            client.send([byte])
            harness.advance(by: 999 * .millisecond)
        }
        #expect(!client.hasSentEnd)
        harness.advance(by: 10 * .millisecond)
        let response = try client.lastResponse()
        #expect(response.status == 408)
        #expect(response.text == #"{"error":"request_timeout"}"#)
        #expect(client.session.ending == .handshakeTimeout)
        client.send(Array(head.dropFirst(10)))
        try client.expectEnd()
    }

    @Test("a head in crumbs is served as a whole one (B20)")
    func crumbs() throws {
        let harness = try SessionHarness()
        let client = try harness.connect()
        for byte in SessionHarness.upgrade("/rider/socket", token: harness.token()) {
            client.send([byte])
            harness.advance(by: 5 * .millisecond)
        }
        #expect(try client.response().status == 101)
    }

    @Test("the client's end in the middle of a head ends the session", arguments: [0, 1, 60])
    func endInHead(count: Int) throws {
        let harness = try SessionHarness()
        let client = try harness.connect()
        client.send(Array(SessionHarness.upgrade("/rider/socket", token: harness.token()).prefix(count)))
        client.sendEnd()
        try client.expectEnd()
        #expect(client.session.ending == .peerGone)
        #expect(client.session.isClosed)
        #expect(client.ended == 1)
    }
}
