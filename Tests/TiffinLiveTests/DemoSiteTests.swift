import Testing

@testable import TiffinLive
@testable import TiffinLiveCore

/// The page's server of the demo, beside a real live server on free ports.
@Suite(.serialized)
struct DemoSiteTests {
    private static let home = "127.0.0.1:9"
    private static let other = "localhost:9"

    private final class Running {
        let demo: DemoServer
        let site: DemoSite

        init() throws {
            demo = try DemoServer.start(port: 0, pageOrigin: "http://\(home)")
            site = DemoSite(home: home, others: [other], demo: demo, operations: DemoOperations(demo))
            try site.operations.fillStore()
        }

        deinit {
            demo.end()
        }

        func get(_ path: String, host: String = home) throws -> HTTPResponse {
            site.answer(try request("GET", path, [("Host", host)]), [])
        }

        func post(_ path: String, _ body: String = "{}", origin: String? = "http://\(home)") throws -> HTTPResponse {
            var fields = [("Host", home)]
            if let origin { fields.append(("Origin", origin)) }
            return site.answer(try request("POST", path, fields), Array(body.utf8))
        }

        private func request(_ method: String, _ path: String, _ fields: [(String, String)]) throws -> HTTPRequest {
            let lines = fields.map { "\($0): \($1)\r\n" }.joined()
            var decoder = HTTPRequestDecoder()
            return try Array("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n".utf8).withUnsafeBytes {
                var consumed = 0
                return try #require(try decoder.receive($0, consumed: &consumed))
            }
        }
    }

    @Test func `The page is served under its own name alone, and another page under the others`() throws {
        let running = try Running()
        let page = try running.get("/")
        #expect(page.status == 200)
        #expect(String(decoding: page.body, as: UTF8.self).contains("What the wire said"))
        let stranger = try running.get("/", host: Self.other)
        #expect(String(decoding: stranger.body, as: UTF8.self).contains("not on the list"))
        #expect(try running.get("/", host: "evil.example").status == 421)
        #expect(try running.get("/nowhere").status == 404)
        #expect(try running.get("/a/b").status == 404)
        #expect(try running.get("/connections", host: Self.other).status == 404)
    }

    @Test(arguments: ["session", "token", "suspend", "restart"])
    func `Only the page itself can press a button or sign in`(action: String) throws {
        let running = try Running()
        for origin in [nil, "null", "http://\(Self.other)", "http://\(Self.home).evil.example"] {
            #expect(try running.post("/\(action)", #"{"role":"rider"}"#, origin: origin).status == 403)
        }
        #expect(!running.site.operations.isRiderSuspended)
        #expect(try running.get("/\(action)").status == 404)
    }

    @Test func `The customer gets a cookie that no script can read, and a life within bounds`() throws {
        let running = try Running()
        let response = try running.post("/session", #"{"life":8}"#)
        let cookie = try #require(response.fields.first { $0.name == "Set-Cookie" }?.value)
        #expect(cookie.hasPrefix("tiffin_session=eyJ"))
        #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax"))
        #expect(String(decoding: response.body, as: UTF8.self) == #"{"expires_in":8}"#)
        for (wish, life) in [("99999", 90), ("-99999", -60), ("true", 90), ("1e400", 90)] {
            let body = try running.post("/session", #"{"life":\#(wish)}"#).body
            #expect(String(decoding: body, as: UTF8.self) == #"{"expires_in":\#(life)}"#, "\(wish)")
        }
        #expect(try running.post("/session", "no JSON").status == 200)
    }

    @Test func `A suspended rider gets no token until the suspension is lifted, and a restart forgets nothing of it`()
        throws
    {
        let running = try Running()
        let rider = #"{"role":"rider"}"#
        #expect(try running.post("/token", rider).status == 200)
        #expect(try running.post("/suspend").status == 200)
        #expect(try running.post("/token", rider).status == 403)
        #expect(try running.post("/token", #"{"role":"restaurant"}"#).status == 200)
        #expect(try running.post("/token", #"{"role":"operator"}"#).status == 400)
        #expect(try running.demo.restart())
        try running.site.operations.fillStore()
        let about = try JSONReader.read(try running.get("/about").body)
        #expect(about["suspended"] == true)
        #expect(about["live"] == .string("http://\(running.demo.address)"))
        #expect(try running.post("/pardon").status == 200)
        #expect(try running.post("/token", rider).status == 200)
    }

    @Test func `Taking the rider off the order ends the trip on the open connection alone`() throws {
        let running = try Running()
        let opening = try WebSocketClient.open(
            running.demo.address, "/rider/socket", token: try running.demo.token("5521", "rider"))
        guard case .opened(let socket) = opening else {
            Issue.record("the rider was refused")
            return
        }
        func next() throws -> JSONValue {
            guard case .text(let text) = try socket.next(by: Deadline(after: 30)) else { return .null }
            return try JSONReader.read(Array(text.utf8))
        }
        #expect(try next()["type"] == "welcome")
        try socket.send(["type": "subscribe", "topic": "trips:123"])
        #expect(try next()["type"] == "subscribed")
        #expect(try running.post("/unassign").status == 200)
        let lost = try next()
        #expect(lost["type"] == "unsubscribed")
        #expect(lost["topic"] == "trips:123")
        try socket.send(["type": "subscribe", "topic": "trips:123"])
        #expect(try next()["error"] == "forbidden")
        #expect(try running.post("/assign").status == 200)
        // The denial is forgotten once the worker has heard of it.
        let patience = Deadline(after: 30)
        repeat {
            try socket.send(["type": "subscribe", "topic": "trips:123"])
        } while try next()["type"] != "subscribed" && !patience.hasPassed
        #expect(!patience.hasPassed)
        let entry = try #require(try JSONReader.read(try running.get("/connections").body).arrayValue?.first)
        #expect(entry["user"] == "5521")
        #expect(entry["remote"] == nil)
    }
}
