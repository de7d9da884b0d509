import Testing

@testable import TiffinLiveCore

@Suite("Contract 7.1: input that comes before the session is open (B19)")
struct EarlyInputTests {
    private static let early = [ClientFrame.text(#"{"type":"ping","ref":"1"}"#), .ping("A")]

    @Test("frames in the handshake's segment are served behind the welcome")
    func sameSegment() throws {
        let harness = try SessionHarness()
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/rider/socket", token: harness.token()) + Self.early.bytes)
        #expect(try client.response().status == 101)
        let frames = try client.frames()
        try #require(frames.map(\.opcode) == [RawFrame.text, RawFrame.text, RawFrame.pong])
        #expect(frames[1].text == #"{"type":"pong","ref":"1"}"#)
        #expect(frames[2].text == "A")
    }

    @Test("wherever handshake and frames are cut, the outcome is the same")
    func everyCut() throws {
        let harness = try SessionHarness()
        let bytes = SessionHarness.upgrade("/rider/socket", token: harness.token()) + Self.early.bytes
        let sent = try ChunkedFeed.check(bytes, randomRounds: 8) { pieces in
            let client = try harness.connect()
            client.send(pieces: pieces)
            _ = try client.response()
            return try client.frames().dropFirst().map(\.text)
        }
        #expect(sent == [#"{"type":"pong","ref":"1"}"#, "A"])
    }

    @Test("frames wait for look-ups, registration and attachment, in their order", arguments: [true, false])
    func whileWaiting(oneByOne: Bool) throws {
        let harness = try SessionHarness()
        harness.lookUps = .later
        harness.attachments = .later
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/orders/123/events", token: harness.token("7001", role: "customer")))
        let frames = (0..<30).map { ClientFrame.text(#"{"type":"ping","ref":\#($0)}"#) }
        for (index, frame) in frames.enumerated() {
            client.send(pieces: oneByOne ? frame.bytes.map { [$0] } : [frame.bytes])
            if index == 10 { harness.answerLookUps(.text("7001")) }
            #expect(client.pending.isEmpty)
        }
        harness.answerAttachments()
        #expect(try client.response().status == 101)
        let refs = try client.messages().dropFirst().map { $0["ref"]?.numberValue?.int64 }
        #expect(refs == (0..<30).map { Int64($0) })
    }

    @Test("when the handshake is refused they are discarded", arguments: [StoreReply.null, .error("x")])
    func discarded(reply: StoreReply) throws {
        let harness = try SessionHarness()
        harness.lookUps = .later
        let client = try harness.connect()
        client.send(
            SessionHarness.upgrade("/orders/123/events", token: harness.token("7001", role: "customer"))
                + Self.early.bytes)
        harness.answerLookUps(reply)
        _ = try client.lastResponse()
    }

    @Test("what waits is bounded: then no more is read until the answer comes")
    func bounded() throws {
        let harness = try SessionHarness()
        harness.lookUps = .later
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/orders/123/events", token: harness.token("7001", role: "customer")))
        #expect(client.session.wantsInput)
        let ping = ClientFrame.ping(String(repeating: "x", count: 125)).bytes
        var sent = 0
        while client.session.wantsInput, sent < 10_000_000 {
            client.send(ping)
            sent += ping.count
        }
        #expect(sent >= PendingQuestion.heldLimit)
        #expect(sent <= PendingQuestion.heldLimit + ping.count)
        harness.answerLookUps(.text("7001"))
        #expect(client.session.wantsInput)
        _ = try client.response()
        #expect(try client.frames().count(where: { $0.opcode == RawFrame.pong }) == sent / ping.count)
    }

    @Test("a client that ends while it is admitted is still served what it asked, then let go")
    func endWhileAdmitting() throws {
        let harness = try SessionHarness()
        harness.attachments = .later
        let client = try harness.connect()
        client.send(
            SessionHarness.upgrade("/rider/socket", token: harness.token())
                + [ClientFrame.text(#"{"type":"accept","ref":"7"}"#), .close(1000)].bytes)
        client.sendEnd()
        harness.answerAttachments()
        #expect(try client.response().status == 101)
        #expect(try client.close(passingOverMessages: true).code == 1000)
        #expect(client.handedOver.map(\.type) == ["accept"])
        #expect(client.session.ending == .clientClosed)
        #expect(client.session.endingCode == 1000)
        #expect(client.session.isClosed)
        #expect(client.ended == 1)
    }

    @Test("the end alone during admission ends the session after it opened")
    func endAlone() throws {
        let harness = try SessionHarness()
        harness.attachments = .later
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/rider/socket", token: harness.token()))
        client.sendEnd()
        harness.answerAttachments()
        #expect(client.session.ending == .peerGone)
        #expect(client.hasSentEnd)
        #expect(client.topics.isEmpty)
        #expect(!harness.context.topics.isListening("riders:5521"))
    }

    @Test("a reset during admission leaves nothing behind, also when answers come later")
    func resetWhileAdmitting() throws {
        let harness = try SessionHarness()
        harness.lookUps = .later
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/orders/123/events", token: harness.token("7001", role: "customer")))
        client.reset()
        harness.answerLookUps(.text("7001"))
        #expect(client.registrations == 0)
        #expect(client.session.ending == .connectionReset)
        #expect(client.ended == 1)
        #expect(client.bytesSent == 0)
    }

    @Test("bytes behind the request of an event stream are ignored")
    func behindStream() throws {
        let harness = try SessionHarness()
        harness.own("123", by: "7001")
        let client = try harness.connect()
        client.send(
            SessionHarness.stream("/orders/123/events", token: harness.token("7001", role: "customer"))
                + SessionHarness.request("GET", "/healthz"))
        client.send(SessionHarness.request("GET", "/healthz"))
        try client.readStreamHead()
        #expect(try client.events().map(\.event) == ["welcome"])
        #expect(client.answered.isEmpty)
        #expect(client.session.isOpen)
    }
}
