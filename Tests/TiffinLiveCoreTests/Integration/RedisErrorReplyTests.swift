import Testing

@testable import TiffinLiveCore

/// What Redis may answer in place of what was asked for (contract section 11): nothing is promised on its word, nobody is
/// thrown out for it, and it passes.
@Suite("Redis answers with errors")
struct RedisErrorReplyTests {
    private static let healthy: [String: ScriptedRedis.Answer] = [
        "TIME": .text("*2\r\n$10\r\n1764500000\r\n$1\r\n0\r\n"), "GET": .text("$1\r\n0\r\n"), "SET": .text("+OK\r\n"),
        "XREVRANGE": .text("*0\r\n"), "XINFO": .text("-ERR no such key\r\n"), "ZRANGEBYSCORE": .text("*0\r\n"),
        "HGET": .text("$4\r\n7001\r\n"), "XADD": .text("$3\r\n1-0\r\n"), "FCALL": .text("$15\r\n1764500000000-0\r\n"),
    ]

    private static func server(_ redis: ScriptedRedis, _ settings: [String] = []) throws -> LiveServer {
        let server = try LiveServer(
            RedisFleet.settings + [#"redis={url:"redis://127.0.0.1:\#(redis.port)",timeout:"1s"}"#] + settings)
        try RedisFleet.awaitReady(server)
        return server
    }

    // B76
    @Test(
        "an error in place of an answer is 503 or unavailable, and open connections stay",
        arguments: [
            "-BUSY Redis is busy running a script\r\n", "-OOM command not allowed\r\n",
            "-MOVED 3999 127.0.0.1:6381\r\n",
            "-NOPERM no permissions\r\n", "-MISCONF errors writing\r\n", "-ERR anything\r\n", "-TRYAGAIN\r\n",
            "-CLUSTERDOWN\r\n", "-NOSCRIPT\r\n", "-LOADING loading\r\n", "-READONLY a replica\r\n", "-MASTERDOWN\r\n",
            ":7\r\n", "*1\r\n$1\r\nx\r\n", "+QUEUED\r\n", "#t\r\n", ",1.5\r\n",
        ])
    func errors(_ answer: String) throws {
        let redis = try ScriptedRedis(Self.healthy)
        let server = try Self.server(redis, [#"lookups.cache="0s""#, #"lookups.cacheDenied="0s""#])
        let socket = try server.socket(order: "1")
        let rider = try server.rider()
        for command in ["HGET", "XADD", "FCALL", "XREVRANGE"] { redis.answer(command, .text(answer)) }
        // A look-up may be denied by an answer that is one; it is never granted.
        let status = try server.status(order: "2").status
        #expect(status == 503 || (status == 403 && !answer.hasPrefix("-")))
        #expect(try server.admin("/publish", #"{"topic":"orders:1","data":1}"#).status == 503)
        try rider.sendText(#"{"type":"accept","ref":1}"#)
        let reply = try rider.receiveText()
        #expect(reply.contains("unavailable"))
        #expect(try server.admin("/revoke", #"{"user_id":"nobody"}"#).status == (answer == ":7\r\n" ? 200 : 503))
        #expect(try socket.isAlive())
        for command in ["HGET", "XADD", "FCALL", "XREVRANGE"] { redis.answer(command, Self.healthy[command]) }
        try eventually("it to be over") { try server.status(order: "3").status == 200 }
        #expect(try server.admin("/publish", #"{"topic":"orders:1","data":1}"#).status == 200)
        try rider.sendText(#"{"type":"accept","ref":2}"#)
        #expect(try rider.receiveText() == #"{"type":"ack","ref":2}"#)
    }

    // B76
    @Test("a Redis that is loading while a link is set up is waited for", arguments: ["HELLO", "PING", "SUBSCRIBE"])
    func loadingAtFirst(_ command: String) throws {
        var script = Self.healthy
        script[command] = .text("-LOADING Redis is loading the dataset in memory\r\n")
        let redis = try ScriptedRedis(script)
        let server = try LiveServer(RedisFleet.settings + [#"redis={url:"redis://127.0.0.1:\#(redis.port)"}"#])
        try eventually("some attempts") { redis.acceptedCount >= 6 }
        #expect(try !server.isReady())
        let refused = try server.status(order: "1")
        #expect(refused.status == 503)
        #expect(Int(refused.only("Retry-After") ?? "") ?? 0 > 0)
        let bearer = [("Authorization", "Bearer \(BrowserHandshake.token(server))")]
        if command != "SUBSCRIBE" {
            #expect(try server.connect().post("/live/tickets", headers: bearer).status == 503)
            #expect(!redis.commands.contains { $0.hasPrefix("SET ticket:") })
        }
        redis.answer(command, nil)
        try RedisFleet.awaitReady(server)
        #expect(try server.status(order: "1").status == 200)
    }

    // B79
    @Test(
        "a Redis that is too old for what is needed is said to be so when the link comes up",
        arguments: [("6.2.7", true), ("7.0.0", false), ("8.1", false), ("255.255.255", false), (nil, true)])
    func version(_ version: String?, _ isTooOld: Bool) throws {
        var script = Self.healthy
        script["HELLO"] = .text(
            version.map { "%1\r\n+version\r\n+\($0)\r\n" } ?? "-ERR unknown command `HELLO`, with args: \r\n")
        let redis = try ScriptedRedis(script)
        let server = try LiveServer(RedisFleet.settings + [#"redis={url:"redis://127.0.0.1:\#(redis.port)"}"#])
        try eventually("both links") { server.logLines("redis_up").count >= 2 }
        for line in server.logLines("redis_up") {
            #expect(line["needs"]?.stringValue == (isTooOld ? "7.0" : nil))
            #expect(line["level"]?.stringValue == (isTooOld ? "warning" : "notice"))
        }
    }

    @Test("an answer that never comes is 503 or unavailable after its time")
    func silence() throws {
        let redis = try ScriptedRedis(Self.healthy)
        let server = try Self.server(redis, [#"lookups.cache="0s""#])
        let rider = try server.rider()
        // All of it: one answer left out would give each question the answer to the next.
        for command in Self.healthy.keys + ["PING", "ZADD", "ZREMRANGEBYSCORE"] { redis.answer(command, .silence) }
        #expect(try server.status(order: "1").status == 503)
        #expect(try server.admin("/publish", #"{"topic":"orders:1","data":1}"#).status == 503)
        try rider.sendText(#"{"type":"accept","ref":1}"#)
        #expect(try rider.receiveText().contains("unavailable"))
    }

    @Test("a link that is reset in the middle of a question is 503, once, and the next question is answered")
    func reset() throws {
        let redis = try ScriptedRedis(Self.healthy)
        let server = try Self.server(redis)
        redis.answer("HGET", .reset)
        #expect(try server.status(order: "1").status == 503)
        redis.answer("HGET", Self.healthy["HGET"])
        try eventually("an answer") { try server.status(order: "1").status == 200 }
    }

    @Test("answers that come byte by byte are answers")
    func slowly() throws {
        var script = Self.healthy
        for (command, answer) in script {
            if case .text(let text) = answer { script[command] = .byteByByte(text) }
        }
        let redis = try ScriptedRedis(script)
        let server = try Self.server(redis)
        #expect(try server.status(order: "1").status == 200)
    }

    @Test("a mark that cannot be written is said, and whoever comes back is told to reload")
    func unmarked() throws {
        var script = Self.healthy
        script["GET"] = .text("$-1\r\n")
        script["SET"] = .text("-NOPERM no permissions\r\n")
        let redis = try ScriptedRedis(script)
        let server = try Self.server(redis)
        let stream = try server.stream(order: "1", after: "1764400000000-0")
        #expect(try stream.nextEvent()?.event == "reset")
        #expect(server.logLines("redis_down").contains { $0["error"]?.stringValue?.contains("events:") == true })
        // The functions are not loaded again for that.
        #expect(redis.commands.count { $0.hasPrefix("FUNCTION") } == 1)
    }
}
