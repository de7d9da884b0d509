import Testing

@testable import TiffinLiveCore

@Suite("Contract 4: signing in by cookie")
struct CookieTests {
    typealias Harness = SessionHarness

    static let page = "https://app.example.com"
    static let settings = [#"browser={origins:["\#(page)"],cookie:{name:"sid"}}"#]
    static let sessions = [#"browser={origins:["\#(page)"],cookie:{name:"sid",session:["GET","session:{cookie}"]}}"#]

    private func token(_ harness: Harness, _ user: String = "u1", ttl: Int64 = 900) -> String {
        harness.token(user, role: "restaurant", ttl: ttl, extra: ["restaurants": ["88"]])
    }

    private func answer(
        _ harness: Harness, isWebSocket: Bool = false, _ headers: [(String, String)],
        target: String = "/restaurants/88/events"
    ) throws -> HarnessClient {
        let client = try harness.connect()
        client.send(
            isWebSocket ? Harness.upgrade(target, headers: headers) : Harness.stream(target, headers: headers))
        return client
    }

    @Test("the cookie of a page on the list opens both transports", arguments: [true, false])
    func good(isWebSocket: Bool) throws {
        let harness = try Harness(Self.settings)
        let headers = [("Cookie", "a=1; sid=\(token(harness)); b=2"), ("Origin", Self.page)]
        let client = try answer(harness, isWebSocket: isWebSocket, headers)
        let response = try client.response(headOnly: true)
        #expect(response.status == (isWebSocket ? 101 : 200))
        #expect(response.only("Access-Control-Allow-Origin") == (isWebSocket ? nil : Self.page))
        #expect(client.session.identity?.user == "u1")
        #expect(client.opened == 1)
    }

    @Test(
        "another page gets 403 before a signature or a question is spent (B29, B32)", arguments: [true, false],
        ["https://evil.example", "null", "https://app.example.com.evil.example", "http://app.example.com"])
    func foreignPage(isWebSocket: Bool, origin: String) throws {
        for settings in [Self.settings, Self.sessions] {
            let harness = try Harness(settings)
            let signatures = harness.context.verifier.signatureCount
            let client = try answer(
                harness, isWebSocket: isWebSocket, [("Cookie", "sid=\(token(harness))"), ("Origin", origin)])
            let response = try client.lastResponse()
            #expect(response.status == 403)
            #expect(response.text == #"{"error":"origin_refused"}"#)
            #expect(response.only("Access-Control-Allow-Origin") == nil)
            #expect(harness.context.verifier.signatureCount == signatures)
            #expect(harness.identityCommands.isEmpty)
        }
    }

    @Test("copies count as a set: the valid one, or nobody of two users (B28)")
    func copies() throws {
        let harness = try Harness(Self.settings)
        let good = token(harness)
        let expired = token(harness, ttl: -5)
        let other = token(harness, "u2")
        let cases: [(String, Int)] = [
            ("sid=\(expired); sid=\(good)", 200), ("sid=\(good); sid=\(expired)", 200),
            ("sid=\(good); sid=\(other)", 401), ("sid=\(other); sid=\(good)", 401), ("SID=\(good)", 401),
            ("xsid=x; sid=\(good)", 200), ("sid=\"\(good)\"", 200), ("sid=\(good)=", 401), ("sid=", 401),
            ("sid=\(expired)", 401),
        ]
        for (cookie, status) in cases {
            let client = try answer(harness, [("Cookie", cookie), ("Origin", Self.page)])
            #expect(try client.response(headOnly: true).status == status, "\(cookie.prefix(20))")
        }
    }

    @Test("a revoked user's cookie is refused as revoked, also when the session was looked up")
    func revoked() throws {
        for settings in [Self.settings, Self.sessions] {
            let harness = try Harness(settings)
            try harness.revoke(#"{"user_id":"u1"}"#)
            _ = harness.store.execute(
                ["SET", "session:s1", #"{"sub":"u1","role":"restaurant","exp":\#(harness.seconds + 900)}"#],
                now: harness.now.monotonic)
            let value = settings == Self.settings ? token(harness) : "s1"
            let client = try answer(harness, [("Cookie", "sid=\(value)"), ("Origin", Self.page)])
            #expect(try client.lastResponse().text == #"{"error":"revoked"}"#)
        }
    }

    // MARK: Session ids

    private func keep(_ id: String, _ json: String, _ harness: Harness) {
        _ = harness.store.execute(["SET", "session:\(id)", json], now: harness.now.monotonic)
    }

    private func session(_ user: String, ttl: Int64 = 900, _ harness: Harness) -> String {
        #"{"sub":"\#(user)","role":"restaurant","exp":\#(harness.seconds + ttl),"restaurants":["88"]}"#
    }

    @Test("an id is turned into an identity, and early frames wait for it")
    func sessionID() throws {
        let harness = try Harness(Self.sessions)
        harness.lookUps = .later
        keep("s1", session("u1", harness), harness)
        let client = try answer(harness, isWebSocket: true, [("Cookie", "sid=s1"), ("Origin", Self.page)])
        client.send(text: #"{"type":"ping"}"#)
        #expect(client.pending.isEmpty)
        #expect(client.registrations == 0)
        harness.answerIdentities()
        #expect(try client.response().status == 101)
        let texts = try client.texts()
        #expect(texts.count == 2)
        #expect(texts.first?.contains(#""type":"welcome""#) == true)
        #expect(texts.last?.contains(#""type":"pong""#) == true)
        #expect(client.session.identity?.extra["restaurants"] == ["88"])
        #expect(harness.identityCommands == [["GET", "session:s1"]])
    }

    @Test("an id is looked up every time, never remembered")
    func notRemembered() throws {
        let harness = try Harness(Self.sessions)
        keep("s1", session("u1", harness), harness)
        let headers = [("Cookie", "sid=s1"), ("Origin", Self.page)]
        #expect(try answer(harness, headers).response(headOnly: true).status == 200)
        _ = harness.store.execute(["DEL", "session:s1"], now: harness.now.monotonic)
        #expect(try answer(harness, headers).lastResponse().status == 401)
    }

    @Test("copies of an id are judged by whom they stand for, in every order")
    func sessionCopies() throws {
        let harness = try Harness(Self.sessions)
        keep("a", session("u1", harness), harness)
        keep("a2", session("u1", ttl: 1200, harness), harness)
        keep("b", session("u2", harness), harness)
        keep("old", session("u1", ttl: -1, harness), harness)
        keep("junk", "88", harness)
        for (ids, status) in [
            (["a"], 200), (["a", "gone"], 200), (["a", "old"], 200), (["a", "junk", "gone"], 200), (["a", "a2"], 200),
            (["a", "b"], 401), (["gone"], 401), (["junk"], 401), (["old"], 401), (["a:b"], 401), (["a", "a:b"], 200),
        ] {
            for order in [ids, ids.reversed()] {
                let cookie = order.map { "sid=\($0)" }.joined(separator: "; ")
                let client = try answer(harness, [("Cookie", cookie), ("Origin", Self.page)])
                #expect(try client.response(headOnly: true).status == status, "\(order)")
            }
        }
    }

    @Test("a store that is down or late is 503, an answer that comes later changes nothing")
    func storeDown() throws {
        let harness = try Harness(Self.sessions)
        let headers = [("Cookie", "sid=s1"), ("Origin", Self.page)]
        keep("s1", session("u1", harness), harness)
        harness.lookUps = .failing
        let failed = try answer(harness, headers).lastResponse()
        #expect(failed.status == 503)
        #expect(failed.only("Retry-After") != nil)
        #expect(failed.only("Access-Control-Allow-Origin") == Self.page)
        harness.lookUps = .later
        let late = try answer(harness, headers)
        harness.advance(seconds: 1)
        #expect(try late.lastResponse().status == 503)
        harness.answerIdentities()
        #expect(late.opened == 0)
        #expect(late.pending.isEmpty)
    }

    @Test("a wrong type in the store is 503, not a guess")
    func wrongType() throws {
        let harness = try Harness(Self.sessions)
        _ = harness.store.execute(["HSET", "session:s1", "sub", "u1"], now: harness.now.monotonic)
        #expect(try answer(harness, [("Cookie", "sid=s1"), ("Origin", Self.page)]).lastResponse().status == 503)
    }

    @Test("the peer that leaves while its session is looked up leaves nothing behind")
    func gone() throws {
        let harness = try Harness(Self.sessions)
        harness.lookUps = .later
        keep("s1", session("u1", harness), harness)
        let client = try answer(harness, [("Cookie", "sid=s1"), ("Origin", Self.page)])
        client.reset()
        harness.answerIdentities()
        #expect(client.opened == 0)
        #expect(client.registrations == 0)
    }
}
