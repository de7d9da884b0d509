import Testing

@testable import TiffinLiveCore

/// Tickets and session ids that several servers share in Redis.
@Suite("Browsers on the wire: tickets in Redis")
struct BrowserCredentialRedisTests {
    typealias Browser = BrowserHandshake

    private static let path = "/restaurants/88/events"
    private static let patient = [#"lookups.timeout="20s""#]

    private func redeem(_ server: LiveServer, _ ticket: String) throws -> RawResponse {
        try Browser.open(server, isWebSocket: true, [], target: "\(Self.path)?ticket=\(ticket)").response
    }

    // B80
    @Test(
        "of fifty hands on two servers exactly one gets in, two hundred times", .enabled(if: RedisServer.isInstalled))
    func manyHands() throws {
        let fleet = try RedisFleet(settings: Self.patient)
        for round in 0..<200 {
            let ticket = try Browser.ticket(fleet.servers[0])
            let remaining = try fleet.redis.command("TTL", "ticket:\(ticket)")
            guard case .integer(let seconds) = remaining else {
                Issue.record("\(remaining)")
                return
            }
            #expect((1...30).contains(seconds), "it has an end from the first moment")
            let clients = try (0..<50).map { try fleet.servers[$0 % 2].connect() }
            // Event streams among them now and then.
            let target = "\(Self.path)?ticket=\(ticket)"
            let requests = [RawClient.upgradeRequest(target), RawClient.requestHead("GET", target)]
            for (index, client) in clients.enumerated() { try client.send(requests[round % 4 == 3 ? index % 2 : 0]) }
            let statuses = try clients.map { try $0.receiveResponseHead().status }
            #expect(statuses.count { $0 == 101 || $0 == 200 } == 1)
            #expect(statuses.count { $0 == 401 } == 49)
        }
    }

    // B80
    @Test(
        "a ticket opens once, as it is written, in its time, for whom it was sold",
        .enabled(if: RedisServer.isInstalled))
    func once() throws {
        let fleet = try RedisFleet(settings: Self.patient)
        let ticket = try Browser.ticket(fleet.servers[0])
        let swapped = ticket.map { $0.isLowercase ? $0.uppercased() : $0.lowercased() }.joined()
        #expect(try redeem(fleet.servers[1], swapped).status == 401)
        let client = try fleet.servers[1].connect()
        #expect(try client.upgrade("\(Self.path)?ticket=\(ticket)").status == 101)
        #expect(try client.receiveText().contains(#""user":"u1""#))
        try client.sendClose()
        _ = try client.expectClose(passingOverMessages: true)
        for server in fleet.servers { #expect(try redeem(server, ticket).status == 401) }
        let late = try Browser.ticket(fleet.servers[0])
        #expect(try fleet.redis.command("PEXPIRE", "ticket:\(late)", "1").integer == 1)
        try eventually("its end") { try fleet.redis.command("EXISTS", "ticket:\(late)").integer == 0 }
        #expect(try redeem(fleet.servers[0], late).status == 401)
        let bearer = [("Authorization", "Bearer \(Browser.token(fleet.servers[1], "u2"))")]
        let other = try fleet.servers[1].connect()
        let target = "\(Self.path)?ticket=\(try Browser.ticket(fleet.servers[0]))"
        #expect(try other.upgrade(target, headers: bearer).status == 101)
        #expect(try other.receiveText().contains(#""user":"u2""#), "the bearer token counts")
    }

    @Test(
        "a ticket and a session id of one server are good on another, and a plain value too",
        .enabled(if: RedisServer.isInstalled))
    func shared() throws {
        let cookie = #"browser={origins:["\#(Browser.page)"],cookie:{name:"sid",session:["GET","session:{cookie}"]}}"#
        let fleet = try RedisFleet(settings: Self.patient + [cookie])
        #expect(try redeem(fleet.servers[1], try Browser.ticket(fleet.servers[0])).status == 101)
        try fleet.redis.command("SET", "ticket:plain", "88", "EX", "30")
        #expect(try redeem(fleet.servers[1], "plain").status == 101)
        #expect(try redeem(fleet.servers[0], "plain").status == 401)
        let exp = fleet.servers[0].now + 900
        try fleet.redis.command(
            "SET", "session:s1", #"{"sub":"u1","role":"restaurant","exp":\#(exp),"restaurants":["88"]}"#)
        let headers = [("Cookie", "sid=s1"), ("Origin", Browser.page)]
        for server in fleet.servers {
            #expect(try Browser.status(server, isWebSocket: true, headers, target: Self.path) == 101)
            #expect(try Browser.status(server, isWebSocket: false, headers, target: Self.path) == 200)
        }
        try fleet.redis.command("HSET", "ticket:hash", "a", "b")
        #expect(try redeem(fleet.servers[0], "hash").status == 503)
    }

    // B79
    @Test(
        "what is no ticket never opens anything, and GETDEL has no stand-in",
        arguments: [
            ("-ERR unknown command 'GETDEL'\r\n", 503), ("$-1\r\n", 401), ("_\r\n", 401), (":1\r\n", 503),
            ("*0\r\n", 503),
            ("-READONLY You can't write against a read only replica.\r\n", 503), ("-LOADING Redis is loading\r\n", 503),
            ("-MOVED 3999 127.0.0.1:6381\r\n", 503), ("-BUSY a script runs\r\n", 503), ("-OOM no memory\r\n", 503),
            ("+88\r\n", 503), ("$3\r\n{\"}\r\n", 401), ("$2\r\n89\r\n", 403), ("$0\r\n\r\n", 401),
        ])
    func redeemed(answer: String, status: Int) throws {
        let redis = try ScriptedRedis(["GETDEL": .text(answer), "ZRANGEBYSCORE": .text("*0\r\n")])
        let server = try server(on: redis)
        #expect(try redeem(server, "x").status == status)
        let asked = redis.commands.filter { $0.hasSuffix("ticket:x") }
        #expect(asked == ["GETDEL ticket:x"])
    }

    @Test(
        "a ticket that Redis did not keep is not sold",
        arguments: [
            "$-1\r\n", "-OOM command not allowed\r\n", "-READONLY a replica\r\n", "-LOADING Redis is loading\r\n",
            "-MOVED 3999 127.0.0.1:6381\r\n", "-BUSY a script runs\r\n", "+QUEUED\r\n", ":1\r\n",
        ])
    func stored(answer: String) throws {
        let redis = try ScriptedRedis(["SET": .text(answer), "ZRANGEBYSCORE": .text("*0\r\n")])
        let server = try server(on: redis)
        let bearer = [("Authorization", "Bearer \(Browser.token(server))")]
        #expect(try server.connect().post("/live/tickets", headers: bearer).status == 503)
        let asked = redis.commands.filter { $0.hasPrefix("SET ticket:") }
        #expect(asked.count == 1)
        #expect(asked.allSatisfy { $0.hasSuffix(" EX 30 NX") })
    }

    @Test("a Redis that answers too late is 503, and the ticket is used up", .enabled(if: RedisServer.isInstalled))
    func late() throws {
        let fleet = try RedisFleet(servers: 1, settings: [#"lookups.timeout="300ms""#])
        let server = fleet.servers[0]
        try fleet.redis.command("SET", "ticket:x", "88", "EX", "30")
        let bearer = [("Authorization", "Bearer \(Browser.token(server))")]
        try fleet.redis.command("CLIENT", "PAUSE", "1500", "WRITE")
        #expect(try redeem(server, "x").status == 503)
        #expect(try server.connect().post("/live/tickets", headers: bearer).status == 503)
        try eventually("the pause to be over") {
            try server.connect().post("/live/tickets", headers: bearer).status == 200
        }
        #expect(try redeem(server, "x").status == 401)
    }

    private func server(on redis: ScriptedRedis, _ settings: [String] = patient) throws -> LiveServer {
        let server = try LiveServer([#"redis={url:"redis://127.0.0.1:\#(redis.port)",timeout:"5s"}"#] + settings)
        try RedisFleet.awaitReady(server)
        return server
    }
}
