import Testing

@testable import TiffinLiveCore

@Suite("Browsers on the wire: refusals that a page can see")
struct BrowserCredentialCloseTests {
    typealias Browser = BrowserHandshake

    private static let settings =
        Browser.settings + [#"routes."/restaurants/{restaurant}/events".refuse="close""#]

    private func cookie(_ token: String) -> [(String, String)] {
        [("Cookie", "sid=\(token)"), ("Origin", Browser.page)]
    }

    /// The code with which a handshake was refused, after its clean end.
    private func code(
        _ server: LiveServer, isWebSocket: Bool, _ headers: [(String, String)],
        target: String = "/restaurants/88/events"
    ) throws -> Int? {
        let (response, client) = try Browser.open(server, isWebSocket: isWebSocket, headers, target: target)
        guard response.status == (isWebSocket ? 101 : 200) else {
            throw UnexpectedAnswer(what: "status \(response.status)")
        }
        if isWebSocket { return try client.expectCloseAndEnd().code }
        let stream = RawEventStream(client: client, response: response)
        let event = try #require(try stream.nextEvent())
        #expect(event.event == "close")
        #expect(Int(event.retry ?? "") ?? 0 >= 1000)
        #expect(try stream.nextEvent() == nil)
        #expect(stream.ending == .lastChunk)
        #expect(try client.expectEnd() == .finished)
        return try JSONReader.read(Array((event.data ?? "").utf8))["code"]?.numberValue?.int64.map { Int($0) }
    }

    @Test("401, 403 and 503 come as codes (B58)", arguments: [true, false])
    func codes(isWebSocket: Bool) throws {
        let server = try LiveServer(Self.settings + [#"limits.perUser=1"#, #"limits.perUserPolicy="refuse""#])
        #expect(try code(server, isWebSocket: isWebSocket, []) == 4001)
        let expired = cookie(Browser.token(server, ttl: -1))
        for _ in 0..<100 { #expect(try code(server, isWebSocket: isWebSocket, expired) == 4001) }
        let good = cookie(Browser.token(server))
        #expect(try code(server, isWebSocket: isWebSocket, good, target: "/restaurants/89/events") == 4004)
        #expect(try code(server, isWebSocket: isWebSocket, [], target: "/restaurants/88/events?ticket=x") == 4001)
        let first = try Browser.open(server, isWebSocket: isWebSocket, good)
        #expect(try code(server, isWebSocket: isWebSocket, good) == 4029)
        _ = first.client
        try server.admin("/revoke", #"{"user_id":"u1"}"#)
        #expect(try code(server, isWebSocket: isWebSocket, good) == 4003)
        #expect(try server.metric(#"tiffin_live_handshakes_total{outcome="token_expired"}"#) == 100)
    }

    @Test("a foreign page, a faulty request and an unknown path keep their status", arguments: [true, false])
    func statuses(isWebSocket: Bool) throws {
        let server = try LiveServer(Self.settings)
        let foreign = [("Cookie", "sid=\(Browser.token(server))"), ("Origin", "https://evil.example")]
        #expect(try Browser.status(server, isWebSocket: isWebSocket, foreign) == 403)
        #expect(
            try Browser.status(server, isWebSocket: isWebSocket, [], target: "/restaurants/88/events?token=x") == 400)
        #expect(try Browser.status(server, isWebSocket: isWebSocket, [], target: "/restaurants/88") == 404)
    }

    @Test("with statuses, a dead token ends the stream for good: 401, a short body, the end (B58)")
    func statusOnExpiry() throws {
        let clock = SteppedClock()
        let server = try LiveServer(Browser.settings + [#"expiry.jitter="0s""#], clock: clock)
        let token = Browser.token(server, ttl: 10)
        let stream = try server.connect().openEventStream("/restaurants/88/events", headers: cookie(token))
        let welcome = try #require(try stream.nextEvent())
        #expect(welcome.retry != nil)
        let id = try server.publish("restaurants:88", "1")
        #expect(try stream.nextEvent()?.id == id)
        try server.advance(clock, by: 11 * .second)
        #expect(try stream.nextEvent()?.data == #"{"code":4001,"reason":"token_expired"}"#)
        #expect(try stream.nextEvent() == nil)
        #expect(stream.ending == .lastChunk)
        for _ in 0..<20 {
            let client = try server.connect()
            let response = try client.get("/restaurants/88/events", headers: cookie(token))
            #expect(response.status == 401)
            #expect(response.only("Content-Type") == "application/json")
            #expect(response.body.count < 100)
            #expect(try client.expectEnd() == .finished)
        }
        let missed = try server.publish("restaurants:88", "2")
        let resumed = try server.connect().openEventStream(
            "/restaurants/88/events", lastEventID: id, headers: cookie(Browser.token(server)))
        #expect(try resumed.nextEvent()?.id == id)
        #expect(try resumed.nextEvent()?.id == missed)
    }
}
