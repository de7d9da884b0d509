import Testing

@testable import TiffinLiveCore

@Suite("Contract 6: the close is the last thing said")
struct ClosingTests {
    @Test(
        "a client's close is answered with its code (B07)",
        arguments: [
            1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4001, 4999,
        ] as [UInt16])
    func echoed(code: UInt16) throws {
        let client = try SessionHarness().openWebSocket()
        client.send(.close(code, Array("why".utf8)))
        let close = try client.close()
        #expect(close.code == Int(code))
        #expect(close.reason.isEmpty, "nothing of the client's words comes back")
        #expect(client.session.ending == .clientClosed)
        #expect(client.session.endingCode == code)
        #expect(client.ended == 1)
    }

    @Test("an empty close is answered with an empty one, and 1005 is for the log alone (B07)")
    func empty() throws {
        let client = try SessionHarness().openWebSocket()
        client.send(.close(nil))
        #expect(try client.frame() == RawFrame(opcode: RawFrame.close))
        try client.expectEnd()
        #expect(client.session.endingCode == 1005)
    }

    @Test(
        "codes that must not be sent are 1002 (B07)",
        arguments: [
            0, 999, 1004, 1005, 1006, 1015, 1016, 2000, 2999, 5000, 65_535,
        ] as [UInt16])
    func invalid(code: UInt16) throws {
        let client = try SessionHarness().openWebSocket()
        client.send(.close(code))
        let close = try client.close()
        #expect(close.code == 1002)
        #expect(client.session.ending == .protocolError)
    }

    @Test("a code of one byte is 1002, a reason that is no UTF-8 is 1007 (B07)")
    func malformed() throws {
        let short = try SessionHarness().openWebSocket()
        short.send(ClientFrame(opcode: 8, payload: [3]))
        #expect(try short.close().code == 1002)
        let latin = try SessionHarness().openWebSocket()
        latin.send(.close(1000, [0xFF]))
        #expect(try latin.close().code == 1007)
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let code: Int
        var testDescription: String { name }

        init(_ name: String, _ code: Int, _ bytes: [UInt8]) {
            self.name = name
            self.code = code
            self.bytes = bytes
        }
    }

    static let faults = [
        Fault(
            "a length with the top bit set (B02)", 1002, ClientFrame.hex("82 ff ff ff ff ff ff ff ff ff 00 00 00 00")),
        Fault("the largest length (B02)", 1009, ClientFrame.hex("82 ff 7f ff ff ff ff ff ff ff 00 00 00 00")),
        Fault("a declared gigabyte (B10)", 1009, ClientFrame.hex("82 ff 00 00 00 00 40 00 00 00 00 00 00 00")),
        Fault("an unmasked frame (B04)", 1002, ClientFrame.hex("81 02 68 69")),
        Fault("RSV1 (B05)", 1002, ClientFrame.hex("c1 82 00 00 00 00 68 69")),
        Fault("RSV2 (B05)", 1002, ClientFrame.hex("a1 82 00 00 00 00 68 69")),
        Fault("RSV3 (B05)", 1002, ClientFrame.hex("91 82 00 00 00 00 68 69")),
        Fault("RSV1 on a ping (B05)", 1002, ClientFrame.hex("c9 80 00 00 00 00")),
        Fault("opcode 3", 1002, ClientFrame.hex("83 80 00 00 00 00")),
        Fault("opcode 11", 1002, ClientFrame.hex("8b 80 00 00 00 00")),
        Fault("a ping of 126 bytes (B62)", 1002, ClientFrame.hex("89 fe 00 7e 00 00 00 00")),
        Fault("a ping in fragments", 1002, ClientFrame.hex("09 80 00 00 00 00")),
        Fault("a continuation of nothing", 1002, ClientFrame.hex("80 80 00 00 00 00")),
        Fault("text that is no UTF-8 (B08)", 1007, ClientFrame.hex("81 82 00 00 00 00 c3 28")),
        Fault("a surrogate (B08)", 1007, ClientFrame.hex("81 83 00 00 00 00 ed a0 80")),
        Fault("an impossible byte in the first fragment (B08)", 1007, ClientFrame.hex("01 81 00 00 00 00 ff")),
    ]

    @Test(
        "a broken rule fails the connection with its code, in words of ours, and nothing behind it counts",
        arguments: faults)
    func fails(fault: Fault) throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        client.send(fault.bytes + [ClientFrame.text(#"{"type":"accept"}"#), .ping("x")].bytes)
        let close = try client.close()
        #expect(close.code == fault.code)
        #expect(close.reason.contains("; "))
        #expect(client.session.endingCode == UInt16(fault.code))
        client.send(text: #"{"type":"accept"}"#)
        #expect(client.handedOver.isEmpty)
        try client.expectEnd()
    }

    @Test("the same wherever the bytes are cut", arguments: [faults[0], faults[1], faults[4], faults[13]])
    func failsCut(fault: Fault) throws {
        let harness = try SessionHarness()
        try ChunkedFeed.check(fault.bytes) { pieces in
            let client = try harness.openWebSocket()
            client.send(pieces: pieces)
            return try client.close().code
        }
    }

    @Test("messages in front of a close are obeyed, and the end behind it is no reset (B17)")
    func closeWithEnd() throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        client.send(.text(#"{"type":"accept"}"#), .close(1000))
        client.sendEnd()
        #expect(client.handedOver.count == 1)
        #expect(try client.close().code == 1000)
        #expect(client.session.endingCode == 1000)
        #expect(client.session.isClosed)
    }

    @Test("a close inside a fragmented message is answered (B17)")
    func closeInsideMessage() throws {
        let client = try SessionHarness().openWebSocket()
        client.send(.text(#"{"type""#, isFinal: false), .close(1000))
        #expect(try client.close().code == 1000)
        #expect(client.session.ending == .clientClosed)
    }

    @Test("data behind the client's close is ignored")
    func dataBehindClose() throws {
        let client = try SessionHarness().openWebSocket()
        client.send(.close(1000), .text(#"{"type":"accept"}"#), .ping(), .close(1001))
        #expect(try client.close().code == 1000)
        client.send(.text(#"{"type":"accept"}"#))
        try client.expectEnd()
        #expect(client.handedOver.isEmpty)
    }

    /// Every reason for which this server closes, by the way it comes about.
    static let reasons: [DisconnectReason] = [
        .tokenExpired, .revoked, .forbidden, .tooSlow, .replaced, .rateLimited, .restart, .maximumAge, .goingAway,
        .operatorRequest,
    ]

    @Test("nothing follows our close, whatever comes in or is published (B13)", arguments: reasons, [false, true])
    func nothingBehind(reason: DisconnectReason, isStream: Bool) throws {
        let harness = try SessionHarness()
        let client = isStream ? try harness.openStream() : try harness.openWebSocket()
        client.pending = []
        client.perform { $0.disconnect(reason, $1) }
        let sent = client.bytesSent
        for _ in 0..<10 {
            harness.publish("riders:5521", "1")
            harness.publish("orders:123", "1")
            client.send(.ping("x"), .text(#"{"type":"ping"}"#))
            client.perform { $0.disconnect(.revoked, $1) }
            client.perform { $0.inboundTaken(ref: nil, isTaken: true, $1) }
            harness.advance(by: 100 * .millisecond)
        }
        #expect(client.bytesSent == sent)
        #expect(client.ended == 1)
        #expect(client.session.ending == reason)
        if isStream {
            let last = try #require(try client.events().last)
            #expect(last.event == "close")
            let data = try JSONReader.read(Array((last.data ?? "").utf8))
            #expect(data["code"]?.numberValue?.int64 == reason.closeCode.map { Int64($0.rawValue) })
            #expect(client.isStreamOver)
            try client.expectEnd()
        } else {
            let close = try client.close()
            #expect(close.code == reason.closeCode.map { Int($0.rawValue) })
        }
    }

    @Test(
        "1012 carries a delay that is not the same for everybody",
        arguments: [DisconnectReason.restart, .maximumAge, .operatorRequest])
    func retry(reason: DisconnectReason) throws {
        var delays: Set<Int> = []
        for seed in 0..<30 as Range<UInt64> {
            let client = try SessionHarness(seed: seed).openWebSocket()
            client.perform { $0.disconnect(reason, $1) }
            let close = try client.close()
            #expect(close.code == 1012)
            let parts = close.reason.split(separator: "; retry=")
            #expect(parts.count == 2)
            delays.insert(try #require(parts.last.flatMap { Int($0) }))
        }
        #expect(delays.count > 20)
        #expect(delays.allSatisfy { (0...60_000).contains($0) })
    }

    @Test("the delays of a drain fill the window that was chosen for it")
    func returnWindow() throws {
        var delays: [Int] = []
        for seed in 0..<60 as Range<UInt64> {
            let harness = try SessionHarness(seed: seed)
            harness.context.returnWindow = 60 * .second
            let client = try harness.openWebSocket()
            client.perform { $0.disconnect(.restart, $1) }
            let close = try client.close()
            delays.append(try #require(close.reason.split(separator: "=").last.flatMap { Int($0) }))
        }
        #expect(delays.allSatisfy { (0...60_000).contains($0) })
        for quarter in 0..<4 { #expect(delays.contains { $0 / 15_001 == quarter }) }
    }

    @Test("a drain answers the request that is under way: the first of a connection, or one of which a part is here")
    func requestUnderWay() throws {
        let harness = try SessionHarness()
        let request = SessionHarness.upgrade("/rider/socket", token: harness.token())
        let fresh = try harness.connect()
        let halfway = try harness.connect()
        halfway.send(Array(request[..<40]))
        let again = try harness.connect()
        again.send(SessionHarness.request("GET", "/healthz"))
        #expect(try again.response().status == 200)
        again.send(Array(request[..<1]))
        harness.context.isDraining = true
        for client in [fresh, halfway, again] { client.perform { $0.disconnect(.restart, $1) } }
        fresh.send(request)
        halfway.send(Array(request[40...]))
        again.send(Array(request[1...]))
        for client in [fresh, halfway, again] {
            let response = try client.response()
            #expect(response.status == 503)
            #expect(response.text.contains("draining"))
            #expect(response.only("Retry-After") != nil)
            try client.expectEnd()
        }
    }

    @Test("a drain waits for such a request for a bounded time, and a hurried one not at all")
    func requestThatDoesNotCome() throws {
        let harness = try SessionHarness()
        let silent = try harness.connect()
        let halfway = try harness.connect()
        halfway.send(Array("GET /rider".utf8))
        let hurried = try harness.connect()
        harness.context.isDraining = true
        for client in [silent, halfway, hurried] { client.perform { $0.disconnect(.restart, $1) } }
        hurried.perform { $0.disconnect(.goingAway, $1) }
        try hurried.expectEnd()
        harness.advance(by: Session.lastRequestWait - .second)
        #expect(!silent.hasSentEnd && !halfway.hasSentEnd)
        harness.advance(by: .second)
        try silent.expectEnd()
        #expect(silent.bytesSent == 0)
        #expect(try halfway.response().status == 503)
        try halfway.expectEnd()
    }

    @Test("a drain closes a connection that idles between requests at once")
    func keptAlive() throws {
        let client = try SessionHarness().connect()
        client.send(SessionHarness.request("GET", "/healthz"))
        #expect(try client.response().status == 200)
        client.perform { $0.disconnect(.restart, $1) }
        try client.expectEnd()
    }

    @Test("other codes carry none", arguments: reasons.filter { $0.closeCode != .serviceRestart })
    func noRetry(reason: DisconnectReason) throws {
        let client = try SessionHarness().openWebSocket()
        client.perform { $0.disconnect(reason, $1) }
        #expect(try client.close().reason == reason.word)
    }

    @Test("an operator may choose the code", arguments: [1001, 4003, 4000] as [UInt16])
    func operatorCode(code: UInt16) throws {
        let client = try SessionHarness().openWebSocket()
        client.perform { $0.disconnect(.operatorRequest, code: CloseCode(rawValue: code), $1) }
        #expect(try client.close().code == Int(code))
        #expect(client.session.ending == .operatorRequest)
        #expect(client.session.endingCode == code)
    }

    @Test("pings that cross our close are no fault, and the code stays (B14)")
    func pingCrosses() throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket(token: harness.token(ttl: 4))
        for _ in 0..<3000 where !client.session.isClosed {
            harness.advance(by: 2 * .millisecond)
            client.send(.ping("x"))
        }
        let frames = try client.frames()
        #expect(frames.last?.payload.prefix(2).elementsEqual([0x0F, 0xA1]) == true)
        #expect(frames.count(where: { $0.opcode == RawFrame.close }) == 1)
        try client.expectEnd()
    }

    @Test("a peer that answers is let go at its end; one that does not is dropped after 5 s", arguments: [true, false])
    func peerAnswers(answers: Bool) throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        client.perform { $0.disconnect(.revoked, $1) }
        #expect(client.hasSentEnd)
        if answers {
            client.send(.close(4003))
            client.sendEnd()
            #expect(client.session.isClosed)
        }
        harness.advance(seconds: 4.9)
        #expect(client.session.isClosed == answers)
        harness.advance(seconds: 0.2)
        #expect(client.session.isClosed)
        #expect(client.ended == 1)
    }

    @Test("a peer that never takes the close is dropped after 5 s, with what was queued")
    func neverTaken() throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        client.room = 0
        client.perform { $0.disconnect(.replaced, $1) }
        harness.advance(seconds: 4.9)
        #expect(!client.session.isClosed)
        harness.advance(seconds: 0.2)
        #expect(client.session.isClosed)
        #expect(client.aborted)
    }

    @Test("a peer that has ended its half still gets what waits for it, the close at its end")
    func endedHalf() throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        client.room = 3
        harness.publish("riders:5521", "1")
        client.send(.close(1000))
        client.sendEnd()
        #expect(!client.session.isClosed)
        client.drain()
        #expect(try client.frames().map(\.opcode) == [RawFrame.text, RawFrame.close])
        #expect(client.session.isClosed)
    }

    @Test("the end without a close is 1006 in the log, and nothing on the wire (B16)", arguments: [true, false])
    func gone(byReset: Bool) throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        client.send([0x81, 0x85, 1])
        if byReset { client.reset() } else { client.sendEnd() }
        #expect(client.session.ending == (byReset ? .connectionReset : .peerGone))
        #expect(client.session.endingCode == 1006)
        #expect(client.pending.isEmpty)
        #expect(client.ended == 1)
        #expect(client.topics.isEmpty)
        harness.advance(seconds: 1000)
        #expect(client.session.isClosed)
        #expect(client.pending.isEmpty)
    }

    @Test("who lost the right to it, or is too slow, does not get what was queued; others do", arguments: reasons)
    func queued(reason: DisconnectReason) throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        client.room = 10
        for number in 0..<50 { harness.publish("riders:5521", "\(number)") }
        client.perform { $0.disconnect(reason, $1) }
        client.drain()
        let frames = try client.frames()
        #expect(frames.count == (reason.keepsQueuedOutput ? 51 : 2), "the event that had begun is finished")
        #expect(frames.last?.opcode == RawFrame.close)
        try client.expectEnd()
    }

    @Test("the same for an event stream, whose chunks stay whole", arguments: reasons, ["HTTP/1.1", "HTTP/1.0"])
    func queuedStream(reason: DisconnectReason, version: String) throws {
        let harness = try SessionHarness()
        let client = try harness.openStream(version: version)
        _ = try client.blocks()
        client.room = 25
        for number in 0..<50 { harness.publish("orders:123", "\(number)") }
        client.perform { $0.disconnect(reason, $1) }
        client.drain()
        let events = try client.events()
        #expect(events.count == (reason.keepsQueuedOutput ? 51 : 2))
        #expect(events.first?.data == "0")
        #expect(events.last?.event == "close")
        #expect(client.isStreamOver == (version == "HTTP/1.1"))
        try client.expectEnd()
    }
}
