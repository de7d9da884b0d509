import Glibc
import Testing

@testable import TiffinLiveCore

/// Contract section 11: Redis absent, slow, restarted, cut off. Open connections stay, what needs Redis says so at once,
/// and everything comes back by itself.
@Suite("Servers without their Redis", .enabled(if: RedisServer.isInstalled))
struct RedisOutageTests {
    /// What needs Redis is refused with 503 and a time to come back.
    private static func expectRefusals(_ server: LiveServer) throws {
        let refused = try server.status(order: "1")
        #expect(refused.status == 503)
        #expect(Int(refused.only("Retry-After") ?? "") ?? 0 > 0)
        #expect(try server.admin("/publish", #"{"topic":"orders:1","data":1}"#).status == 503)
        try eventually("the balancer to be told") { try server.connect().get("/readyz").status == 503 }
        #expect(try server.connect().get("/healthz").status == 200)
    }

    @Test("a server that starts before Redis serves as soon as there is one")
    func startsFirst() throws {
        let redis = try RedisServer(starts: false)
        let server = try LiveServer(RedisFleet.settings + [#"redis={url:"\#(redis.url)"}"#])
        try Self.expectRefusals(server)
        #expect(try server.metric("tiffin_live_redis_up") == 0)
        #expect(try server.metric("tiffin_live_ready") == 0)
        #expect(!server.logLines("redis_down").isEmpty)
        try redis.start()
        try redis.command("HSET", "order:1", "customer_id", "7001")
        try RedisFleet.awaitReady(server)
        #expect(try server.metric("tiffin_live_redis_up") == 1)
        #expect(try server.metric("tiffin_live_ready") == 1)
        let stream = try server.stream(order: "1")
        let id = try server.publish("orders:1", "1")
        #expect(try stream.nextEvent()?.id == id)
    }

    @Test("Redis restarted with its data: open connections stay and miss nothing", arguments: [1, 5])
    func restartedWithData(_ rounds: Int) throws {
        let redis = try RedisServer(["appendonly yes", "appendfsync no"])
        let fleet = try RedisFleet(redis: redis)
        try fleet.give(order: "1")
        let streams = try fleet.servers.map { try $0.stream(order: "1") }
        let sockets = try fleet.servers.map { try $0.socket(order: "1") }
        var ids = [try fleet.publish("orders:1", "0")]
        for socket in sockets { #expect(try socket.receiveText().contains(ids[0])) }
        for round in 0..<rounds {
            redis.stop()
            try fleet.awaitUnready()
            for server in fleet.servers { try Self.expectRefusals(server) }
            for socket in sockets where round == 0 { #expect(try socket.isAlive()) }
            try redis.start()
            // Nobody listens yet, or just so.
            ids.append(try fleet.publish("orders:1", "\(round)a"))
            try fleet.awaitReady()
            ids.append(try fleet.publish("orders:1", "\(round)b"))
        }
        for stream in streams { for id in ids { #expect(try stream.nextEvent()?.id == id) } }
        for socket in sockets {
            for id in ids[1...] {
                let frame = try socket.receiveText()
                #expect(try JSONReader.read(Array(frame.utf8))["id"]?.stringValue == id)
            }
        }
    }

    @Test("Redis restarted without its data: open connections are told, and so is whoever comes back")
    func restartedWithoutData() throws {
        let fleet = try RedisFleet()
        try fleet.give(order: "1")
        let streams = try fleet.servers.map { try $0.stream(order: "1") }
        let first = try fleet.publish("orders:1", "1")
        for stream in streams { #expect(try stream.nextEvent()?.id == first) }
        try fleet.redis.restart()
        try fleet.awaitReady()
        try fleet.give(order: "1")
        for stream in streams { #expect(try stream.nextEvent()?.event == "reset") }
        let second = try fleet.publish("orders:1", "2")
        for stream in streams { #expect(try stream.nextEvent()?.id == second) }
        for server in fleet.servers {
            let late = try server.stream(order: "1", after: first)
            #expect(try late.nextEvent()?.event == "reset")
            #expect(try server.stream(order: "1", after: second).ending == nil)
        }
    }

    @Test("the data flushed under running servers: whoever comes back from before that is told")
    func flushed() throws {
        let fleet = try RedisFleet(servers: 1)
        try fleet.give(order: "1")
        let first = try fleet.publish("orders:1", "1")
        try fleet.redis.command("FLUSHALL")
        try fleet.give(order: "1")
        let stream = try fleet.servers[0].stream(order: "1", after: first)
        #expect(try stream.nextEvent()?.event == "reset")
        let second = try fleet.publish("orders:1", "2")
        #expect(try stream.nextEvent()?.id == second)
        try eventually("the mark") { try fleet.redis.command("EXISTS", "events:").integer == 1 }
    }

    @Test("links that are cut again and again cost no event")
    func cut() throws {
        let fleet = try RedisFleet()
        try fleet.give(order: "1")
        let streams = try fleet.servers.map { try $0.stream(order: "1") }
        var ids: [String] = []
        for round in 0..<40 {
            if round % 4 == 1 { fleet.muxes[round / 4 % 2].cut() }
            if round % 4 == 3 { try fleet.redis.killClients(round % 8 == 3 ? "pubsub" : "normal") }
            ids.append(try fleet.publish("orders:1", "\(round)"))
            usleep(20_000)
        }
        try fleet.awaitReady()
        for stream in streams { for id in ids { #expect(try stream.nextEvent()?.id == id) } }
    }

    @Test(
        "a network that swallows everything, or one direction, is noticed and survived",
        arguments: ["both", "toServer", "toClient"])
    func blackHole(_ direction: String) throws {
        let fleet = try RedisFleet(servers: 1, settings: [#"lookups.cache="0s""#])
        let (server, mux) = (fleet.servers[0], fleet.muxes[0])
        try fleet.give(order: "1")
        let stream = try server.stream(order: "1")
        let socket = try server.socket(order: "1")
        if direction != "toClient" { mux.toServer = .blackHole }
        if direction != "toServer" { mux.toClient = .blackHole }
        // A look-up without an answer is 503 long before the link is given up.
        let refused = try server.status(order: "1")
        #expect(refused.status == 503)
        try eventually("the silence to be noticed", withinSeconds: 60) { try !server.isReady() }
        #expect(try socket.isAlive())
        let missed = try fleet.publish("orders:1", "1")
        mux.toServer = .pass
        mux.toClient = .pass
        // What went into the hole is gone; such a link cannot go on.
        mux.cut()
        try eventually("the server to be ready", withinSeconds: 60) { try server.isReady() }
        #expect(try stream.nextEvent()?.id == missed)
        #expect(try socket.receiveText(containing: "\"event\"").contains(missed))
    }

    @Test("a Redis that stands still for a while costs no event and no connection")
    func paused() throws {
        let fleet = try RedisFleet(servers: 1)
        try fleet.give(order: "1")
        let server = fleet.servers[0]
        let stream = try server.stream(order: "1")
        fleet.redis.pause()
        #expect(try server.admin("/publish", #"{"topic":"orders:1","data":1}"#).status == 503)
        fleet.redis.resume()
        try RedisFleet.awaitReady(server)
        let id = try fleet.publish("orders:1", "2")
        // Redis may have got to the first one all the same, which nobody knew.
        while let event = try stream.nextEvent(), event.id != id { #expect(event.data == "1") }
    }

    @Test("connections that need nothing of Redis go on: tokens are refreshed, pings answered")
    func withoutNeed() throws {
        let fleet = try RedisFleet(servers: 1)
        let server = fleet.servers[0]
        let client = try server.rider()
        fleet.redis.stop()
        try fleet.awaitUnready()
        try client.sendText(#"{"type":"auth","token":"\#(server.token())"}"#)
        #expect(try client.receiveText().contains(#""ok":true"#))
        try client.sendText(#"{"type":"subscribe","topic":"feeds:5521","ref":1}"#)
        #expect(try client.receiveText().contains(#""error":"unavailable""#))
        #expect(try client.isAlive())
        // A token that is dead is refused as ever.
        let expired = server.tokens.token(sub: "5521", role: "rider", exp: server.now - 5)
        let response = try server.connect().upgrade("/rider/socket", headers: [("Authorization", "Bearer \(expired)")])
        #expect(response.status == 401)
    }

    // B74
    @Test("a password that changes is found without a restart, and no log line holds one")
    func passwords() throws {
        let first = #"p1 "quoted' ü"#
        let redis = try RedisServer(password: first)
        let file = redis.folder + "/password"
        try Self.write(first + "\n", to: file)
        let server = try LiveServer(
            RedisFleet.settings + [#"redis={url:"\#(redis.url)",password:"file:\#(file)"}"#])
        try RedisFleet.awaitReady(server)
        let client = try server.rider()

        let second = "another one"
        try redis.command("CONFIG", "SET", "requirepass", second)
        redis.password = second
        try redis.killClients("normal")
        try redis.killClients("pubsub")
        try eventually("the password to be refused") {
            server.logLines("redis_down").contains { $0["fault"]?.stringValue == "wrong_password" }
        }
        #expect(try !server.isReady())
        #expect(try client.isAlive())
        try Self.write(second, to: file)
        try RedisFleet.awaitReady(server)

        // None at all where one is asked for.
        try Self.write("", to: file)
        try redis.killClients("normal")
        try redis.killClients("pubsub")
        try eventually("the lack of one to be told") { try !server.isReady() }
        try Self.write(second, to: file)
        try RedisFleet.awaitReady(server)
        #expect(try client.isAlive())
        let log = server.logText()
        for secret in ["p1 ", "quoted", second] { #expect(!log.contains(secret)) }
        #expect(server.logLines("redis_down").count < 40)
    }

    private static func write(_ text: String, to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError.last("open") }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else { throw SystemError.last("write") }
    }

    // B77
    @Test("what is no Redis protocol ends the link, not the server")
    func nonsense() throws {
        let scripted = try ScriptedRedis()
        let server = try LiveServer(RedisFleet.settings + [#"redis={url:"redis://127.0.0.1:\#(scripted.port)"}"#])
        try eventually("links") { try server.metric("tiffin_live_redis_up") == 1 }
        let nonsense = [
            "$9999999999999\r\n", "$-5\r\n", "*2147483647\r\n", ":abc\r\n", "$5\r\nabcdeXX", "?\r\n",
            String(repeating: "*1\r\n", count: 100), ">3\r\n$7\r\nmessage\r\n$1\r\nx\r\n:1\r\n",
        ]
        for text in nonsense {
            let before = scripted.acceptedCount
            scripted.push(.text(text))
            try eventually("new links after \(text.prefix(20))") { scripted.acceptedCount >= before + 2 }
            try eventually("links") { try server.metric("tiffin_live_redis_up") == 1 }
        }
        scripted.push(.byteByByte(">3\r\n$7\r\nmessage\r\n$11\r\nrevocations\r\n$18\r\n{\"user_id\":\"x\r\ny\"}\r\n"))
        #expect(try server.adminGet("/healthz").status == 200)
    }
}
