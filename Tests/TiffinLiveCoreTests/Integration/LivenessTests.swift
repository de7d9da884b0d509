import Testing

@testable import TiffinLiveCore

/// Heartbeats (contract section 7.8) on clocks moved by hand: what the server sends at which second, to the second.
@Suite("Heartbeats and signs of life")
struct LivenessTests {
    private let clock = SteppedClock()

    private func server(_ settings: [String] = []) throws -> LiveServer {
        try LiveServer([#"expiry.warning="0s""#, #"expiry.maxAge="3h""#] + settings, clock: clock)
    }

    /// Lets time go by second by second; `each` gets what arrived in it. The longest silence, in seconds.
    private func watch(
        _ client: RawClient, _ server: LiveServer, seconds: Int, counting opcodes: [UInt8]? = nil,
        each: (Int, [RawFrame]) throws -> Void
    ) throws -> Int {
        var (silence, longest) = (0, 0)
        for second in 1...seconds {
            try server.advance(clock, by: .second)
            let frames = try client.framesSoFar()
            silence += 1
            if frames.contains(where: { opcodes?.contains($0.opcode) ?? true }) { silence = 0 }
            longest = max(longest, silence)
            try each(second, frames)
        }
        return longest
    }

    private func answerPings(_ frames: [RawFrame], _ client: RawClient) throws {
        for frame in frames where frame.opcode == RawFrame.ping {
            try client.send(RawFrame(opcode: RawFrame.pong, payload: frame.payload))
        }
    }

    @Test("an idle WebSocket hears a ping at most every 25 seconds, for ten minutes")
    func idle() throws {
        let server = try server()
        let client = try server.rider()
        var pings = 0
        let longest = try watch(client, server, seconds: 600) { _, frames in
            pings += frames.filter { $0.opcode == RawFrame.ping }.count
            try answerPings(frames, client)
        }
        #expect(longest <= 25)
        #expect((600 / 25...600 / 20).contains(pings))
    }

    @Test("a ping period shorter than the wait for a pong is kept too")
    func shortPeriod() throws {
        let server = try server([#"heartbeat.ping="3s""#, #"heartbeat.pong="10s""#])
        let client = try server.rider()
        #expect(try watch(client, server, seconds: 60) { try answerPings($1, client) } <= 3)
    }

    @Test("a client that only sends still hears something at most every 25 seconds")
    func onlyInbound() throws {
        let server = try server()
        let client = try server.rider()
        #expect(try watch(client, server, seconds: 120) { _, _ in try client.sendPong("unsolicited") } <= 25)
    }

    @Test("a client that only listens is pinged at most every 25 seconds, so that bytes go both ways")
    func onlyOutbound() throws {
        let server = try server()
        let client = try server.rider()
        let longest = try watch(client, server, seconds: 120, counting: [RawFrame.ping]) { second, frames in
            try answerPings(frames, client)
            if second % 2 == 0 { try server.publish("riders:5521", "\(second)") }
        }
        #expect(longest <= 25)
    }

    @Test("an event stream gets a comment every 15 seconds, idle or not", arguments: [false, true])
    func comments(isBusy: Bool) throws {
        let server = try server()
        let stream = try server.customer()
        for second in 1...150 {
            try server.advance(clock, by: .second)
            if isBusy && second % 5 == 0 { try server.publish("orders:123", "\(second)") }
        }
        try server.publish("orders:123", "\"end\"")
        var comments = 0
        while let block = try stream.nextBlock(), block.data != "end" {
            comments += block.comments.count
            // A comment moves nobody's position.
            #expect(block.comments.isEmpty || (block.data == nil && block.id == nil))
        }
        #expect((9...12).contains(comments))
    }

    @Test("without a byte for the time of a pong the peer is dead, and not before")
    func dead() throws {
        let server = try server()
        let client = try server.rider()
        try server.advance(clock, by: 25 * .second)
        #expect(try client.framesSoFar().map(\.opcode) == [RawFrame.ping])
        // The ping went out between the 20th and the 25th second.
        try server.advance(clock, by: 4 * .second)
        #expect(try server.openSessions() == 1)
        try server.advance(clock, by: 7 * .second)
        #expect(try server.openSessions() == 0)
        try client.expectEnd()
        let line = try #require(try server.logObjects("connection_closed").first)
        #expect(line["reason"]?.stringValue == "heartbeat_timeout")
        #expect(line["code"]?.numberValue?.int64 == 1006)
    }

    enum Sign: CaseIterable {
        case slowMessage, unsolicitedPong, foreignPong, ownPings, halfHeader
    }

    @Test("every byte counts as life, not only the pong that was asked for", arguments: Sign.allCases)
    func signs(sign: Sign) throws {
        let server = try server()
        let client = try server.rider()
        let message = RawFrame(opcode: RawFrame.text, payload: Array(#"{"type":"ping"}"#.utf8)).encoded(key: [
            1, 2, 3, 4,
        ])
        _ = try watch(client, server, seconds: 120) { second, _ in
            switch sign {
            // A message that takes longer than a ping and its pong, a byte every six seconds.
            case .slowMessage where second % 6 == 0: try client.send([message[(second / 6 - 1) % message.count]])
            case .unsolicitedPong where second % 9 == 0: try client.sendPong("")
            case .foreignPong where second % 9 == 0: try client.sendPong("not what was sent")
            // Never answers a ping, but pings itself: it is there (contract section 7.8: any byte counts).
            case .ownPings: try client.sendPing("\(second)")
            case .halfHeader where second == 30: try client.send([0x81])
            case .halfHeader where second == 35: try client.send(Array(message.dropFirst()))
            case .halfHeader where second > 35: try client.sendPong()
            default: break
            }
        }
        #expect(try server.openSessions() == 1)
        try server.publish("riders:5521", "1")
        while try !client.receiveFrame().text.contains(#""data":1"#) {}
    }

    @Test("a pong for the latest of two pings is enough")
    func latestPong() throws {
        let server = try server([#"heartbeat.ping="4s""#, #"heartbeat.pong="10s""#])
        let client = try server.rider()
        _ = try watch(client, server, seconds: 60) { second, frames in
            if second % 8 == 0, let ping = frames.last { try client.sendPong(ping.text) }
            if second % 8 == 0 { try client.sendPong() }
        }
        #expect(try server.openSessions() == 1)
    }
}
