import Glibc
import Testing

@testable import TiffinLiveCore

/// A name that moves with the primary (docs/redis.md, "Failover"): every attempt asks for its addresses anew.
@Suite("A Redis whose name moves", .serialized)
struct RedisMovingNameTests {
    private static func harness(
        _ role: RedisSession<RedisConnection.Reply>.Role, _ name: MovingName,
        change: (inout RedisConnectionSettings) -> Void = { _ in }
    ) throws -> RedisHarness {
        try RedisHarness(role, "redis://redis.example:6380") { settings in
            settings.resolver = name.resolve
            change(&settings)
        }
    }

    @Test("a primary that is demoted is left for the address that the name has by then")
    func failover() throws {
        let (first, second) = (try ScriptedRedis(), try ScriptedRedis())
        let name = MovingName()
        name.point(to: [first.port])
        let harness = try Self.harness(.commands, name)
        try harness.untilReady()
        #expect(name.asked == 1)
        name.point(to: [second.port])
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
        #expect(name.asked == 2)
    }

    @Test("a primary that is gone is looked for where the name points, subscriptions included")
    func gone() throws {
        var first: ScriptedRedis? = try ScriptedRedis()
        let second = try ScriptedRedis()
        let name = MovingName()
        name.point(to: try [#require(first).port])
        let harness = try Self.harness(.subscriptions, name)
        harness.connection.subscribe("revocations")
        try harness.until("the subscription") { harness.connection.isSettled }
        first = nil
        try harness.untilLost()
        // The name still points to where nobody is.
        try harness.until("another attempt") { name.asked >= 4 }
        name.point(to: [second.port])
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
        let name = MovingName()
        name.point(to: [dead.1, closing.port, good.port])
        let harness = try Self.harness(.commands, name) { settings in
            // None: what is tried next must not wait for a pause.
            settings.backoff = ReconnectBackoff(base: 3600 * .second, cap: 3600 * .second, floor: 1800 * .second)
        }
        try harness.untilReady()
        #expect(name.asked == 1)
        #expect(closing.acceptedCount == 1)
    }

    @Test("a name that vanishes, or has no address, is tried again until it is there", arguments: [nil, [Int]()])
    func vanished(_ answer: [Int]?) throws {
        let redis = try ScriptedRedis()
        let name = MovingName()
        name.point(to: answer)
        let harness = try Self.harness(.commands, name)
        try harness.until("attempts") { name.asked >= 3 }
        #expect(harness.states.count == 1)
        #expect(harness.faults.first?.word == "unresolved")
        name.point(to: [redis.port])
        try harness.untilReady()
    }

    @Test("an answer that does not come blocks no loop and holds few threads, and a late one is no matter")
    func hanging() throws {
        let redis = try ScriptedRedis()
        let name = MovingName()
        name.point(to: [redis.port])
        name.hang(true)
        let harness = try Self.harness(.commands, name) { $0.resolveTimeout = 10 * .millisecond }
        try harness.until("as many questions as there may be") { name.asked == 4 }
        harness.turn(milliseconds: 300)
        #expect(name.asked == 4)
        #expect(harness.states.count == 1)
        #expect(redis.acceptedCount == 0)
        #expect(try harness.ask("PING") == .failure(.unavailable))
        name.hang(false)
        try harness.untilReady()
    }

    // MARK: Both links of a server

    @Test("when the link for commands has found another Redis, that for channels follows, and nothing is missed there")
    func channelsFollow() throws {
        let (first, second, name, harness) = try Self.onTheFirst()
        name.point(to: [second.port])
        first.answer("HGET", .text("-READONLY a replica\r\n"))
        harness.backend.lookUp(["HGET", "order:1", "customer_id"], now: harness.loop.now) { _ in }
        try harness.until("both links there") { harness.backend.isReady && second.connectionCount == 2 }
        #expect(first.connectionCount == 0)
        // The old one says nothing to anybody any more; the new one is heard.
        second.push(.text(ScriptedSession.push("message", "revocations", #"{"jti":"x"}"#)))
        try harness.until("the revocation") { harness.revocations.last?.tokenID == "x" }
        #expect(second.commands.contains("SUBSCRIBE revocations"))
    }

    /// Two Redis, and a server whose links are both to the first.
    private static func onTheFirst() throws -> (ScriptedRedis, ScriptedRedis, MovingName, RedisBackendHarness) {
        let (first, second) = try (
            ScriptedRedis(RedisBackendHarness.healthy), ScriptedRedis(RedisBackendHarness.healthy)
        )
        let name = MovingName()
        name.point(to: [first.port])
        let harness = try RedisBackendHarness("redis://redis.example:6380", resolver: name.resolve)
        return (first, second, name, harness)
    }

    @Test("when the link for channels has found another Redis, that for commands follows")
    func commandsFollow() throws {
        let (first, second, name, harness) = try Self.onTheFirst()
        name.point(to: [second.port])
        first.answer("SUBSCRIBE", .text("-LOADING Redis is loading\r\n"))
        harness.backend.listen("orders:1", after: nil, now: harness.loop.now) { _ in }
        try harness.until("both links there") { harness.backend.isReady && second.connectionCount == 2 }
        #expect(harness.backend.commands.lostCount == 1)
        var answer: StoreReply?
        harness.backend.lookUp(["ECHO", "x"], now: harness.loop.now) { answer = $0 }
        try harness.until("an answer") { answer != nil }
        #expect(answer == .text("x"))
        #expect(second.commands.contains("ECHO x"))
    }

    @Test("addresses of a name that come in another order, or one more, are no reason to leave")
    func sameName() throws {
        let (first, second, name, harness) = try Self.onTheFirst()
        name.point(to: [second.port, first.port])
        first.answer("HGET", .text("-READONLY a replica\r\n"))
        harness.backend.lookUp(["HGET", "order:1", "customer_id"], now: harness.loop.now) { _ in }
        try harness.until("the link to be there again") { harness.backend.isReady && second.connectionCount == 1 }
        #expect(harness.backend.subscriber.lostCount == 0)
        #expect(first.connectionCount == 1)
    }
}
