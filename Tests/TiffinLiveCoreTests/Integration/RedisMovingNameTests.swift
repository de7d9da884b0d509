import Glibc
import Testing

@testable import TiffinLiveCore

/// A name that moves with the primary (docs/redis.md, "Failover"): every attempt asks for its addresses anew.
@Suite("A Redis whose name moves", .serialized)
struct RedisMovingNameTests {
    /// What the name points to, and how often it was asked for.
    private final class Zone: Sendable {
        private let state = Locked<(answer: [SocketAddress]?, asked: Int, hangs: Bool)>((nil, 0, false))

        var asked: Int { state.withLock { $0.asked } }

        /// nil: there is no such name.
        func point(to ports: [Int]?) {
            state.withLock { state in
                state.answer = ports.map { $0.compactMap { SocketAddress("127.0.0.1:\($0)") } }
            }
        }

        func hang(_ hangs: Bool) { state.withLock { $0.hangs = hangs } }

        @Sendable func resolve(host: String, port: UInt16) -> Result<[SocketAddress], NameResolution.Failure> {
            let (answer, hangs) = state.withLock { state in
                state.asked += 1
                return (state.answer, state.hangs)
            }
            while hangs, state.withLock({ $0.hangs }) { usleep(2000) }
            guard host == "redis.example", port == 6380, let answer else {
                return .failure(NameResolution.Failure(text: "no such name"))
            }
            return .success(answer)
        }
    }

    private static func harness(
        _ role: RedisSession<RedisConnection.Reply>.Role, _ zone: Zone,
        change: (inout RedisConnectionSettings) -> Void = { _ in }
    ) throws -> RedisHarness {
        try RedisHarness(role, "redis://redis.example:6380") { settings in
            settings.resolver = zone.resolve
            change(&settings)
        }
    }

    @Test("a primary that is demoted is left for the address that the name has by then")
    func failover() throws {
        let (first, second) = (try ScriptedRedis(), try ScriptedRedis())
        let zone = Zone()
        zone.point(to: [first.port])
        let harness = try Self.harness(.commands, zone)
        try harness.untilReady()
        #expect(zone.asked == 1)
        zone.point(to: [second.port])
        // A link that works is kept.
        #expect(try harness.ask("ECHO", "x") == .success(.bulkString("x")))
        #expect(second.acceptedCount == 0)
        first.answer("SET", .text("-READONLY You can't write against a read only replica.\r\n"))
        _ = try harness.ask("SET", "a", "b")
        try harness.untilLost()
        try harness.untilReady()
        #expect(harness.losses == [.readOnly])
        #expect(try harness.ask("SET", "a", "c") == .success(.simpleString("OK")))
        #expect(second.commands.contains("SET a c"))
        #expect(first.acceptedCount == 1)
        #expect(zone.asked == 2)
    }

    @Test("a primary that is gone is looked for where the name points, subscriptions included")
    func gone() throws {
        var first: ScriptedRedis? = try ScriptedRedis()
        let second = try ScriptedRedis()
        let zone = Zone()
        zone.point(to: try [#require(first).port])
        let harness = try Self.harness(.subscriptions, zone)
        harness.connection.subscribe("revocations")
        try harness.until("the subscription") { harness.connection.isSettled }
        first = nil
        try harness.untilLost()
        // The name still points to where nobody is.
        try harness.until("another attempt") { zone.asked >= 4 }
        zone.point(to: [second.port])
        try harness.until("the subscription") { harness.connection.isSettled }
        second.push(.text(ScriptedSession.push("message", "revocations", "x")))
        try harness.until("the message") { !harness.messages.isEmpty }
        #expect(harness.messages == ["revocations> x"])
        #expect(second.commands.filter { $0.hasPrefix("SUBSCRIBE") } == ["SUBSCRIBE revocations"])
        // Up, gone, unreachable, up: more attempts of the same kind are no news.
        #expect(harness.states.count <= 4)
    }

    @Test("all addresses of a name are tried in order before it is asked for again")
    func severalAddresses() throws {
        let (dead, closing) = (try LoopbackSocket.listen(), try ScriptedRedis(["HELLO": .reset]))
        close(dead.0)
        let good = try ScriptedRedis()
        let zone = Zone()
        zone.point(to: [dead.1, closing.port, good.port])
        let harness = try Self.harness(.commands, zone) { settings in
            // None: what is tried next must not wait for a pause.
            settings.backoff = ReconnectBackoff(base: 3600 * .second, cap: 3600 * .second, floor: 1800 * .second)
        }
        try harness.untilReady()
        #expect(zone.asked == 1)
        #expect(closing.acceptedCount == 1)
    }

    @Test("a name that vanishes, or has no address, is tried again until it is there", arguments: [nil, [Int]()])
    func vanished(_ answer: [Int]?) throws {
        let redis = try ScriptedRedis()
        let zone = Zone()
        zone.point(to: answer)
        let harness = try Self.harness(.commands, zone)
        try harness.until("attempts") { zone.asked >= 3 }
        #expect(harness.states.count == 1)
        #expect(harness.faults.first?.word == "unresolved")
        zone.point(to: [redis.port])
        try harness.untilReady()
    }

    @Test("an answer that does not come blocks no loop and holds few threads, and a late one is no matter")
    func hanging() throws {
        let redis = try ScriptedRedis()
        let zone = Zone()
        zone.point(to: [redis.port])
        zone.hang(true)
        let harness = try Self.harness(.commands, zone) { $0.resolveTimeout = 10 * .millisecond }
        try harness.until("as many questions as there may be") { zone.asked == 4 }
        harness.turn(milliseconds: 300)
        #expect(zone.asked == 4)
        #expect(harness.states.count == 1)
        #expect(redis.acceptedCount == 0)
        #expect(try harness.ask("PING") == .failure(.unavailable))
        zone.hang(false)
        try harness.untilReady()
    }
}
