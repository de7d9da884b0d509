import Glibc
import Testing

@testable import TiffinLiveCore

/// Contract section 8: application messages go into the stream `inbound`, and are acknowledged once Redis has them.
@Suite("Application messages over Redis", .enabled(if: RedisServer.isInstalled))
struct RedisInboundTests {
    private static func entries(_ redis: RedisServer) throws -> [[String: String]] {
        try (redis.command("XRANGE", "inbound", "-", "+").elements ?? []).map { entry in
            let fields = (entry.elements?.last?.elements ?? []).map { String(decoding: $0.bytes ?? [], as: UTF8.self) }
            return Dictionary(
                uniqueKeysWithValues: stride(from: 0, to: fields.count - 1, by: 2).map { (fields[$0], fields[$0 + 1]) })
        }
    }

    @Test("the entry says who sent it and what, without what the client claims to be")
    func fields() throws {
        let fleet = try RedisFleet(servers: 1)
        let client = try fleet.servers[0].rider()
        try client.sendText(#"{"type":"accept","ref":"7","offer":981,"rider_id":"1","user_id":2,"x":{"sub":3}}"#)
        #expect(try client.receiveText() == #"{"type":"ack","ref":"7"}"#)
        let entry = try #require(try Self.entries(fleet.redis).first)
        #expect(Set(entry.keys) == ["user", "role", "connection", "type", "ref", "body", "at"])
        #expect(entry["user"] == "5521")
        #expect(entry["role"] == "rider")
        #expect(entry["type"] == "accept")
        #expect(entry["ref"] == "7")
        let body = try JSONReader.read(Array(try #require(entry["body"]).utf8))
        #expect(body == ["type": "accept", "ref": "7", "offer": 981, "x": ["sub": 3]])
        let listed = String(decoding: try fleet.servers[0].adminGet("/connections").body, as: UTF8.self)
        #expect(listed.contains(try #require(entry["connection"])))
        #expect(entry["at"]?.hasSuffix("Z") == true)
    }

    @Test("what is acknowledged is in Redis, in the order it was sent")
    func order() throws {
        let fleet = try RedisFleet(servers: 1)
        let client = try fleet.servers[0].rider()
        for number in 0..<500 { try client.sendText(#"{"type":"n","ref":\#(number)}"#) }
        for number in 0..<500 {
            #expect(try client.receiveText() == #"{"type":"ack","ref":\#(number)}"#)
            if number % 100 == 0 {
                #expect(try Self.entries(fleet.redis).count > number)
            }
        }
        #expect(try Self.entries(fleet.redis).map { $0["ref"] } == (0..<500).map { "\($0)" })
    }

    @Test("the stream is trimmed to about what is to be kept")
    func trimmed() throws {
        let fleet = try RedisFleet(servers: 1, settings: ["inbound.keep=100"])
        let client = try fleet.servers[0].rider()
        for number in 0..<600 { try client.sendText(#"{"type":"n","ref":\#(number)}"#) }
        for _ in 0..<600 { _ = try client.receiveText() }
        #expect(try fleet.redis.command("XLEN", "inbound").integer ?? 600 < 400)
    }

    @Test("without Redis the answer is unavailable at once, and no ack is given for what is lost")
    func away() throws {
        let fleet = try RedisFleet(servers: 1)
        let client = try fleet.servers[0].rider()
        fleet.redis.stop()
        try fleet.awaitUnready()
        try client.sendText(#"{"type":"accept","ref":"1"}"#)
        let text = try client.receiveText()
        #expect(text.contains(#""error":"unavailable""#))
        #expect(text.contains(#""ref":"1""#))
        try fleet.redis.start()
        try fleet.awaitReady()
        try client.sendText(#"{"type":"accept","ref":"2"}"#)
        // Its topic was reset, since Redis has lost its data.
        #expect(try client.receiveText(containing: "ack") == #"{"type":"ack","ref":"2"}"#)
        #expect(try Self.entries(fleet.redis).map { $0["ref"] } == ["2"])
    }

    @Test("a Redis that takes no writes, or whose stream is none, makes it unavailable too")
    func refused() throws {
        let fleet = try RedisFleet(servers: 1)
        let client = try fleet.servers[0].rider()
        try fleet.redis.command("SET", "inbound", "x")
        try client.sendText(#"{"type":"accept","ref":1}"#)
        #expect(try client.receiveText().contains("unavailable"))
        try fleet.redis.command("DEL", "inbound")
        try fleet.redis.command("CONFIG", "SET", "maxmemory", "1")
        try client.sendText(#"{"type":"accept","ref":2}"#)
        #expect(try client.receiveText().contains("unavailable"))
        try fleet.redis.command("CONFIG", "SET", "maxmemory", "0")
        try client.sendText(#"{"type":"accept","ref":3}"#)
        #expect(try client.receiveText() == #"{"type":"ack","ref":3}"#)
    }

    @Test(
        "messages that are under way when the link is cut are each answered once, acknowledged only if they are there")
    func cut() throws {
        let fleet = try RedisFleet(servers: 1)
        let client = try fleet.servers[0].rider()
        var acknowledged: [Int64] = []
        var sent = 0
        for round in 0..<10 {
            for _ in 0..<50 {
                try client.sendText(#"{"type":"n","ref":\#(sent)}"#)
                sent += 1
            }
            if round % 3 == 1 { fleet.muxes[0].cut() }
            for _ in 0..<50 {
                let answer = try JSONReader.read(Array(try client.receiveText().utf8))
                if answer["type"]?.stringValue == "ack", let ref = answer["ref"]?.numberValue?.int64 {
                    acknowledged.append(ref)
                }
            }
            try fleet.awaitReady()
        }
        let there = try Self.entries(fleet.redis).compactMap { Int64($0["ref"] ?? "") }
        #expect(there == there.sorted())
        #expect(Set(there).isSuperset(of: acknowledged))
        #expect(acknowledged.count >= 300)
    }
}
