import Glibc
import Testing

@testable import TiffinLiveCore

/// The rights that docs/redis.md asks for are enough, and what is missing is said.
@Suite("Rights in Redis", .enabled(if: RedisServer.isInstalled))
struct RedisPermissionTests {
    private static let path =
        String(#filePath.dropLast("Tests/TiffinLiveCoreTests/Integration/RedisPermissionTests.swift".count))
        + "docs/redis.md"
    private static let libraryPath =
        String(#filePath.dropLast("Tests/TiffinLiveCoreTests/Integration/RedisPermissionTests.swift".count))
        + "config/redis/tiffin_live.lua"

    /// The ACL rules of a user as the documentation has them, with the password of the test.
    private static func rules(_ user: String) throws -> [String] {
        let text = String(decoding: try SecretReference.file(path).read(), as: UTF8.self)
        let joined = text.replacing(" \\\n", with: " ")
        guard let line = joined.split(separator: "\n").first(where: { $0.hasPrefix("ACL SETUSER \(user) ") }) else {
            throw UnexpectedAnswer(what: "no ACL for \(user)")
        }
        return line.split(separator: " ").map { $0.hasPrefix(">") ? ">secret" : String($0) }
    }

    /// A Redis with that user, and a server that signs in as it.
    private static func fleet(_ user: String, _ more: [String] = []) throws -> RedisFleet {
        let redis = try RedisServer()
        #expect(try redis.command(rules(user) + more).bytes == Array("OK".utf8))
        let file = redis.folder + "/password"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        _ = write(descriptor, "secret", 6)
        close(descriptor)
        return try RedisFleet(
            servers: 1, redis: redis, link: #"username:"\#(user)",password:"file:\#(file)""#)
    }

    private static func loadByHand(_ redis: RedisServer) throws {
        let library = String(decoding: try SecretReference.file(libraryPath).read(), as: UTF8.self)
        #expect(try redis.command("FUNCTION", "LOAD", "REPLACE", library).bytes == Array("tiffin_live".utf8))
    }

    /// All that a server does with Redis.
    private static func exercise(_ fleet: RedisFleet) throws {
        let server = fleet.servers[0]
        try fleet.give(order: "1")
        let stream = try server.stream(order: "1")
        let first = try server.publish("orders:1", "1")
        #expect(try stream.nextEvent()?.id == first)
        let second = try server.publish("orders:1", "2")
        #expect(try server.stream(order: "1", after: first).nextEvent()?.id == second)
        let rider = try server.rider()
        try rider.sendText(#"{"type":"accept","ref":1}"#)
        #expect(try rider.receiveText() == #"{"type":"ack","ref":1}"#)
        #expect(try server.admin("/revoke", #"{"user_id":5521}"#).status == 200)
        #expect(try rider.expectCloseAndEnd().code == 4003)
        try eventually("the receipt") { try fleet.redis.command("XLEN", "revocations:receipts").integer ?? 0 >= 1 }
        try eventually("the log") { try fleet.redis.command("ZCARD", "revocations:log").integer == 1 }
        let lookUps = try fleet.calls("hget").made
        try fleet.redis.command("PUBLISH", "grants", #"{"topic":"orders:1"}"#)
        try eventually("the re-check") { try fleet.calls("hget").made > lookUps }
        for command in [
            "hget", "xadd", "zadd", "set", "get", "xrevrange", "xinfo|stream", "fcall", "subscribe", "publish",
        ] {
            #expect(try fleet.calls(command).refused <= 0, "\(command)")
        }
    }

    @Test("the documented rights of a server that loads the functions are enough")
    func loading() throws {
        let fleet = try Self.fleet("tiffin-live")
        try Self.exercise(fleet)
        #expect(fleet.servers[0].logLines("redis_functions_refused").isEmpty)
    }

    @Test("the documented rights without loading are enough where the functions are loaded by hand")
    func byHand() throws {
        let fleet = try Self.fleet("tiffin-live", ["-function"])
        let server = fleet.servers[0]
        try eventually("the refusal") { server.logLines("redis_functions_refused").count == 1 }
        #expect(server.logged("code", of: "redis_functions_refused") == ["NOPERM"])
        // Until then publishing is unavailable, the rest is not.
        #expect(try server.admin("/publish", #"{"topic":"orders:1","data":1}"#).status == 503)
        try fleet.give(order: "1")
        _ = try server.stream(order: "1")
        try Self.loadByHand(fleet.redis)
        try fleet.redis.command("CONFIG", "RESETSTAT")
        try Self.exercise(fleet)
    }

    @Test("the documented rights of a service that publishes are enough, and no more than that")
    func publisher() throws {
        let fleet = try Self.fleet("tiffin-live")
        #expect(try fleet.redis.command(Self.rules("order-service")).bytes == Array("OK".utf8))
        try fleet.give(order: "1")
        let stream = try fleet.servers[0].stream(order: "1")
        let published = try fleet.redis.command(
            "order-service", "secret", ["FCALL", "tiffin_publish", "1", "events:orders:1", "status", "1"])
        let id = String(decoding: try #require(published.bytes), as: UTF8.self)
        #expect(try stream.nextEvent()?.id == id)
        for words in [["GET", "order:1"], ["FCALL", "tiffin_revoke", "0", "{}"], ["PUBLISH", "revocations", "{}"]] {
            guard case .error = try fleet.redis.command("order-service", "secret", words) else {
                Issue.record("\(words) is not refused")
                continue
            }
        }
    }

    @Test("a channel that Redis refuses is said, and 503 for its topic alone")
    func channelRefused() throws {
        let fleet = try Self.fleet("tiffin-live", ["resetchannels", "&revocations", "&grants", "&orders:1"])
        let server = fleet.servers[0]
        try fleet.give(order: "1")
        try fleet.give(order: "2")
        #expect(try server.status(order: "2").status == 503)
        let stream = try server.stream(order: "1")
        #expect(server.logLines("redis_down").contains { $0["error"]?.stringValue?.contains("orders:2") == true })
        #expect(try server.isReady())
        #expect(try server.status(order: "2").status == 503)
        try fleet.redis.command("PUBLISH", "orders:1", "1")
        #expect(try stream.nextEvent()?.data == "1")
    }
}

extension RedisServer {
    /// The reply to a command of another user.
    fileprivate func command(_ user: String, _ password: String, _ words: [String]) throws -> RESPValue {
        let client = try RawClient(port: port)
        let output = ByteBuffer()
        RESPEncoder.append(["AUTH", user, password], to: output)
        RESPEncoder.append(words, to: output)
        try client.send(output.array)
        #expect(try client.receive(5, as: "the answer to AUTH") == Array("+OK\r\n".utf8))
        var decoder = RESPDecoder()
        while true {
            while client.pending.isEmpty { guard try client.receiveMore("a reply") else { return .null } }
            let bytes = client.take(client.pending.count)
            let reply = try bytes.withUnsafeBytes { bytes in
                var input = bytes
                return try decoder.next(&input)
            }
            if let reply { return reply }
        }
    }
}
