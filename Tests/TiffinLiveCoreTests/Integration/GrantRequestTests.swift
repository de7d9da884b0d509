import Testing

@testable import TiffinLiveCore

/// Contract section 3 without Redis: the admin listener takes what would be a message on the channel of grants.
@Suite("Rights that change, told to one server alone")
struct GrantRequestTests {
    @Test("who lost the topic is put off it at once, and who keeps it notices nothing")
    func lost() throws {
        let server = try LiveServer([#"lookups.cache="60s""#])
        for (order, owner) in [("1", "7001"), ("2", "7002")] {
            try server.admin("/store", #"{"command":["HSET","order:\#(order)","customer_id","\#(owner)"]}"#)
        }
        let loser = try server.connect().openEventStream(
            "/orders/1/events", token: server.token("7001", role: "customer"))
        let keeper = try server.connect().openEventStream(
            "/orders/2/events", token: server.token("7002", role: "customer"))
        for stream in [loser, keeper] { #expect(try stream.nextEvent()?.event == "welcome") }
        try server.admin("/store", #"{"command":["HSET","order:1","customer_id","7009"]}"#)
        for topic in ["orders:1", "orders:2", "orders:3"] {
            #expect(try server.admin("/grants", #"{"topic":"\#(topic)"}"#).text == "{}")
        }
        #expect(try loser.nextEvent()?.data == #"{"code":4004,"reason":"forbidden"}"#)
        let id = try server.publish("orders:2", "1")
        #expect(try keeper.nextEvent()?.id == id)
    }

    @Test("what is no such message is refused", arguments: ["", "{}", #"{"topic":""}"#, #"{"topic":"a","user":true}"#])
    func malformed(body: String) throws {
        let server = try LiveServer()
        #expect(try server.admin("/grants", body).status == 400)
        #expect(try server.adminClient().get("/grants").status == 405)
    }

    @Test("with Redis its channel is the place", .enabled(if: RedisServer.isInstalled))
    func withRedis() throws {
        let fleet = try RedisFleet(servers: 1)
        let response = try fleet.servers[0].admin("/grants", #"{"topic":"orders:1"}"#)
        #expect(response.status == 409)
        #expect(response.text == #"{"error":"redis_has_the_channel"}"#)
    }
}
