import Testing

@testable import TiffinLiveCore

@Suite("Contract 7.8: heartbeats (B59, B61)")
struct HeartbeatTests {
    static let settings = [
        #"heartbeat={ping:"25s",pong:"10s",comment:"15s"}"#, #"expiry={warning:"0s",maxAge:"10h"}"#,
        #"tokens.maxLifetime="10h""#,
    ]

    private func open(_ seed: UInt64 = 1) throws -> (SessionHarness, HarnessClient) {
        let harness = try SessionHarness(Self.settings, seed: seed)
        return (harness, try harness.openWebSocket(token: harness.token(ttl: 30_000)))
    }

    /// Seconds until the next frame of a kind, looked for every 100 ms.
    private func wait(_ harness: SessionHarness, _ client: HarnessClient, for opcode: UInt8, limit: Double) throws
        -> Double?
    {
        let start = harness.now.monotonic
        while harness.now.monotonic - start < Nanoseconds(limit * 1e9) {
            harness.advance(by: 100 * .millisecond)
            if try client.frames().contains(where: { $0.opcode == opcode }) {
                return Double(harness.now.monotonic - start) / 1e9
            }
        }
        return nil
    }

    @Test("a silent client is pinged after 25 s or a little less, not all at the same moment")
    func firstPing() throws {
        var waits: Set<Int> = []
        for seed in 0..<30 as Range<UInt64> {
            let (harness, client) = try open(seed)
            let wait = try #require(try wait(harness, client, for: RawFrame.ping, limit: 30))
            #expect((19.9...25.1).contains(wait))
            waits.insert(Int(wait * 10))
        }
        #expect(waits.count > 10)
    }

    @Test("is dead after 10 s more without a byte: no close, no ceremony")
    func dead() throws {
        let (harness, client) = try open()
        let start = harness.now.monotonic
        harness.advance(seconds: 29)
        #expect(client.session.isOpen)
        harness.advance(seconds: 7)
        #expect(client.session.isClosed)
        #expect(client.aborted)
        #expect(client.session.ending == .heartbeatTimeout)
        #expect(client.session.endingCode == 1006)
        #expect(client.ended == 1)
        #expect(client.topics.isEmpty)
        #expect(try client.frames().map(\.opcode) == [RawFrame.ping])
        #expect(harness.now.monotonic - start <= 36 * .second)
    }

    @Test(
        "any byte counts as life, not just a pong (B61)",
        arguments: [
            ClientFrame.pong().bytes, ClientFrame.pong("other payload").bytes, ClientFrame.ping("x").bytes,
            ClientFrame.text(#"{"type":"ping"}"#).bytes, [0x81], ClientFrame.text("part", isFinal: false).bytes,
        ])
    func anyByte(bytes: [UInt8]) throws {
        let (harness, client) = try open()
        _ = try wait(harness, client, for: RawFrame.ping, limit: 30)
        harness.advance(seconds: 9.9)
        #expect(client.session.isOpen)
        client.send(bytes)
        harness.advance(seconds: 9.9)
        #expect(client.session.isOpen)
    }

    @Test("a client that uploads slowly and answers no ping stays (B61a)")
    func slowUpload() throws {
        let (harness, client) = try open()
        let message = ClientFrame.text(#"{"type":"ping","ref":"\#(String(repeating: "x", count: 100))"}"#).bytes
        for byte in message {
            client.send([byte])
            harness.advance(seconds: 5)
        }
        #expect(client.session.isOpen)
        #expect(try client.frames().contains { $0.opcode == RawFrame.text })
    }

    @Test("one that pings every second and never pongs stays, and is not pinged (B61d)")
    func pingsItself() throws {
        let (harness, client) = try open()
        for _ in 0..<120 {
            harness.advance(seconds: 1)
            client.send(.ping())
        }
        #expect(client.session.isOpen)
        #expect(try client.frames().allSatisfy { $0.opcode == RawFrame.pong })
    }

    @Test("unsolicited pongs are no fault (B61b)")
    func unsolicited() throws {
        let (harness, client) = try open()
        for _ in 0..<100 {
            client.send(.pong("whatever"))
            harness.advance(seconds: 3)
        }
        #expect(client.session.isOpen)
        #expect(client.session.messagesReceived == 0)
    }

    @Test("silence in one direction is broken also when the other is busy (B59)")
    func otherDirection() throws {
        let (harness, client) = try open()
        var gap = 0
        var longest = 0
        for _ in 0..<180 {
            harness.advance(seconds: 1)
            client.send(.pong())
            gap = try client.frames().isEmpty ? gap + 1 : 0
            longest = max(longest, gap)
        }
        #expect(longest <= 25, "something goes out, although the client sends all the time")
        let receiving = try harness.openWebSocket(token: harness.token("9", ttl: 30_000))
        var pings = 0
        for _ in 0..<180 {
            harness.advance(seconds: 1)
            harness.publish("riders:9", "1")
            if try receiving.frames().contains(where: { $0.opcode == RawFrame.ping }) {
                pings += 1
                receiving.send(.pong())
            }
        }
        #expect((7...9).contains(pings), "a client that only receives is asked whether it is there")
    }

    @Test("a client that answers is pinged for as long as it stays, never more than 25 s apart")
    func steady() throws {
        let (harness, client) = try open()
        for _ in 0..<60 {
            let wait = try #require(try wait(harness, client, for: RawFrame.ping, limit: 40))
            #expect((19.9...25.2).contains(wait))
            client.send(.pong())
        }
        #expect(client.session.isOpen)
    }

    @Test("behind output that waits no ping is sent, and none is held against the client")
    func blocked() throws {
        let (harness, client) = try open()
        client.room = 5
        harness.publish("riders:5521", "1")
        harness.advance(seconds: 120)
        #expect(client.session.isOpen, "that the peer is gone is for the kernel to find")
        client.drain()
        #expect(try client.frames().map(\.opcode) == [RawFrame.text])
        let next = try #require(try wait(harness, client, for: RawFrame.ping, limit: 40))
        #expect(next <= 25.1)
    }

    @Test(
        "a ping on its way when the session closes is not held against the close", arguments: [1000, 4003] as [UInt16])
    func closing(code: UInt16) throws {
        let (harness, client) = try open()
        _ = try wait(harness, client, for: RawFrame.ping, limit: 30)
        if code == 1000 { client.send(.close(1000)) } else { try harness.revoke(#"{"user_id":5521}"#) }
        #expect(try client.close().code == Int(code))
        harness.advance(seconds: 4)
        #expect(!client.session.isClosed)
        harness.advance(seconds: 2)
        #expect(client.session.isClosed)
        #expect(client.session.endingCode == code)
    }

    @Test("no pings when they are off")
    func off() throws {
        let harness = try SessionHarness([#"tokens.maxLifetime="10h""#, #"expiry.maxAge="10h""#])
        let client = try harness.openWebSocket(token: harness.token(ttl: 36_000))
        #expect(client.welcome["heartbeat"] == 0)
        harness.advance(seconds: 20_000)
        #expect(try client.frames().isEmpty)
        #expect(client.session.isOpen)
    }

    @Test("pings and comments that are switched off while the server runs end, and nothing spins")
    func switchedOff() throws {
        let harness = try SessionHarness(Self.settings)
        let socket = try harness.openWebSocket(token: harness.token(ttl: 30_000))
        let stream = try harness.openStream(token: harness.token("7001", role: "customer", ttl: 30_000))
        _ = (try socket.frames(), try stream.blocks())
        harness.context.settings.heartbeat.ping = 0
        harness.context.settings.heartbeat.comment = 0
        harness.advance(seconds: 600)
        #expect(try socket.frames().isEmpty)
        #expect(try stream.blocks().isEmpty)
        #expect(socket.session.isOpen && stream.session.isOpen)
        #expect(socket.session.deadlines.heartbeat == SessionDeadlines.never)
        #expect(stream.session.deadlines.heartbeat == SessionDeadlines.never)
    }

    @Test("an event stream gets a comment every 15 s, and nobody asks for an answer")
    func comments() throws {
        let harness = try SessionHarness(Self.settings)
        let client = try harness.openStream(token: harness.token("7001", role: "customer", ttl: 30_000))
        _ = try client.blocks()
        var times: [Double] = []
        for tick in 0..<3000 {
            harness.advance(by: 100 * .millisecond)
            for block in try client.blocks() {
                #expect(block == RawEvent(comments: [""]))
                times.append(Double(tick) / 10)
            }
        }
        #expect((11.9...15.0).contains(times.first ?? 0))
        for (one, next) in zip(times, times.dropFirst()) { #expect((14.8...15.2).contains(next - one)) }
        #expect(client.session.isOpen)
    }

    @Test("comments are not piled up in front of a client that does not read")
    func commentsBlocked() throws {
        let harness = try SessionHarness(Self.settings)
        let client = try harness.openStream(token: harness.token("7001", role: "customer", ttl: 30_000))
        client.room = 5
        harness.publish("orders:123", "1")
        let queued = client.queuedBytes
        harness.advance(seconds: 600)
        #expect(client.queuedBytes == queued)
        client.drain()
        harness.advance(seconds: 15)
        #expect(try client.blocks().last?.comments == [""])
    }
}
