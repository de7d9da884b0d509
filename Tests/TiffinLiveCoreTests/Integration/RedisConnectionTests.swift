import Glibc
import Testing

@testable import TiffinLiveCore

@Suite("A link to a real Redis", .serialized, .enabled(if: RedisServer.isInstalled, "redis-server is not installed"))
struct RedisConnectionTests {
    @Test("commands over TCP, by name, over a Unix socket, in a database of its own")
    func commands() throws {
        let redis = try RedisServer()
        for url in [redis.url, "redis://localhost:\(redis.port)/3", "unix:\(redis.socketPath)?db=3"] {
            let harness = try RedisHarness(.commands, url)
            try harness.untilReady()
            #expect(try harness.ask("SET", "k", url) == .success(.simpleString("OK")))
            #expect(try harness.ask("GET", "k") == .success(.bulkString(url)))
            #expect(harness.connection.server?.protocolVersion == 3)
            #expect(harness.connection.server?.role == "master")
        }
        let list = try redis.command("CLIENT", "LIST").bytes ?? []
        #expect(!String(decoding: list, as: UTF8.self).contains("name=tiffin-live"), "left behind")
        #expect(try redis.command("GET", "k") == .bulkString(redis.url))
    }

    @Test("thousands of commands at once, errors in between: every reply is the right one's")
    func pipelining() throws {
        let redis = try RedisServer()
        let harness = try RedisHarness(.commands, redis.url)
        try harness.untilReady()
        _ = try harness.ask("SET", "text", "t")
        let count = 20_000
        for tag in 0..<count {
            switch tag % 5 {
            case 0: harness.send(tag, ["LPUSH", "text", "x"], timeout: 60 * .second)
            case 1: harness.send(tag, ["NOSUCHCOMMAND"], timeout: 60 * .second)
            default: harness.send(tag, ["ECHO", "\(tag)"], timeout: 60 * .second)
            }
        }
        try harness.until("all replies") { harness.replies.count == count + 1 }
        #expect(Array(harness.order.dropFirst()) == Array(0..<count))
        let wrong = (0..<count).filter { tag in
            switch (tag % 5, harness.replies[tag]) {
            case (0, .failure(.error(code: "WRONGTYPE", _))), (1, .failure(.error(code: "ERR", _))): false
            case (_, .success(let value)): value != .bulkString("\(tag)")
            default: true
            }
        }
        #expect(wrong.isEmpty)
        #expect(harness.states.count == 1)
    }

    @Test("big values go and come whole")
    func bigValues() throws {
        let redis = try RedisServer()
        let harness = try RedisHarness(.commands, redis.url)
        try harness.untilReady()
        let value = String(repeating: "0123456789abcde\r\n", count: 500_000)
        harness.send(1, ["SET", "big", value], timeout: 60 * .second)
        harness.send(2, ["GET", "big"], timeout: 60 * .second)
        harness.send(3, ["PING"], timeout: 60 * .second)
        try harness.until("the replies") { harness.replies.count == 3 }
        #expect(harness.replies[2] == .success(.bulkString(value)))
        #expect(harness.replies[3] == .success(.simpleString("PONG")))
    }

    @Test("Redis may be absent at the start")
    func absent() throws {
        let redis = try RedisServer(starts: false)
        let harness = try RedisHarness(.subscriptions, redis.url)
        harness.connection.subscribe("revocations")
        let commands = try RedisHarness(.commands, "unix:\(redis.socketPath)")
        #expect(try commands.ask("GET", "a") == .failure(.unavailable))
        harness.turn(milliseconds: 300)
        commands.turn(milliseconds: 300)
        #expect(harness.states.count == 1 && commands.states.count == 1, "one line for one state")
        #expect(harness.faults.map(\.word) == ["unreachable"] && commands.faults.map(\.word) == ["unreachable"])
        #expect(harness.losses.isEmpty)
        try redis.start()
        try harness.until("the subscription") { harness.connection.isSubscribed("revocations") }
        try commands.untilReady()
        #expect(try redis.subscriberCount("revocations") == 1)
    }

    @Test("twenty restarts: each time back, with one subscription, and one message is one message")
    func restarts() throws {
        let redis = try RedisServer()
        let harness = try RedisHarness(.subscriptions, redis.url)
        var random = SeededRandom(seed: 73)
        harness.connection.subscribe("revocations")
        for round in 1...20 {
            try harness.until("the subscription") { harness.connection.isSubscribed("revocations") }
            #expect(try redis.subscriberCount("revocations") == 1)
            try redis.command("PUBLISH", "revocations", "\(round)")
            try harness.until("the message") { harness.messages.count >= round }
            redis.stop()
            try harness.untilLost(round)
            harness.turn(milliseconds: Int64.random(in: 0...200, using: &random))
            try redis.start()
        }
        try harness.until("the subscription") { harness.connection.isSubscribed("revocations") }
        #expect(harness.messages == (1...20).map { "revocations> \($0)" })
        #expect(harness.subscribed.count == 21)
        #expect(harness.connection.lostCount == 20 && harness.connection.readyCount == 21)
    }

    @Test("twenty killed subscribers: exactly one subscription, no message twice, two lines each time")
    func killed() throws {
        let redis = try RedisServer()
        let harness = try RedisHarness(.subscriptions, redis.url)
        for channel in ["revocations", "orders:1", "orders:2"] { harness.connection.subscribe(channel) }
        for round in 1...20 {
            try harness.until("the subscriptions") { harness.connection.isSettled }
            if round.isMultiple(of: 2) {
                harness.connection.unsubscribe("orders:2")
            } else {
                harness.connection.subscribe("orders:2")
            }
            #expect(try redis.killClients("pubsub") == 1)
            try harness.untilLost(round)
        }
        try harness.until("the subscriptions") { harness.connection.isSettled }
        try redis.command("PUBLISH", "revocations", "x")
        try redis.command("PUBLISH", "orders:2", "unwanted")
        try redis.command("PUBLISH", "orders:1", "y")
        try harness.until("the messages") { harness.messages.count >= 2 }
        #expect(harness.messages == ["revocations> x", "orders:1> y"])
        #expect(try redis.subscriberCount("revocations") == 1)
        #expect(try redis.subscriberCount("orders:2") == 0)
        #expect(harness.states.count == 41)
    }

    @Test("what is under way when the link is cut is lost, not sent again, and later commands work")
    func killedCommands() throws {
        let redis = try RedisServer()
        let harness = try RedisHarness(.commands, redis.url)
        try harness.untilReady()
        redis.pause()
        for tag in 1...3 { harness.send(tag, ["INCR", "n"], timeout: 60 * .second) }
        harness.turn(milliseconds: 50)
        redis.stop()
        try harness.untilLost()
        #expect((1...3).allSatisfy { harness.replies[$0] == .failure(.lost) })
        #expect(try harness.ask("INCR", "n") == .failure(.unavailable))
        try redis.start()
        try harness.untilReady()
        #expect(try harness.ask("INCR", "n") == .success(.integer(1)))
    }

    @Test("a Redis that hangs: commands time out, and it is used again once it runs")
    func hanging() throws {
        let redis = try RedisServer()
        let harness = try RedisHarness(.commands, redis.url)
        try harness.untilReady()
        redis.pause()
        #expect(try harness.ask("SET", "a", "1", timeout: 50 * .millisecond) == .failure(.timedOut))
        #expect(try harness.ask("GET", "a", timeout: 50 * .millisecond) == .failure(.timedOut))
        redis.resume()
        #expect(try harness.ask("ECHO", "x", timeout: 20 * .second) == .success(.bulkString("x")))
        #expect(harness.losses.isEmpty)
    }

    @Test("odd passwords", arguments: ["blanks in  it", #"quotes " and '"#, "päßwörd ☃", "a\r\nb\u{0}c", "$-1"])
    func oddPasswords(_ password: String) throws {
        let redis = try RedisServer(password: password)
        let harness = try RedisHarness(.commands, redis.url) { $0.session.credentials.password = Array(password.utf8) }
        try harness.untilReady()
        #expect(try harness.ask("PING") == .success(.simpleString("PONG")))
    }

    @Test("a password that is set, changed and taken back while both run")
    func changedPassword() throws {
        let redis = try RedisServer()
        let harness = try RedisHarness(.commands, redis.url)
        var password: String? = nil
        harness.connection.credentials = { RedisCredentials(user: nil, password: password.map { Array($0.utf8) }) }
        try harness.untilReady()
        try redis.command("CONFIG", "SET", "requirepass", "first")
        redis.password = "first"
        try redis.killClients("normal")
        try harness.until("the refusal") { harness.faults.last == .passwordRequired }
        #expect(!harness.connection.isReady)
        password = "wrong hunter2"
        try harness.until("the refusal") { harness.faults.last == .wrongPassword }
        #expect(!harness.states.map { "\($0)" }.joined().contains("hunter2"))
        password = "first"
        try harness.untilReady()
        try redis.command("CONFIG", "SET", "requirepass", "")
        redis.password = nil
        try redis.killClients("normal")
        try harness.untilLost(2)
        try harness.untilReady()
        #expect(try harness.ask("PING") == .success(.simpleString("PONG")))
    }

    @Test("a user with few rights: what is forbidden is refused alone")
    func limitedUser() throws {
        let redis = try RedisServer([
            "user app on >s3cret -@all +get +subscribe +unsubscribe ~order:* resetchannels &ok:*"
        ])
        let commands = try RedisHarness(.commands, "redis://app:s3cret@127.0.0.1:\(redis.port)")
        try commands.untilReady()
        #expect(try commands.ask("GET", "order:1") == .success(.null))
        for command in [["GET", "other"], ["SET", "order:1", "x"]] {
            commands.send(1, command)
            try commands.until("the reply") { commands.replies[1] != nil }
            guard case .failure(.error(code: "NOPERM", _)) = commands.replies[1] else {
                Issue.record("\(command): \(String(describing: commands.replies[1]))")
                continue
            }
        }
        #expect(commands.connection.isReady)
        let subscriber = try RedisHarness(.subscriptions, "redis://app:s3cret@127.0.0.1:\(redis.port)")
        for channel in ["ok:1", "forbidden", "ok:2"] { subscriber.connection.subscribe(channel) }
        try subscriber.until("all answers") { subscriber.connection.isSettled }
        #expect(subscriber.refused == ["forbidden"])
        #expect(subscriber.subscribed.sorted() == ["ok:1", "ok:2"])
        let wrong = try RedisHarness(.commands, "redis://app:wrong@127.0.0.1:\(redis.port)")
        try wrong.until("the refusal") { wrong.faults == [.wrongPassword] }
    }

    @Test("a replica is left, and is found good once it is a primary")
    func replica() throws {
        let redis = try RedisServer(["replicaof 127.0.0.1 1"])
        let harness = try RedisHarness(.commands, redis.url)
        try harness.until("the refusal") { harness.faults == [.readOnly] }
        try redis.command("REPLICAOF", "NO", "ONE")
        try harness.untilReady()
        // Demoted while the link stays open.
        harness.send(1, ["SET", "a", "b"])
        try redis.command("REPLICAOF", "127.0.0.1", "1")
        try harness.until("the end of the link") {
            if harness.connection.isReady, harness.replies[1] != nil { harness.send(2, ["SET", "a", "b"]) }
            return harness.losses.contains(.readOnly) || harness.losses.contains(.closedByPeer)
        }
        try redis.command("REPLICAOF", "NO", "ONE")
        try harness.untilReady()
        #expect(try harness.ask("SET", "a", "c") == .success(.simpleString("OK")))
    }

    @Test("a thousand channels come back after a restart, each once")
    func manyChannels() throws {
        let redis = try RedisServer()
        let harness = try RedisHarness(.subscriptions, redis.url)
        for index in 0..<1000 { harness.connection.subscribe("orders:\(index)") }
        try harness.until("the subscriptions") { harness.connection.isSettled }
        for index in 0..<500 { harness.connection.unsubscribe("orders:\(index)") }
        try redis.restart()
        try harness.until("the subscriptions") { harness.connection.isSettled && !harness.losses.isEmpty }
        #expect(try redis.subscriberCount("orders:700") == 1)
        #expect(try redis.subscriberCount("orders:200") == 0)
        #expect(try redis.command("PUBSUB", "CHANNELS").elements?.count == 500)
    }

    @Test("a name without an address, a port where nobody listens: told, tried again, and no thread is left waiting")
    func unreachable() throws {
        let harness = try RedisHarness(.commands, "redis://no-such-host.invalid")
        try harness.until("the fault") { harness.faults.first?.word == "unresolved" }
        harness.turn(milliseconds: 100)
        #expect(harness.states.count == 1)
        harness.connection.stop()
        #expect(try harness.ask("PING") == .failure(.unavailable))
    }
}
