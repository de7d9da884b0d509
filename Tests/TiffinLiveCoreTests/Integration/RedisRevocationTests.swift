import Glibc
import Testing

@testable import TiffinLiveCore

/// Contract sections 7.6 and 7.7 over Redis: a revocation closes everywhere, and whoever was deaf when it was said reads
/// it back.
@Suite("Revocation over Redis", .enabled(if: RedisServer.isInstalled))
struct RedisRevocationTests {
    private static func receipts(_ fleet: RedisFleet) throws -> [[String: String]] {
        (try fleet.redis.command("XRANGE", "revocations:receipts", "-", "+").elements ?? []).map { entry in
            let fields = (entry.elements?.last?.elements ?? []).map { String(decoding: $0.bytes ?? [], as: UTF8.self) }
            return Dictionary(
                uniqueKeysWithValues: stride(from: 0, to: fields.count - 1, by: 2).map { (fields[$0], fields[$0 + 1]) })
        }
    }

    private static func log(_ fleet: RedisFleet) throws -> [String] {
        (try fleet.redis.command("ZRANGE", "revocations:log", "0", "-1").elements ?? [])
            .map { String(decoding: $0.bytes ?? [], as: UTF8.self) }
    }

    /// A token of before the present second, so that one made later differs from it.
    private static func token(_ server: LiveServer, _ user: String, jti: String? = nil) -> String {
        server.tokens.token(
            sub: .string(user), role: "rider", exp: server.now + 900, iat: server.now - 30, jti: jti)
    }

    private static func rider(_ server: LiveServer, _ token: String) throws -> RawClient {
        let client = try server.connect()
        try client.openWebSocket("/rider/socket", token: token)
        _ = try client.receiveText(containing: "welcome")
        return client
    }

    private static func isRefused(_ server: LiveServer, _ token: String) throws -> Bool {
        let response = try server.connect().upgrade("/rider/socket", headers: [("Authorization", "Bearer \(token)")])
        return response.status == 401 && response.text.contains("revoked")
    }

    private static func isAccepted(_ server: LiveServer, _ token: String) throws -> Bool {
        try server.connect().upgrade("/rider/socket", headers: [("Authorization", "Bearer \(token)")]).status == 101
    }

    @Test(
        "a plain PUBLISH closes the user's connections on every server, is written down, and leaves receipts",
        arguments: [#"{"user_id":5521,"reason":"suspended"}"#, #"{"user_id":"5521","reason":"suspended"}"#])
    func published(_ message: String) throws {
        let fleet = try RedisFleet()
        let token = Self.token(fleet.servers[0], "5521")
        let clients = try fleet.servers.flatMap { server in try (0..<3).map { _ in try Self.rider(server, token) } }
        let others = try fleet.servers.map { try Self.rider($0, Self.token($0, "5522")) }
        #expect(try fleet.redis.command("PUBLISH", "revocations", message).integer == 2)
        for client in clients {
            let close = try client.expectCloseAndEnd()
            #expect(close.code == 4003)
            #expect(close.reason.hasPrefix("revoked"))
        }
        for other in others { #expect(try other.isAlive()) }
        for server in fleet.servers { #expect(try Self.isRefused(server, token)) }
        try eventually("the receipts") { try Self.receipts(fleet).count == 2 }
        #expect(try Self.log(fleet) == [message])
        for receipt in try Self.receipts(fleet) {
            #expect(receipt["user"] == "5521")
            #expect(receipt["closed"] == "3")
            #expect(receipt["server"]?.contains(":\(getpid())") == true)
            #expect(Int(receipt["microseconds"] ?? "") != nil)
        }
        for server in fleet.servers {
            #expect(server.logged("reason", of: "revocation_received") == ["suspended"])
        }
    }

    @Test("tiffin_revoke and POST /revoke do the same as PUBLISH", arguments: [false, true])
    func otherWays(_ overAdmin: Bool) throws {
        let fleet = try RedisFleet()
        let clients = try fleet.servers.map { try Self.rider($0, Self.token($0, "5521", jti: "j1")) }
        let message = #"{"jti":"j1"}"#
        if overAdmin {
            #expect(try fleet.servers[0].admin("/revoke", message).status == 200)
        } else {
            #expect(try fleet.call(["tiffin_revoke", "0", message]).integer == 2)
        }
        for client in clients { #expect(try client.expectCloseAndEnd().code == 4003) }
        try eventually("the log") { try Self.log(fleet) == [message] }
    }

    @Test("messages that name nobody are ignored with a warning, and the next one is heard")
    func malformed() throws {
        let fleet = try RedisFleet(servers: 1)
        let server = fleet.servers[0]
        let client = try Self.rider(server, Self.token(server, "5521"))
        let faulty = [
            "", "x", "{}", "[]", #"{"user_id":true}"#, #"{"user_id":1.5}"#, String(repeating: "x", count: 1 << 20),
        ]
        for message in faulty { try fleet.redis.command("PUBLISH", "revocations", message) }
        #expect(try client.isAlive())
        try fleet.redis.command("PUBLISH", "revocations", #"{"user_id":5521}"#)
        #expect(try client.expectCloseAndEnd().code == 4003)
        #expect(try server.metric("tiffin_live_revocations_malformed_total") == 7)
        #expect(try Self.log(fleet) == [#"{"user_id":5521}"#])
        #expect(!server.logLines("revocation_malformed").isEmpty)
    }

    @Test("a server that was cut off reads what it missed, closes, and refuses the tokens")
    func cutOff() throws {
        let fleet = try RedisFleet()
        let deaf = fleet.servers[1]
        let tokens = try (0..<5).map { Self.token(deaf, "\(try #require(Int("552\($0)")))") }
        let clients = try tokens.map { try Self.rider(deaf, $0) }
        fleet.muxes[1].refuses = true
        fleet.muxes[1].cut()
        try eventually("the server to notice") { try !deaf.isReady() }
        for user in 5520...5522 { try fleet.redis.command("PUBLISH", "revocations", #"{"user_id":\#(user)}"#) }
        _ = try fleet.call(["tiffin_revoke", "0", #"{"user_id":"5523"}"#])
        for client in clients { #expect(try client.isAlive()) }
        fleet.muxes[1].refuses = false
        for client in clients[..<4] { #expect(try client.expectCloseAndEnd().code == 4003) }
        try RedisFleet.awaitReady(deaf)
        #expect(try clients[4].isAlive())
        for token in tokens[..<4] { #expect(try Self.isRefused(deaf, token)) }
        let heard = try #require(deaf.logLines("revocations_heard").last)
        #expect(heard["missed"]?.numberValue?.int64 == 4)
        #expect(heard["deaf_milliseconds"]?.numberValue?.int64 ?? -1 >= 0)
        #expect(try deaf.metric("tiffin_live_revocations_deaf_seconds_total") ?? 0 > 0)
        // A token from after it is good.
        let later = deaf.tokens.token(sub: "5521", role: "rider", exp: deaf.now + 900, iat: deaf.now + 2)
        #expect(try Self.isAccepted(deaf, later))
    }

    @Test("a server that is started later knows them all, also many pages of the same millisecond")
    func startedLater() throws {
        let redis = try RedisServer()
        let now = Clock.now().wall / .millisecond
        var command = ["ZADD", "revocations:log"]
        for number in 0..<3500 {
            command += ["\(number < 2500 ? now : now + Int64(number))", #"{"user_id":"u\#(number)"}"#]
        }
        #expect(try redis.command(command).integer == 3500)
        let fleet = try RedisFleet(servers: 1, redis: redis)
        let server = fleet.servers[0]
        for number in [0, 999, 1000, 2499, 2500, 3499] {
            #expect(try Self.isRefused(server, Self.token(server, "u\(number)")), "\(number)")
        }
        #expect(try Self.isAccepted(server, Self.token(server, "u3500")))
        // Read back, not logged one by one.
        #expect(server.logLines("revocation_received").isEmpty)
        #expect(server.logLines("revocations_heard").count == 1)
    }

    // B73
    @Test("after many lost subscriptions a server is subscribed once and acts once")
    func subscribedOnce() throws {
        let fleet = try RedisFleet(servers: 1)
        let server = fleet.servers[0]
        let client = try Self.rider(server, Self.token(server, "5521"))
        for _ in 0..<20 {
            _ = try fleet.redis.killClients("pubsub")
            usleep(20_000)
        }
        try RedisFleet.awaitReady(server)
        try eventually("the subscription") { try fleet.redis.subscriberCount("revocations") == 1 }
        #expect(try fleet.redis.command("PUBLISH", "revocations", #"{"user_id":"5521"}"#).integer == 1)
        #expect(try client.expectCloseAndEnd().code == 4003)
        try eventually("the receipt") { try Self.receipts(fleet).count == 1 }
        #expect(server.logLines("revocation_received").count == 1)
    }

    @Test("what is heard while nothing can be written is written later")
    func writtenLater() throws {
        let redis = try RedisServer()
        let fleet = try RedisFleet(servers: 1, redis: redis)
        let server = fleet.servers[0]
        try redis.command("CONFIG", "SET", "maxmemory", "1")
        try redis.command("PUBLISH", "revocations", #"{"user_id":5521}"#)
        try eventually("it to be heard") { server.logLines("revocation_received").count == 1 }
        #expect(try Self.log(fleet).isEmpty)
        try redis.command("CONFIG", "SET", "maxmemory", "0")
        try eventually("it to be written") { try Self.log(fleet) == [#"{"user_id":5521}"#] }
    }

    @Test("entries older than any token are pruned")
    func pruned() throws {
        let redis = try RedisServer()
        try redis.command("ZADD", "revocations:log", "1000", #"{"user_id":"old"}"#)
        let fleet = try RedisFleet(servers: 1, redis: redis)
        try eventually("it to be gone") { try Self.log(fleet).isEmpty }
        #expect(try Self.isAccepted(fleet.servers[0], Self.token(fleet.servers[0], "old")))
    }
}
