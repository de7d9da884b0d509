import Testing

@testable import TiffinLiveCore

@Suite("Contract 7.2: two clocks, and whichever passes first decides (B88)")
struct ClockTests {
    private static let settings = ["expiry.jitter=\"0s\"", "expiry.warning=\"0s\""]

    private static let beating = [#"tokens.maxLifetime="10h""#, #"expiry.maxAge="10h""#, #"heartbeat={ping:"25s"}"#]

    private func open(_ harness: SessionHarness, isStream: Bool) throws -> HarnessClient {
        let client = isStream ? try harness.openStream() : try harness.openWebSocket()
        client.pending = []
        return client
    }

    @Test("a wall clock that jumps past exp ends the session before anything else is sent", arguments: [false, true])
    func jump(isStream: Bool) throws {
        let harness = try SessionHarness(Self.settings)
        let client = try open(harness, isStream: isStream)
        harness.stepWall(by: 3600 * .second)
        #expect(client.hasSentEnd)
        harness.publish("riders:5521", "1")
        harness.publish("orders:123", "1")
        let text = String(decoding: client.pending, as: UTF8.self)
        #expect(text.contains("token_expired"))
        #expect(!text.contains("event") || isStream && !text.contains("data: 1"))
    }

    @Test("a jump that leaves life brings the end nearer by as much")
    func smallJump() throws {
        let harness = try SessionHarness(Self.settings)
        let client = try open(harness, isStream: false)
        harness.stepWall(by: 600 * .second)
        #expect(client.session.isOpen)
        harness.advance(seconds: 299)
        #expect(client.session.isOpen)
        harness.advance(seconds: 1)
        #expect(try client.close(passingOverMessages: true).code == 4001)
    }

    @Test("a wall clock set back extends nothing", arguments: [-3600, -10, -1] as [Int64])
    func setBack(seconds: Int64) throws {
        let harness = try SessionHarness(Self.settings)
        let client = try open(harness, isStream: false)
        harness.stepWall(by: seconds * .second)
        harness.advance(seconds: 899)
        #expect(client.session.isOpen)
        harness.advance(seconds: 1)
        #expect(try client.close(passingOverMessages: true).code == 4001)
    }

    @Test("set back and forth again, the end is where it was")
    func backAndForth() throws {
        let harness = try SessionHarness(Self.settings)
        let client = try open(harness, isStream: false)
        harness.stepWall(by: -3600 * .second)
        harness.stepWall(by: 3600 * .second)
        harness.advance(seconds: 899)
        #expect(client.session.isOpen)
        harness.advance(seconds: 1)
        #expect(client.hasSentEnd)
    }

    @Test("a machine that slept past exp closes on waking, with no burst of pings")
    func suspended() throws {
        let harness = try SessionHarness([#"heartbeat={ping:"25s"}"#])
        let client = try open(harness, isStream: false)
        let other = try harness.openWebSocket(token: harness.token("9", ttl: 3600))
        harness.stepWall(by: 1800 * .second)
        #expect(try client.close().code == 4001)
        #expect(other.pending.isEmpty)
        harness.advance(seconds: 1)
        #expect(try other.frames().isEmpty)
        harness.advance(seconds: 25)
        #expect(try other.frames().map(\.opcode) == [RawFrame.ping])
    }

    @Test("pings and time-outs do not heed steps of the wall clock", arguments: [3600, -3600] as [Int64])
    func heartbeats(step: Int64) throws {
        let plain = try SessionHarness(Self.beating, seed: 5)
        let stepped = try SessionHarness(Self.beating, seed: 5)
        var pings: [[Bool]] = []
        for harness in [plain, stepped] {
            let client = try harness.openWebSocket(token: harness.token(ttl: 20_000))
            let silent = try harness.connect()
            if harness === stepped { harness.stepWall(by: step * .second) }
            var seen: [Bool] = []
            for _ in 0..<60 {
                harness.advance(seconds: 1)
                seen.append(try client.frames().contains { $0.opcode == RawFrame.ping })
                if seen.last == true { client.send(.pong()) }
                seen.append(silent.hasSentEnd)
            }
            pings.append(seen)
        }
        #expect(pings[0] == pings[1])
    }

    @Test("a new token is judged by the wall clock as it is now")
    func refreshAfterStep() throws {
        let harness = try SessionHarness(Self.settings)
        let client = try open(harness, isStream: false)
        let token = harness.token(ttl: 1000)
        harness.stepWall(by: 400 * .second)
        client.send(text: #"{"type":"auth","token":"\#(token)"}"#)
        #expect(try client.message()["expires_in"] == 600)
        harness.advance(seconds: 599)
        #expect(client.session.isOpen)
        harness.advance(seconds: 1)
        #expect(client.hasSentEnd)
    }

    @Test("the time left that is told is that of the nearer clock")
    func timeLeft() throws {
        let harness = try SessionHarness(["expiry.warning=\"120s\""])
        let client = try open(harness, isStream: false)
        harness.stepWall(by: 300 * .second)
        harness.advance(seconds: 480)
        #expect(try client.messages().last == ["type": "expiring", "expires_in": 120])
    }

    @Test("random steps and waits: never open past exp on either clock, never delivered after it", arguments: 0..<60)
    func randomSteps(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let harness = try SessionHarness(seed: UInt64(seed))
        let client = try open(harness, isStream: seed % 2 == 0)
        let topic = seed % 2 == 0 ? "orders:123" : "riders:5521"
        let wallEnd = harness.now.wall + 900 * .second
        let monotonicEnd = harness.now.monotonic + 900 * .second
        for _ in 0..<200 where !client.hasSentEnd {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: harness.stepWall(by: Nanoseconds.random(in: -100...100, using: &random) * .second)
            case 1: harness.advanceWithoutTimers(by: Nanoseconds.random(in: 0...30, using: &random) * .second)
            default: harness.advance(by: Nanoseconds.random(in: 0...30, using: &random) * .second)
            }
            let isPast = harness.now.wall >= wallEnd || harness.now.monotonic >= monotonicEnd
            client.pending = []
            harness.publish(topic, "4711")
            let isDelivered = String(decoding: client.pending, as: UTF8.self).contains("4711")
            #expect(!(isPast && isDelivered))
            #expect(!(isPast && client.session.isOpen))
        }
        #expect(client.hasSentEnd)
    }
}
