import Glibc
import Testing

@testable import TiffinLiveCore

@Suite("A link to a Redis in trouble", .serialized)
struct RedisTroubleTests {
    private static func url(_ port: Int) -> String { "redis://127.0.0.1:\(port)" }

    @Test("loading: not ready, tried again, ready by itself; nothing is sent meanwhile")
    func loading() throws {
        let redis = try ScriptedRedis(["PING": .text("-LOADING Redis is loading the dataset in memory\r\n")])
        let harness = try RedisHarness(.commands, Self.url(redis.port))
        try harness.until("several attempts") { redis.acceptedCount >= 3 }
        #expect(harness.states == [.down(.loading)])
        #expect(try harness.ask("SET", "ticket:1", "x") == .failure(.unavailable))
        redis.answer("PING", nil)
        try harness.untilReady()
        #expect(try harness.ask("SET", "ticket:1", "x") == .success(.simpleString("OK")))
        #expect(redis.commands.filter { $0.hasPrefix("SET") }.count == 1)
    }

    @Test(
        "the error of a command that concerns the link ends it",
        arguments: ["LOADING", "READONLY", "NOAUTH", "MASTERDOWN"])
    func linkErrors(_ code: String) throws {
        let redis = try ScriptedRedis(["SET": .text("-\(code) text\r\n")])
        let harness = try RedisHarness(.commands, Self.url(redis.port))
        try harness.untilReady()
        #expect(try harness.ask("SET", "a", "b") == .failure(.error(code: code, text: "\(code) text")))
        try harness.untilLost()
        redis.answer("SET", nil)
        try harness.untilReady()
        #expect(try harness.ask("SET", "a", "b") == .success(.simpleString("OK")))
        #expect(harness.connection.readyCount == 2)
    }

    @Test(
        "the error of a command that concerns nobody else leaves the link",
        arguments: ["OOM", "BUSY", "MOVED 1 h:1", "MISCONF"])
    func commandErrors(_ text: String) throws {
        let redis = try ScriptedRedis(["GETDEL": .text("-\(text)\r\n")])
        let harness = try RedisHarness(.commands, Self.url(redis.port))
        try harness.untilReady()
        guard case .failure(.error) = try harness.ask("GETDEL", "a") else {
            Issue.record("no error")
            return
        }
        #expect(try harness.ask("ECHO", "x") == .success(.bulkString("x")))
        #expect(harness.losses.isEmpty)
    }

    @Test("an old server without HELLO and GETDEL is spoken to in RESP2, and its error is the command's own")
    func oldServer() throws {
        let redis = try ScriptedRedis([
            "HELLO": .text("-ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`, \r\n"),
            "GETDEL": .text("-ERR unknown command `GETDEL`, with args beginning with: `a`, \r\n"),
        ])
        let harness = try RedisHarness(.commands, Self.url(redis.port)) { $0.session.credentials.password = [0x70] }
        try harness.untilReady()
        #expect(harness.connection.server?.protocolVersion == 2)
        guard case .failure(.error(code: "ERR", _)) = try harness.ask("GETDEL", "a") else {
            Issue.record("no error")
            return
        }
        #expect(harness.connection.isReady)
        #expect(redis.commands.contains("AUTH p"))
    }

    @Test(
        "no Redis protocol: dropped, told, tried again, nothing allocated",
        arguments: [
            "$9999999999999\r\n", "$-5\r\n", "*2147483647\r\n", ":abc\r\n", "$5\r\nabcdeXX", "?\r\n",
            String(repeating: "*1\r\n", count: 100), "+a\r\n+b\r\n",
        ])
    func garbage(_ text: String) throws {
        let redis = try ScriptedRedis(["GET": .text(text)])
        let harness = try RedisHarness(.commands, Self.url(redis.port))
        try harness.untilReady()
        _ = try harness.ask("GET", "a")
        try harness.untilLost()
        #expect(["malformed", "out_of_step"].contains(harness.losses[0].word))
        redis.answer("GET", nil)
        try harness.untilReady()
        #expect(try harness.ask("GET", "a") == .success(.null))
    }

    @Test("pushes one byte at a time, and two in a segment, are each one message")
    func cutPushes() throws {
        let redis = try ScriptedRedis()
        let harness = try RedisHarness(.subscriptions, Self.url(redis.port))
        harness.connection.subscribe("c")
        try harness.until("the subscription") { harness.connection.isSettled }
        let message = ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$6\r\na\r\nb\r\n\r\n"
        redis.push(.byteByByte(message))
        redis.push(.text(message + message))
        redis.push(.text(">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$0\r\n\r\n"))
        try harness.until("the messages") { harness.messages.count >= 4 }
        #expect(harness.messages == ["c> a\r\nb\r\n", "c> a\r\nb\r\n", "c> a\r\nb\r\n", "c> "])
    }

    @Test("replies that never come: the command times out, then the link is given up, then it works again")
    func silence() throws {
        let redis = try ScriptedRedis(["GET": .silence, "PING": .text("+PONG\r\n")])
        let harness = try RedisHarness(.commands, Self.url(redis.port)) { $0.session.silence = 400 * .millisecond }
        try harness.untilReady()
        #expect(try harness.ask("GET", "a", timeout: 50 * .millisecond) == .failure(.timedOut))
        harness.send(1, ["ECHO", "x"], timeout: 60 * .second)
        try harness.untilLost()
        #expect(harness.losses == [.silent])
        #expect(harness.replies[1] == .failure(.lost) || harness.replies[1] == .success(.bulkString("x")))
        try harness.untilReady()
        #expect(try harness.ask("ECHO", "y") == .success(.bulkString("y")))
    }

    @Test("a greeting without an answer is given up", arguments: ["HELLO", "PING"])
    func silentGreeting(_ step: String) throws {
        let redis = try ScriptedRedis([step: .silence])
        let harness = try RedisHarness(.subscriptions, Self.url(redis.port)) {
            $0.session.greetingTimeout = 100 * .millisecond
        }
        harness.connection.subscribe("c")
        try harness.until("the fault") { harness.faults == [.greetingTimedOut] }
        redis.answer(step, nil)
        try harness.until("the subscription") { harness.connection.isSettled }
    }

    @Test("a black hole in either direction is noticed by the PING, on both kinds of link", arguments: [0, 1], [0, 1])
    func blackHole(_ direction: Int, _ kind: Int) throws {
        let redis = try ScriptedRedis()
        let mux = try Mux(to: redis.port)
        let harness = try RedisHarness(kind == 0 ? .commands : .subscriptions, Self.url(mux.port)) {
            $0.session.quiet = 100 * .millisecond
            $0.session.silence = 200 * .millisecond
            $0.session.greetingTimeout = 300 * .millisecond
        }
        if kind == 1 { harness.connection.subscribe("c") }
        try harness.untilReady()
        if direction == 0 { mux.toServer = .blackHole } else { mux.toClient = .blackHole }
        try harness.untilLost()
        #expect(harness.losses.first == .silent)
        (mux.toServer, mux.toClient) = (.pass, .pass)
        try harness.untilReady()
    }

    @Test("byte by byte, late, cut in the midst: whatever the network does, replies stay in order")
    func network() throws {
        let redis = try ScriptedRedis()
        let mux = try Mux(to: redis.port)
        let harness = try RedisHarness(.commands, Self.url(mux.port))
        for (round, mode) in [Mux.Mode.byteByByte, .delay(30), .pass].enumerated() {
            mux.toClient = mode
            mux.toServer = mode
            try harness.untilReady()
            let tags = (0..<50).map { round * 1000 + $0 }
            for tag in tags { harness.send(tag, ["ECHO", "\(tag)"], timeout: 60 * .second) }
            try harness.until("the replies") { tags.allSatisfy { harness.replies[$0] != nil } }
            #expect(tags.allSatisfy { harness.replies[$0] == .success(.bulkString("\($0)")) })
            mux.cut()
            try harness.untilLost(round + 1)
        }
        #expect(harness.order == harness.order.sorted())
    }

    @Test("an address that moves: the next attempt goes where the name points then")
    func movingAddress() throws {
        let first = try ScriptedRedis()
        let second = try ScriptedRedis()
        let mux = try Mux(to: first.port)
        let harness = try RedisHarness(.commands, Self.url(mux.port))
        try harness.untilReady()
        first.answer("SET", .text("-READONLY You can't write against a read only replica.\r\n"))
        mux.target = second.port
        _ = try harness.ask("SET", "a", "b")
        try harness.untilLost()
        try harness.untilReady()
        #expect(try harness.ask("SET", "a", "b") == .success(.simpleString("OK")))
        #expect(second.commands.contains("SET a b"))
    }

    @Test("a peer that resets every connection at once is tried again with pauses, and one line is told")
    func resetting() throws {
        let redis = try ScriptedRedis(["HELLO": .reset])
        let harness = try RedisHarness(.commands, Self.url(redis.port)) {
            $0.backoff = ReconnectBackoff(base: 100 * .millisecond, cap: 100 * .millisecond, floor: 50 * .millisecond)
        }
        harness.turn(milliseconds: 500)
        #expect(redis.acceptedCount <= 11, "\(redis.acceptedCount) attempts in half a second")
        #expect(harness.states.count <= 2)
        redis.answer("HELLO", nil)
        try harness.untilReady()
    }

    @Test("a reply may stop the connection, and ask again from inside")
    func reentrance() throws {
        let redis = try ScriptedRedis()
        let harness = try RedisHarness(.commands, Self.url(redis.port))
        try harness.untilReady()
        var log: [String] = []
        let connection = harness.connection
        connection.send(["ECHO", "1"]) { result in
            log.append("\(result == .success(.bulkString("1")))")
            connection.send(["ECHO", "2"]) { result in
                log.append("\(result == .success(.bulkString("2")))")
                connection.stop()
            }
            connection.send(["ECHO", "3"]) { _ in log.append("3") }
        }
        try harness.until("the end") { log.count == 3 }
        #expect(log == ["true", "true", "3"])
        connection.send(["PING"]) { log.append("\($0 == .failure(.unavailable))") }
        #expect(log.last == "true")
        #expect(harness.losses.isEmpty)
        connection.start()
        try harness.untilReady()
    }

    @Test("a reconnect from inside a message goes well")
    func reconnectInside() throws {
        let redis = try ScriptedRedis()
        let harness = try RedisHarness(.subscriptions, Self.url(redis.port))
        harness.connection.subscribe("c")
        try harness.until("the subscription") { harness.connection.isSettled }
        harness.connection.onMessage = { [unowned harness] _, _ in
            harness.connection.reconnect(because: .readOnly)
        }
        let message = ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n"
        redis.push(.text(message + message + message))
        try harness.untilLost()
        try harness.until("the subscription") { harness.connection.isSettled }
        #expect(harness.losses == [.readOnly])
        #expect(harness.connection.readyCount == 2)
    }
}
