import Testing

@testable import TiffinLiveCore

/// Contract section 9 over Redis: every way to publish reaches every server, and what is kept is given again to whoever
/// comes back, to any of them.
@Suite("Publishing over Redis", .enabled(if: RedisServer.isInstalled))
struct RedisPublishingTests {
    @Test("every way to publish reaches event streams and WebSockets of all servers, in order")
    func ways() throws {
        let fleet = try RedisFleet()
        try fleet.give(order: "1")
        let streams = try fleet.servers.map { try $0.stream(order: "1") }
        let sockets = try fleet.servers.map { try $0.socket(order: "1") }
        let first = try fleet.publish("orders:1", #"{"a":1}"#)
        let second = try fleet.servers[1].publish("orders:1", #"{"b":2}"#)
        #expect(try fleet.redis.command("PUBLISH", "orders:1", "plain\ntext").integer == 2)
        let later = try #require(EventID(second))
        let third = "\(later.milliseconds + 1)-7"
        try fleet.redis.command("PUBLISH", "orders:1", "@\(third) note\n[3]")
        for stream in streams {
            #expect(try stream.nextEvent() == RawEvent(id: first, event: "status", data: #"{"a":1}"#))
            #expect(try stream.nextEvent() == RawEvent(id: second, event: "status", data: #"{"b":2}"#))
            #expect(try stream.nextEvent() == RawEvent(event: "message", data: "plain\ntext"))
            #expect(try stream.nextEvent() == RawEvent(id: third, event: "note", data: "[3]"))
        }
        for socket in sockets {
            let texts = try (0..<4).map { _ in try JSONReader.read(Array(try socket.receiveText().utf8)) }
            #expect(texts.map { $0["id"]?.stringValue } == [first, second, nil, third])
            #expect(texts.map { $0["event"]?.stringValue } == ["status", "status", "message", "note"])
            #expect(texts.map { $0["data"] } == [["a": 1], ["b": 2], "plain\ntext", [3]])
            #expect(texts.allSatisfy { $0["topic"]?.stringValue == "orders:1" })
        }
    }

    @Test("an event of another topic, and of a topic that is left, reaches nobody")
    func onlyWanted() throws {
        let fleet = try RedisFleet(servers: 1)
        let client = try fleet.servers[0].rider()
        try client.sendText(#"{"type":"subscribe","topic":"feeds:5521"}"#)
        _ = try client.receiveText(containing: "subscribed")
        #expect(try fleet.redis.subscriberCount("feeds:5521") == 1)
        try fleet.publish("feeds:other", "1")
        try fleet.publish("feeds:5521", "2")
        #expect(try client.receiveText().contains(#""data":2"#))
        try client.sendText(#"{"type":"unsubscribe","topic":"feeds:5521"}"#)
        _ = try client.receiveText(containing: "unsubscribed")
        try fleet.publish("feeds:5521", "3")
        #expect(try client.isAlive())
        // The channel is kept for those who come back, and then given up.
        try eventually("the channel to be left") { try fleet.redis.subscriberCount("feeds:5521") == 0 }
        try client.sendText(#"{"type":"subscribe","topic":"feeds:5521"}"#)
        _ = try client.receiveText(containing: "subscribed")
        try fleet.publish("feeds:5521", "4")
        #expect(try client.receiveText().contains(#""data":4"#))
    }

    @Test("a client goes on where it was, at another server and the other transport")
    func resumeElsewhere() throws {
        let fleet = try RedisFleet()
        try fleet.give(order: "1")
        let ids = try (0..<10).map { try fleet.publish("orders:1", "\($0)") }
        for (index, id) in ids.enumerated() {
            let server = fleet.servers[index % 2]
            let stream = try server.stream(order: "1", after: id)
            for missed in ids[(index + 1)...] { #expect(try stream.nextEvent()?.id == missed) }
            let socket = try fleet.servers[1 - index % 2].socket(order: "1", after: id)
            for missed in ids[(index + 1)...] {
                #expect(try JSONReader.read(Array(try socket.receiveText().utf8))["id"]?.stringValue == missed)
            }
        }
    }

    @Test("the position of the welcome is good at any server, also where nothing was ever published")
    func welcomePosition() throws {
        let fleet = try RedisFleet()
        try fleet.give(order: "1")
        let token = fleet.servers[0].token("7001", role: "customer")
        let stream = try fleet.servers[0].connect().openEventStream("/orders/1/events", token: token)
        let position = try #require(try stream.nextEvent()?.id)
        let first = try fleet.publish("orders:1", "1")
        #expect(try stream.nextEvent()?.id == first)
        let other = try fleet.servers[1].stream(order: "1", after: position)
        #expect(try other.nextEvent()?.id == first)
    }

    @Test(
        "what is kept by count is given, what is trimmed is a reset and then live events",
        arguments: ["sse", "websocket"])
    func trimmed(_ transport: String) throws {
        let fleet = try RedisFleet(servers: 1, settings: ["events.keep=5"])
        try fleet.give(order: "1")
        let ids = try (0..<10).map { try fleet.publish("orders:1", "\($0)") }
        if transport == "sse" {
            let kept = try fleet.servers[0].stream(order: "1", after: ids[5])
            for id in ids[6...] { #expect(try kept.nextEvent()?.id == id) }
            let lost = try fleet.servers[0].stream(order: "1", after: ids[3])
            #expect(try lost.nextEvent()?.event == "reset")
            let live = try fleet.publish("orders:1", "10")
            #expect(try lost.nextEvent()?.id == live)
            #expect(try kept.nextEvent()?.id == live)
        } else {
            let lost = try fleet.servers[0].socket(order: "1", after: ids[3])
            #expect(try lost.receiveText() == #"{"type":"reset","topic":"orders:1","reason":"history"}"#)
            let live = try fleet.publish("orders:1", "10")
            #expect(try lost.receiveText().contains(#""id":"\#(live)""#))
        }
    }

    @Test("what the publisher keeps for a time only is gone after that, which is a reset and never a silent gap")
    func trimmedByTime() throws {
        let fleet = try RedisFleet(servers: 1)
        try fleet.give(order: "1")
        try fleet.publish("orders:1", "first")
        try fleet.publish("orders:1", "for ever", "100", "0")
        #expect(try fleet.redis.command("TTL", "events:orders:1").integer == -1)
        let before = try #require(EventID(try fleet.publish("orders:1", "0", "100", "1")))
        try fleet.publish("orders:1", "1", "100", "1")
        // The stream outlives its events, so that it is known that there were some.
        #expect(try fleet.redis.command("TTL", "events:orders:1").integer ?? 0 > 3500)
        try eventually("the events to be older than a second") {
            let time = try RedisHistoryReading.milliseconds(fleet.redis.command("TIME"))
            return try #require(time) > before.milliseconds + 1100
        }
        let last = try fleet.publish("orders:1", "2", "100", "1")
        #expect(try fleet.redis.command("XLEN", "events:orders:1").integer == 1)
        let stream = try fleet.servers[0].stream(order: "1", after: before.description)
        #expect(try stream.nextEvent()?.event == "reset")
        let good = try fleet.servers[0].stream(order: "1", after: last)
        let next = try fleet.publish("orders:1", "3", "100", "1")
        #expect(try stream.nextEvent()?.id == next)
        #expect(try good.nextEvent()?.id == next)
    }

    @Test("what the publisher keeps for longer than the server is given to whoever comes back")
    func keptForLonger() throws {
        let fleet = try RedisFleet(servers: 1, settings: [#"events.keepFor="1s""#])
        try fleet.give(order: "1")
        let first = try fleet.publish("orders:1", "1", "100", "600")
        let second = try fleet.publish("orders:1", "2", "100", "600")
        #expect(try fleet.redis.command("TTL", "events:orders:1").integer ?? 0 > 500)
        let born = try #require(EventID(second)).milliseconds
        try eventually("the events to be older than the server keeps them") {
            let time = try RedisHistoryReading.milliseconds(fleet.redis.command("TIME"))
            return try #require(time) > born + 1100
        }
        let behind = try fleet.servers[0].stream(order: "1", after: first)
        #expect(try behind.nextEvent()?.id == second)
        let stream = try fleet.servers[0].stream(order: "1", after: second)
        let third = try fleet.publish("orders:1", "3")
        #expect(try stream.nextEvent()?.id == third)
    }

    @Test("the library of a later version is left, one of an earlier version or of none is replaced")
    func versions() throws {
        let redis = try RedisServer()
        func load(_ version: String) throws {
            let library = RedisFunctionLibrary.source.replacing("local VERSION = 1", with: "local VERSION = \(version)")
            #expect(try redis.command("FUNCTION", "LOAD", "REPLACE", library).bytes == Array("tiffin_live".utf8))
        }
        func version() throws -> Int64? { try redis.command("FCALL", "tiffin_version", "0").integer }
        try load("9")
        let newer = try RedisFleet(servers: 1, redis: redis)
        try newer.servers[0].publish("orders:1", "1")
        #expect(try version() == 9)
        #expect(newer.servers[0].logLines("redis_functions_newer").first?["version"]?.numberValue?.int64 == 9)
        try load("0")
        let older = try RedisFleet(servers: 1, redis: redis)
        try eventually("it to be replaced") { try version() == RedisFunctionLibrary.version }
        try redis.command("FUNCTION", "FLUSH")
        let none = try RedisFleet(servers: 1, redis: redis)
        try eventually("it to be loaded") { try version() == RedisFunctionLibrary.version }
        for server in older.servers + none.servers { #expect(server.logLines("redis_functions_newer").isEmpty) }
    }

    @Test("what is not kept at all comes live, and a position behind it is good")
    func notKept() throws {
        let fleet = try RedisFleet(servers: 1)
        try fleet.give(order: "1")
        let first = try fleet.publish("orders:1", "1", "0")
        #expect(try fleet.redis.command("XLEN", "events:orders:1").integer == 0)
        let stream = try fleet.servers[0].stream(order: "1", after: first)
        let second = try fleet.publish("orders:1", "2", "0")
        #expect(try stream.nextEvent()?.id == second)
    }

    @Test(
        "a position from the future, of another kind or malformed is a reset",
        arguments: ["9999999999999-0", "18446744073709551616-0", "0-0", "1-1", "x", "1-1,2-2"])
    func badPosition(_ position: String) throws {
        let fleet = try RedisFleet(servers: 1, settings: ["events.keep=2"])
        try fleet.give(order: "1")
        for number in 0..<4 { try fleet.publish("orders:1", "\(number)") }
        let stream = try fleet.servers[0].stream(order: "1", after: position)
        #expect(try stream.nextEvent()?.event == "reset")
        let live = try fleet.publish("orders:1", "4")
        #expect(try stream.nextEvent()?.id == live)
    }

    @Test("a thousand who come back to one topic cost one reading of its stream")
    func oneReading() throws {
        let fleet = try RedisFleet(servers: 1)
        try fleet.give(order: "1")
        let ids = try (0..<5).map { try fleet.publish("orders:1", "\($0)") }
        let before = try fleet.calls("xrevrange").made
        let server = fleet.servers[0]
        let token = server.token("7001", role: "customer")
        for _ in 0..<10 {
            // A hundred at once, then one after the other is answered.
            let clients = try (0..<100).map { _ in try server.connect() }
            for client in clients {
                try client.send(
                    RawClient.requestHead(
                        "GET", "/orders/1/events",
                        headers: [("Authorization", "Bearer \(token)"), ("Last-Event-ID", ids[2])]))
            }
            for client in clients {
                let stream = RawEventStream(client: client, response: try client.receiveResponseHead())
                #expect(try stream.nextEvent()?.event == "welcome")
                #expect(try stream.nextEvent()?.id == ids[3])
                #expect(try stream.nextEvent()?.id == ids[4])
                client.reset()
            }
        }
        #expect(try fleet.calls("xrevrange").made - before == 1)
        // Each loop remembers for itself who may have it.
        #expect(try fleet.calls("hget").made <= 2)
    }

    @Test("a topic whose key holds something else is 503, and nobody else's matter")
    func wrongType() throws {
        let fleet = try RedisFleet(servers: 1)
        try fleet.give(order: "1")
        try fleet.give(order: "2")
        try fleet.redis.command("SET", "events:orders:1", "x")
        let refused = try fleet.servers[0].status(order: "1")
        #expect(refused.status == 503)
        #expect(refused.only("Retry-After") != nil)
        let stream = try fleet.servers[0].stream(order: "2")
        try fleet.redis.command("DEL", "events:orders:1")
        try eventually("the topic to be good again") { try fleet.servers[0].status(order: "1").status == 200 }
        let id = try fleet.publish("orders:2", "1")
        #expect(try stream.nextEvent()?.id == id)
    }

    @Test("functions that were flushed are loaded again by the next call")
    func functionsFlushed() throws {
        let fleet = try RedisFleet(servers: 1)
        try fleet.servers[0].publish("orders:1", "1")
        try fleet.redis.command("FUNCTION", "FLUSH")
        try fleet.servers[0].publish("orders:1", "2")
        #expect(try fleet.redis.command("XLEN", "events:orders:1").integer == 2)
    }

    @Test(
        "the functions refuse what they cannot obey and keep nothing of it",
        arguments: [
            ["tiffin_publish", "1", "orders:1", "e", "d"], ["tiffin_publish", "1", "events:", "e", "d"],
            ["tiffin_publish", "1", "events:orders:1", "", "d"],
            ["tiffin_publish", "1", "events:orders:1", "a b", "d"],
            ["tiffin_publish", "1", "events:orders:1", "a\nb", "d"], ["tiffin_publish", "1", "events:orders:1", "e"],
            ["tiffin_publish", "0", "e", "d"], ["tiffin_publish", "1", "events:orders:1", "e", "d", "-1"],
            ["tiffin_publish", "1", "events:orders:1", "e", "d", "1.5"],
            ["tiffin_publish", "1", "events:orders:1", "e", "d", "1", "x"], ["tiffin_revoke", "0"],
            ["tiffin_revoke", "0", "not json"],
        ])
    func refusedCalls(_ words: [String]) throws {
        let fleet = try RedisFleet(servers: 1)
        guard case .error = try fleet.redis.command(["FCALL"] + words) else {
            Issue.record("not refused")
            return
        }
        #expect(try fleet.redis.command("KEYS", "*orders*").elements?.isEmpty == true)
        #expect(try fleet.redis.command("EXISTS", "revocations:log").integer == 0)
    }
}
