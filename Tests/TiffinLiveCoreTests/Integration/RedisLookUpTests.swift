import Glibc
import Testing

@testable import TiffinLiveCore

/// Contract section 3 over Redis: owner look-ups, what is remembered of them, and rights that change while a connection
/// is open.
@Suite("Owner look-ups and grants over Redis", .enabled(if: RedisServer.isInstalled))
struct RedisLookUpTests {
    private static let couriers =
        #"topics."couriers:{order}"={owner:["SISMEMBER","couriers:{order}","{sub}"]}"#

    @Test("the owner is let in, others are not, and a missing answer is a no")
    func owners() throws {
        let fleet = try RedisFleet(servers: 1)
        try fleet.give(order: "1", to: "7001")
        let server = fleet.servers[0]
        #expect(try server.status(order: "1", user: "7001").status == 200)
        #expect(try server.status(order: "1", user: "7002").status == 403)
        #expect(try server.status(order: "2", user: "7001").status == 403)
        #expect(try server.status(order: "1", user: "07001").status == 403)
    }

    @Test("membership of a set is asked for by the user's own id")
    func members() throws {
        let fleet = try RedisFleet(servers: 1, settings: [Self.couriers])
        try fleet.redis.command("SADD", "couriers:9", "5521")
        let server = fleet.servers[0]
        for (user, word) in [("5521", "subscribed"), ("5522", "forbidden")] {
            let client = try server.rider(user)
            try client.sendText(#"{"type":"subscribe","topic":"couriers:9"}"#)
            #expect(try client.receiveText().contains(word))
        }
    }

    @Test("an answer of the wrong type is no answer: 503, and nothing is remembered")
    func wrongType() throws {
        let fleet = try RedisFleet(servers: 1)
        try fleet.redis.command("SET", "order:1", "x")
        let server = fleet.servers[0]
        let refused = try server.status(order: "1")
        #expect(refused.status == 503)
        #expect(refused.only("Retry-After") != nil)
        try fleet.redis.command("DEL", "order:1")
        try fleet.give(order: "1")
        #expect(try server.status(order: "1").status == 200)
        #expect(try server.metric("tiffin_live_redis_up") == 1)
    }

    @Test("an answer that does not come is 503 within the time for look-ups")
    func slow() throws {
        let fleet = try RedisFleet(servers: 1, settings: [#"lookups.timeout="200ms""#])
        try fleet.give(order: "1")
        fleet.redis.pause()
        #expect(try fleet.servers[0].status(order: "1").status == 503)
        fleet.redis.resume()
        try eventually("answers") { try fleet.servers[0].status(order: "1").status == 200 }
    }

    @Test("a crowd that asks the same costs one look-up a loop, a denied one too")
    func coalesced() throws {
        let fleet = try RedisFleet(servers: 1, settings: ["threads=1"])
        try fleet.give(order: "1")
        let server = fleet.servers[0]
        let crowds = [("7001", "200"), ("7002", "403")]
        for (user, status) in crowds {
            let before = try fleet.calls("hget").made
            let token = server.token(user, role: "customer")
            let clients = try (0..<100).map { _ in try server.connect() }
            for client in clients {
                try client.send(
                    RawClient.requestHead("GET", "/orders/1/events", headers: [("Authorization", "Bearer \(token)")]))
            }
            for client in clients { #expect("\(try client.receiveResponseHead().status)" == status) }
            #expect(try fleet.calls("hget").made - before == 1)
        }
    }

    @Test("a remembered answer ends with its time")
    func expires() throws {
        let fleet = try RedisFleet(servers: 1, settings: [#"lookups={cache:"100ms",cacheDenied:"100ms"}"#])
        try fleet.give(order: "1", to: "7001")
        let server = fleet.servers[0]
        #expect(try server.status(order: "1").status == 200)
        try fleet.give(order: "1", to: "7002")
        try eventually("the new owner to count") { try server.status(order: "1").status == 403 }
        try fleet.give(order: "1", to: "7001")
        try eventually("the old owner to count again") { try server.status(order: "1").status == 200 }
    }

    // MARK: Grants

    @Test("a courier who is taken off a topic stops receiving it at once, on every server")
    func takenOff() throws {
        let fleet = try RedisFleet(settings: [Self.couriers])
        try fleet.redis.command("SADD", "couriers:9", "5521", "5522")
        let clients = try fleet.servers.flatMap { server in
            try ["5521", "5522"].map { user in
                let client = try server.rider(user)
                try client.sendText(#"{"type":"subscribe","topic":"couriers:9"}"#)
                _ = try client.receiveText(containing: "subscribed")
                return client
            }
        }
        try fleet.redis.command("SREM", "couriers:9", "5521")
        try fleet.redis.command("PUBLISH", "grants", #"{"topic":"couriers:9","user":5521}"#)
        for client in [clients[0], clients[2]] {
            let text = try client.receiveText()
            #expect(text.contains(#""type":"unsubscribed""#))
            #expect(text.contains("couriers:9"))
            #expect(text.contains("forbidden"))
        }
        let id = try fleet.publish("couriers:9", "1")
        for client in [clients[1], clients[3]] { #expect(try client.receiveText().contains(id)) }
        for client in [clients[0], clients[2]] {
            #expect(try client.isAlive())
            // And he does not get back in by asking.
            try client.sendText(#"{"type":"subscribe","topic":"couriers:9"}"#)
            #expect(try client.receiveText().contains("forbidden"))
        }
    }

    @Test("a connection that has nothing left is closed with 4004", arguments: ["sse", "websocket"])
    func nothingLeft(_ transport: String) throws {
        let fleet = try RedisFleet(servers: 1)
        try fleet.give(order: "1")
        let server = fleet.servers[0]
        let stream = transport == "sse" ? try server.stream(order: "1") : nil
        let socket = transport == "sse" ? nil : try server.socket(order: "1")
        try fleet.give(order: "1", to: "7002")
        try fleet.redis.command("PUBLISH", "grants", #"{"topic":"orders:1"}"#)
        if let stream {
            let close = try #require(try stream.nextEvent())
            #expect(close.event == "close")
            #expect(close.data?.contains("4004") == true)
            #expect(try stream.nextEvent() == nil)
            #expect(stream.ending == .lastChunk)
        }
        if let socket {
            #expect(try socket.expectCloseAndEnd().code == 4004)
        }
        #expect(try server.status(order: "1").status == 403)
        #expect(try server.status(order: "1", user: "7002").status == 200)
    }

    @Test("a grant that is still good changes nothing, and one about others concerns nobody")
    func stillGood() throws {
        let fleet = try RedisFleet(servers: 1)
        try fleet.give(order: "1")
        let server = fleet.servers[0]
        let socket = try server.socket(order: "1")
        for message in [
            #"{"topic":"orders:1"}"#, #"{"topic":"orders:1","user":"7001"}"#, #"{"topic":"orders:1","user":"nobody"}"#,
            #"{"topic":"orders:2"}"#,
        ] {
            #expect(try fleet.redis.command("PUBLISH", "grants", message).integer == 1)
        }
        #expect(try socket.isAlive())
        let id = try fleet.publish("orders:1", "1")
        #expect(try socket.receiveText().contains(id))
        try eventually("a look-up for each") { try fleet.calls("hget").made >= 3 }
    }

    @Test("a denial that is remembered ends with a grant")
    func granted() throws {
        let fleet = try RedisFleet(servers: 1, settings: ["threads=1", #"lookups.cacheDenied="60s""#])
        let server = fleet.servers[0]
        #expect(try server.status(order: "1").status == 403)
        try fleet.give(order: "1")
        #expect(try server.status(order: "1").status == 403)
        try fleet.redis.command("PUBLISH", "grants", #"{"topic":"orders:1"}"#)
        try eventually("the grant") { try server.status(order: "1").status == 200 }
    }

    @Test("while the look-up cannot be made, a connection that is open stays")
    func unknown() throws {
        let fleet = try RedisFleet(servers: 1)
        try fleet.give(order: "1")
        let socket = try fleet.servers[0].socket(order: "1")
        try fleet.redis.command("DEL", "order:1")
        try fleet.redis.command("SET", "order:1", "of the wrong type")
        try fleet.redis.command("PUBLISH", "grants", #"{"topic":"orders:1"}"#)
        try eventually("the look-up") { try fleet.calls("hget").made >= 2 }
        #expect(try socket.isAlive())
    }

    @Test("what is no grant is ignored with a warning")
    func malformed() throws {
        let fleet = try RedisFleet(servers: 1)
        let server = fleet.servers[0]
        for message in [
            "", "x", "{}", #"{"topic":1}"#, #"{"topic":""}"#, #"{"topic":"t","user":true}"#,
            #"{"topic":"t","user":1.5}"#,
        ] {
            try fleet.redis.command("PUBLISH", "grants", message)
        }
        try eventually("the warning") { !server.logLines("grant_malformed").isEmpty }
        #expect(try server.isReady())
    }

    // B49
    @Test("channels of the servers' own and topics of others cannot be had, however they are spelled")
    func foreignTopics() throws {
        let fleet = try RedisFleet(servers: 1, settings: [#"topics."{any}"={claim:{role:"rider"}}"#])
        let server = fleet.servers[0]
        let client = try server.rider()
        for topic in ["revocations", "grants"] {
            try client.sendText(#"{"type":"subscribe","topic":"\#(topic)"}"#)
            #expect(try client.receiveText().contains(#""type":"error""#))
        }
        for topic in ["riders:5522", "riders:*", "*", "riders:5521\\u0000", "", "RIDERS:5521", "events:riders:5521"] {
            try client.sendText(#"{"type":"subscribe","topic":"\#(topic)"}"#)
            #expect(try client.receiveText().contains(#""type":"error""#), "\(topic)")
        }
        try fleet.publish("riders:5522", "1")
        try fleet.redis.command("PUBLISH", "revocations", #"{"user_id":"nobody"}"#)
        #expect(try client.isAlive())
        #expect(try fleet.redis.subscriberCount("revocations") == 1)
    }
}
