import Glibc
import Testing

@testable import TiffinLiveCore

/// Contract sections 7.1 and 7.6 with several servers: a revocation and a handshake that fall together, wherever each of
/// them comes in.
@Suite("Revocations that race over Redis", .enabled(if: RedisServer.isInstalled))
struct RedisRevocationRaceTests {
    private static let rounds = Volume.count(200, full: 2000)

    /// One revocation and one request, in random order and up to ten milliseconds apart.
    private struct Race {
        let fleet: RedisFleet
        var random = SeededRandom(seed: 47)

        mutating func run(_ revocation: String, _ request: () throws -> Void) throws {
            let offset = Int.random(in: -10_000...10_000, using: &random)
            if offset < 0 { try fleet.redis.command("PUBLISH", "revocations", revocation) } else { try request() }
            usleep(UInt32(offset.magnitude))
            if offset < 0 { try request() } else { try fleet.redis.command("PUBLISH", "revocations", revocation) }
        }
    }

    /// 401, or accepted and closed with 4003.
    private static func expectOut(_ client: RawClient) throws {
        let response = try client.receiveUpgradeResponse()
        guard response.status == 101 else {
            #expect(response.status == 401)
            #expect(response.text == #"{"error":"revoked"}"#)
            return
        }
        #expect(try client.expectClose(passingOverMessages: true).code == 4003)
    }

    // B47
    @Test("no connection outlives a revocation that falls together with its handshake, and none comes in later")
    func handshake() throws {
        let fleet = try RedisFleet()
        var race = Race(fleet: fleet)
        for round in 0..<Self.rounds {
            let user = "r\(round)"
            let server = fleet.servers[round % 2]
            let token = server.token(user)
            let upgrade = RawClient.upgradeRequest("/rider/socket", headers: [("Authorization", "Bearer \(token)")])
            let client = try server.connect()
            try race.run(#"{"user_id":"\#(user)"}"#) { try client.send(upgrade) }
            try Self.expectOut(client)
            guard round % 20 == 0 else { continue }
            for server in fleet.servers {
                try eventually("both to know") {
                    try server.connect().upgrade("/rider/socket", headers: [("Authorization", "Bearer \(token)")])
                        .status == 401
                }
            }
        }
        for server in fleet.servers { #expect(try LiveServer.eventually { try server.openConnections() == 0 }) }
    }

    // B47
    @Test("nor one that falls together with the redemption of a ticket that the user bought before")
    func ticket() throws {
        let fleet = try RedisFleet(settings: [#"lookups.timeout="20s""#])
        var race = Race(fleet: fleet)
        for round in 0..<Self.rounds {
            let user = "t\(round)"
            let ticket = try BrowserHandshake.ticket(fleet.servers[round % 2], user)
            let client = try fleet.servers[round / 2 % 2].connect()
            try race.run(#"{"user_id":"\#(user)"}"#) {
                try client.send(RawClient.upgradeRequest("/restaurants/88/events?ticket=\(ticket)"))
            }
            try Self.expectOut(client)
        }
        for server in fleet.servers { #expect(try LiveServer.eventually { try server.openConnections() == 0 }) }
    }

    // B47
    @Test("nor one that falls together with the refresh that brings the token")
    func refresh() throws {
        let fleet = try RedisFleet()
        var race = Race(fleet: fleet)
        for round in 0..<Self.rounds {
            let server = fleet.servers[round % 2]
            let client = try server.rider("u\(round)")
            let token = server.token("u\(round)", jti: "new-\(round)")
            try race.run(#"{"jti":"new-\#(round)"}"#) {
                try client.sendText(#"{"type":"auth","token":"\#(token)"}"#)
            }
            if try client.receiveText().contains(#""ok":true"#) {
                #expect(try client.expectClose(passingOverMessages: true).code == 4003)
            } else {
                #expect(try client.isAlive())
            }
        }
    }

    // B46
    @Test("exactly the connections that a revocation means are closed, whichever server has them")
    func exactly() throws {
        let fleet = try RedisFleet()
        try fleet.give(order: "1")
        func open(_ index: Int, _ jti: String) throws -> RawClient {
            let client = try fleet.servers[index].connect()
            try client.openWebSocket(
                "/orders/1/events", token: fleet.servers[index].token("7001", role: "customer", jti: jti))
            _ = try client.receiveText(containing: "welcome")
            return client
        }
        var said = 0
        // Both servers have obeyed when it returns.
        func revoke(_ message: String) throws {
            #expect(try fleet.redis.command("PUBLISH", "revocations", message).integer == 2)
            said += 1
            try eventually("the receipts") {
                try fleet.redis.command("XLEN", "revocations:receipts").integer == Int64(2 * said)
            }
        }
        let (a, b) = (try open(0, "jti1"), try open(1, "jti2"))
        let stream = try fleet.servers[0].connect().openEventStream(
            "/orders/1/events", token: fleet.servers[0].token("7001", role: "customer", jti: "jti2"))
        #expect(try stream.nextEvent()?.event == "welcome")
        try revoke(#"{"jti":"jti2"}"#)
        #expect(try b.expectCloseAndEnd().code == 4003)
        #expect(try stream.nextEvent()?.data == #"{"code":4003,"reason":"revoked"}"#)
        #expect(try a.isAlive())
        let fresh = fleet.servers[0].token("7001", role: "customer", jti: "jti3")
        try a.sendText(#"{"type":"auth","token":"\#(fresh)"}"#)
        #expect(try a.receiveText().contains(#""ok":true"#))
        try revoke(#"{"jti":"jti1"}"#)
        #expect(try a.isAlive(), "its old token is no matter")
        try revoke(#"{"jti":"jti3"}"#)
        #expect(try a.expectCloseAndEnd().code == 4003)
        let others = try [0, 1, 1].enumerated().map { try open($0.element, "jti\(4 + $0.offset)") }
        let rider = try fleet.servers[1].rider()
        try revoke(#"{"user_id":7001}"#)
        for client in others { #expect(try client.expectCloseAndEnd().code == 4003) }
        #expect(try rider.isAlive())
    }

    // B73
    @Test("a server that was there before Redis, which is restarted twenty times, is subscribed once and acts once")
    func restarted() throws {
        let redis = try RedisServer(starts: false)
        let server = try LiveServer(RedisFleet.settings + [#"redis={url:"\#(redis.url)"}"#])
        var random = SeededRandom(seed: 73)
        for _ in 0..<20 {
            usleep(UInt32.random(in: 0...100_000, using: &random))
            try redis.restart()
        }
        try eventually("the server to be ready", withinSeconds: 60) { try server.isReady() }
        let client = try server.rider()
        try eventually("the subscription") { try redis.subscriberCount("revocations") == 1 }
        #expect(try redis.command("PUBLISH", "revocations", #"{"user_id":"5521"}"#).integer == 1)
        #expect(try client.expectCloseAndEnd().code == 4003)
        try eventually("the receipt") { try redis.command("XLEN", "revocations:receipts").integer == 1 }
        #expect(server.logLines("revocation_received").count == 1)
        // One line a link for each time that it came, and one for each that it went or was not there at first.
        #expect(server.logLines("redis_up").count <= 40)
        #expect(server.logLines("redis_down").count <= 42)
    }
}
