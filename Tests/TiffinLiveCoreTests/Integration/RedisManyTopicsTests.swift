import Testing

@testable import TiffinLiveCore

/// Thousands of topics on one server: a lost link asks for all of them again, a few at a time.
@Suite("Many topics over Redis", .enabled(if: RedisServer.isInstalled))
struct RedisManyTopicsTests {
    private static let count = 3000

    @Test("all of them miss nothing over a lost link, each once")
    func lostLink() throws {
        let fleet = try RedisFleet(
            servers: 1, settings: ["limits.topicsPerConnection=10000", #"limits.outbound="16MiB""#])
        let server = fleet.servers[0]
        let client = try server.rider()
        for number in 0..<Self.count { try client.sendText(#"{"type":"subscribe","topic":"feeds:\#(number)"}"#) }
        for _ in 0..<Self.count { #expect(try client.receiveText().contains("subscribed")) }
        try publishToAll(fleet, 1)
        try expectAll(client, 1)
        fleet.muxes[0].refuses = true
        fleet.muxes[0].cut()
        try fleet.awaitUnready()
        try publishToAll(fleet, 2)
        fleet.muxes[0].refuses = false
        try expectAll(client, 2)
        try publishToAll(fleet, 3)
        try expectAll(client, 3)
        #expect(try client.isAlive())
        // Not one for each attempt.
        #expect(try fleet.calls("xrevrange").made < 3 * Self.count)
    }

    private func publishToAll(_ fleet: RedisFleet, _ data: Int) throws {
        let script = """
            for number = 0, \(Self.count - 1) do
              local key = 'events:feeds:' .. number
              local id = redis.call('XADD', key, '*', 'event', 'n', 'data', ARGV[1])
              redis.call('PUBLISH', 'feeds:' .. number, '@' .. id .. ' n\\n' .. ARGV[1])
            end
            return 1
            """
        #expect(try fleet.redis.command("EVAL", script, "0", "\(data)").integer == 1)
    }

    private func expectAll(_ client: RawClient, _ data: Int) throws {
        var topics: Set<String> = []
        for _ in 0..<Self.count {
            let event = try JSONReader.read(Array(try client.receiveText(containing: #""type":"event""#).utf8))
            #expect(event["data"]?.numberValue?.int64 == Int64(data))
            topics.insert(event["topic"]?.stringValue ?? "")
        }
        #expect(topics.count == Self.count)
    }
}
