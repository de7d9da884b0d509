import Testing

@testable import TiffinLiveCore

@Suite("Contract 4: buying and redeeming tickets")
struct TicketPurchaseTests {
    typealias Harness = SessionHarness

    private func buyer(_ harness: Harness, ttl: Int64 = 900, role: String = "restaurant") -> String {
        harness.token("u1", role: role, ttl: ttl, extra: ["restaurants": ["88"]])
    }

    private func order(
        _ harness: Harness, token: String?, body: String = "", headers: [(String, String)] = []
    ) throws -> HarnessClient {
        let client = try harness.connect()
        client.send(Self.post(token: token, body: body, headers: headers))
        return client
    }

    private static func post(token: String?, body: String, headers: [(String, String)] = []) -> [UInt8] {
        var all = headers
        if let token { all.append(("Authorization", "Bearer \(token)")) }
        if !body.isEmpty { all.append(("Content-Length", String(body.utf8.count))) }
        return Harness.request("POST", "/live/tickets", headers: all) + Array(body.utf8)
    }

    private func redeem(
        _ harness: Harness, _ ticket: String, target: String = "/restaurants/88/events", isWebSocket: Bool = false
    ) throws -> HarnessClient {
        let client = try harness.connect()
        let target = "\(target)?ticket=\(ticket)"
        client.send(isWebSocket ? Harness.upgrade(target) : Harness.stream(target))
        return client
    }

    private func status(_ client: HarnessClient) throws -> Int { try client.response(headOnly: true).status }

    @Test("a ticket is sold, kept with an end from the first moment, and good once")
    func life() throws {
        let harness = try Harness()
        let client = try order(harness, token: buyer(harness))
        let response = try client.response()
        #expect(response.status == 200)
        #expect(response.text == #"{"ticket":"t1","expires_in":30}"#)
        #expect(response.only("Cache-Control") == "no-store")
        #expect(client.sold.map(\.user) == ["u1"])
        #expect(!client.hasSentEnd, "the connection may be kept")
        let stream = try redeem(harness, "t1")
        #expect(try status(stream) == 200)
        #expect(stream.session.identity?.user == "u1")
        #expect(stream.session.identity?.expiresAt == (harness.seconds + 900) * .second)
        let again = try redeem(harness, "t1").lastResponse()
        #expect(again.status == 401)
        #expect(again.text == #"{"error":"ticket_invalid"}"#)
    }

    @Test("a body in pieces is taken, and what is pipelined behind it is served")
    func pieces() throws {
        let harness = try Harness()
        let bytes = Self.post(token: buyer(harness), body: #"{"path":"/restaurants/88/events"}"#)
        let health = Harness.request("GET", "/healthz")
        for cut in stride(from: 1, to: bytes.count, by: 17) {
            let client = try harness.connect()
            client.send(pieces: [Array(bytes[..<cut]), Array(bytes[cut...]) + health])
            #expect(try client.response().status == 200, "cut at \(cut)")
            #expect(try client.response().text == "ok\n")
        }
    }

    @Test("several are sold on one connection, one after another, while the store is slow")
    func keepAlive() throws {
        let harness = try Harness()
        harness.lookUps = .later
        let client = try harness.connect()
        let post = Self.post(token: buyer(harness), body: "{}")
        client.send(post + post)
        harness.answerIdentities()
        harness.answerIdentities()
        #expect(try client.response().text == #"{"ticket":"t1","expires_in":30}"#)
        #expect(try client.response().text == #"{"ticket":"t2","expires_in":30}"#)
        #expect(client.sold.count == 2)
    }

    @Test(
        "an order that cannot be read is refused",
        arguments: [
            ("[]", 400), ("x", 400), (#"{"path":1}"#, 400), (#"{"path":"live"}"#, 400), (#"{"path":null}"#, 400),
            (#"{"path":"/a b"}"#, 400), (#"{"path":"/a","path":"/b"}"#, 400), (#"{"path":"/nowhere"}"#, 403),
            (#"{"path":"/restaurants/89/events"}"#, 403), (#"{"path":"/rider/socket"}"#, 403),
            (#"{"path":"/restaurants/88/events?x=1"}"#, 403), (#"{"path":"/orders/123/events"}"#, 403),
            (String(repeating: " ", count: 16 * 1024 + 1), 413),
        ])
    func badOrder(body: String, status expected: Int) throws {
        let harness = try Harness()
        #expect(try order(harness, token: buyer(harness), body: body).lastResponse().status == expected)
        #expect(harness.ticketsStored == 0)
    }

    @Test("a chunked body is 411, a slow one 408")
    func framing() throws {
        let harness = try Harness()
        let chunked = try order(harness, token: buyer(harness), headers: [("Transfer-Encoding", "chunked")])
        #expect(try chunked.lastResponse().status == 411)
        let slow = try order(harness, token: buyer(harness), headers: [("Content-Length", "5")])
        harness.advance(seconds: 11)
        #expect(try slow.lastResponse().status == 408)
    }

    @Test("who may not buy is told so")
    func buyers() throws {
        let harness = try Harness()
        #expect(try order(harness, token: buyer(harness, role: "rider")).lastResponse().status == 403)
        #expect(try order(harness, token: nil).lastResponse().text == #"{"error":"missing_token"}"#)
        #expect(try order(harness, token: buyer(harness, ttl: -1)).lastResponse().text == #"{"error":"token_expired"}"#)
        try harness.revoke(#"{"user_id":"u1"}"#)
        #expect(try order(harness, token: buyer(harness)).lastResponse().text == #"{"error":"revoked"}"#)
        harness.context.isDraining = true
        #expect(try order(harness, token: buyer(harness)).lastResponse().status == 503)
    }

    @Test("a cookie buys when its page is ours")
    func cookie() throws {
        let harness = try Harness(CookieTests.settings)
        let cookie = ("Cookie", "sid=\(buyer(harness))")
        for (headers, status) in [
            ([cookie, ("Origin", CookieTests.page)], 200), ([cookie, ("Origin", "https://evil.example")], 403),
            ([cookie, ("Sec-Fetch-Site", "cross-site")], 403), ([cookie], 200),
        ] {
            #expect(try order(harness, token: nil, headers: headers).response().status == status)
        }
    }

    @Test("a session id buys, with the body that came while it was looked up")
    func session() throws {
        let harness = try Harness(CookieTests.sessions)
        harness.lookUps = .later
        let json = #"{"sub":"u1","role":"restaurant","exp":\#(harness.seconds + 900),"restaurants":["88"]}"#
        _ = harness.store.execute(["SET", "session:s1", json], now: harness.now.monotonic)
        let client = try order(
            harness, token: nil, body: #"{"path":"/restaurants/88/events"}"#, headers: [("Cookie", "sid=s1")])
        harness.answerIdentities()
        harness.answerIdentities()
        #expect(try client.response().status == 200)
        let stream = try redeem(harness, "t1")
        harness.answerIdentities()
        #expect(try status(stream) == 200)
    }

    @Test(
        "a store that does not say OK sells nothing (B79)",
        arguments: [StoreReply.null, .error("x"), .text("OK?"), .integer(1)])
    func storeRefuses(reply: StoreReply) throws {
        let harness = try Harness()
        harness.lookUps = .later
        let client = try order(harness, token: buyer(harness))
        harness.answerIdentities(reply)
        let response = try client.lastResponse()
        #expect(response.status == 503)
        #expect(client.sold.isEmpty)
    }

    @Test("a store that is late sells nothing, and its answer comes to nobody")
    func storeLate() throws {
        let harness = try Harness()
        harness.lookUps = .later
        let client = try order(harness, token: buyer(harness))
        harness.advance(seconds: 1)
        #expect(try client.lastResponse().status == 503)
        harness.answerIdentities()
        #expect(client.pending.isEmpty)
    }

    // MARK: Redeeming

    @Test(
        "an answer about a ticket that is none opens nothing (B79)",
        arguments: [
            (StoreReply.null, 401), (.error("ERR unknown command"), 503), (.integer(1), 503), (.ok, 503),
            (.text("{"), 401), (.text("{}"), 401), (.text(""), 401), (.text("89"), 403),
        ], [true, false])
    func redemption(_ answer: (reply: StoreReply, status: Int), isWebSocket: Bool) throws {
        let harness = try Harness()
        harness.lookUps = .later
        let client = try redeem(harness, "x", isWebSocket: isWebSocket)
        harness.answerIdentities(answer.reply)
        #expect(try client.lastResponse().status == answer.status)
        #expect(client.registrations == 0)
    }

    @Test("a ticket for one path opens that path alone, and is gone after the attempt")
    func otherPath() throws {
        let harness = try Harness([
            #"topics."orders:{order}"={claim:{sub:"u1"}}"#,
            #"routes."/orders/{order}/events".credentials=["ticket"]"#,
        ])
        let client = try order(harness, token: buyer(harness), body: #"{"path":"/restaurants/88/events"}"#)
        #expect(try client.response().status == 200)
        #expect(try redeem(harness, "t1", target: "/orders/1/events").lastResponse().status == 403)
        #expect(try redeem(harness, "t1").lastResponse().status == 401)
        _ = try order(harness, token: buyer(harness), body: #"{"path":"/restaurants/88/events"}"#)
        #expect(try status(redeem(harness, "t2", target: "/restaurants/%38%38/events")) == 200)
        #expect(try redeem(harness, "T2").lastResponse().status == 401)
    }

    @Test("a ticket is over with its time, and its connection with the buyer's token")
    func ends() throws {
        let harness = try Harness([#"expiry.jitter="0s""#])
        _ = try order(harness, token: buyer(harness))
        harness.advance(seconds: 30)
        #expect(try redeem(harness, "t1").lastResponse().status == 401)
        _ = try order(harness, token: buyer(harness, ttl: 20))
        harness.advance(seconds: 10)
        let socket = try redeem(harness, "t2", isWebSocket: true)
        #expect(try status(socket) == 101)
        harness.advance(seconds: 11)
        #expect(socket.session.ending == .tokenExpired)
        _ = try order(harness, token: buyer(harness, ttl: 5))
        harness.advance(seconds: 6)
        #expect(try redeem(harness, "t3").lastResponse().text == #"{"error":"token_expired"}"#)
    }

    @Test("a revocation of the buyer reaches the ticket before, while and after it is redeemed")
    func revoked() throws {
        let harness = try Harness()
        for _ in 0..<3 { _ = try order(harness, token: buyer(harness)) }
        let open = try redeem(harness, "t1", isWebSocket: true)
        #expect(try status(open) == 101)
        harness.lookUps = .later
        let pending = try redeem(harness, "t2")
        try harness.revoke(#"{"user_id":"u1"}"#)
        #expect(open.session.ending == .revoked)
        harness.answerIdentities()
        #expect(try pending.lastResponse().text == #"{"error":"revoked"}"#)
        harness.lookUps = .atOnce
        #expect(try redeem(harness, "t3").lastResponse().text == #"{"error":"revoked"}"#)
    }

    @Test("a plain value opens its restaurant, and nothing else on the connection")
    func plain() throws {
        let harness = try Harness()
        for ticket in ["a", "b"] {
            _ = harness.store.execute(["SET", "ticket:\(ticket)", "88", "EX", "30"], now: harness.now.monotonic)
        }
        #expect(try redeem(harness, "a", target: "/restaurants/89/events").lastResponse().status == 403)
        let socket = try redeem(harness, "b", isWebSocket: true)
        #expect(try status(socket) == 101)
        _ = try socket.message()
        #expect(socket.topics == ["restaurants:88"])
        #expect(socket.session.identity?.expiresAt == harness.now.wall + 3600 * .second)
        socket.send(text: #"{"type":"subscribe","topic":"restaurants:89"}"#)
        #expect(try socket.message()["error"] == "forbidden")
        socket.send(text: #"{"type":"auth","token":"\#(buyer(harness))"}"#)
        #expect(socket.session.ending == .differentUser)
    }

    @Test("a ticket in place of a bearer token counts only where there is no bearer token")
    func precedence() throws {
        let harness = try Harness()
        _ = try order(harness, token: buyer(harness))
        let client = try harness.connect()
        client.send(
            Harness.stream("/restaurants/88/events?ticket=t1", token: harness.token("u2", role: "restaurant")))
        #expect(try client.lastResponse().status == 403)
        #expect(try status(redeem(harness, "t1")) == 200, "it was not touched")
    }
}
