import Testing

@testable import TiffinLiveCore

@Suite("Contract 4: what other origins may read")
struct BrowserFieldsTests {
    typealias Harness = SessionHarness
    private static let page = CookieTests.page

    private func corsFields(_ response: RawResponse) -> [String] {
        ["Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Vary"].flatMap { response.values($0) }
    }

    @Test(
        "answers and errors of streams and tickets carry the fields for a listed origin",
        arguments: [
            ("GET", "/orders/123/events", 401), ("GET", "/orders/123/events?token=x", 400),
            ("PUT", "/orders/123/events", 405), ("HEAD", "/orders/123/events", 405), ("POST", "/live/tickets", 401),
            ("GET", "/live/tickets", 405),
        ])
    func errors(method: String, target: String, status: Int) throws {
        let harness = try Harness(CookieTests.settings)
        let client = try harness.connect()
        client.send(Harness.request(method, target, headers: [("Origin", Self.page)]))
        let response = try client.response(headOnly: method == "HEAD")
        #expect(response.status == status)
        #expect(corsFields(response) == [Self.page, "true", "Origin"])
        #expect(response.only("Access-Control-Expose-Headers") == "Retry-After, WWW-Authenticate")
    }

    @Test("another origin gets no leave to read, and caches are told", arguments: ["https://evil.example", nil])
    func others(origin: String?) throws {
        let harness = try Harness(CookieTests.settings)
        let client = try harness.connect()
        client.send(Harness.stream("/orders/123/events", headers: origin.map { [("Origin", $0)] } ?? []))
        #expect(corsFields(try client.lastResponse()) == ["Origin"])
    }

    @Test("a stream for a bearer token of a listed page carries them too; with no list there are none")
    func streams() throws {
        for (settings, expected) in [(CookieTests.settings, [Self.page, "true", "Origin"]), ([], [])] {
            let harness = try Harness(settings)
            harness.own("123", by: "7001")
            let client = try harness.connect()
            client.send(
                Harness.stream(
                    "/orders/123/events", token: harness.token("7001", role: "customer"),
                    headers: [("Origin", Self.page)]))
            let response = try client.response(headOnly: true)
            #expect(response.status == 200)
            #expect(corsFields(response) == expected)
        }
    }

    @Test("a WebSocket has no such fields")
    func webSocket() throws {
        let harness = try Harness(CookieTests.settings)
        let client = try harness.connect()
        client.send(Harness.upgrade("/orders/123/events", headers: [("Origin", Self.page)]))
        let response = try client.lastResponse()
        #expect(response.status == 401)
        #expect(corsFields(response).isEmpty)
    }

    @Test(
        "a preflight is answered, and the request itself may follow on the connection",
        arguments: [("/orders/123/events", "GET"), ("/live/tickets", "POST")])
    func preflight(target: String, method: String) throws {
        let harness = try Harness(CookieTests.settings)
        let client = try harness.connect()
        let headers = [
            ("Origin", Self.page), ("Access-Control-Request-Method", method),
            ("Access-Control-Request-Headers", "authorization"),
        ]
        let preflight = Harness.request("OPTIONS", target, headers: headers)
        client.send(preflight + preflight)
        for _ in 0..<2 {
            let response = try client.response(headOnly: true)
            #expect(response.status == 204)
            #expect(corsFields(response) == [Self.page, "true", "Origin"])
            #expect(response.only("Access-Control-Allow-Methods") == method)
            #expect(
                response.only("Access-Control-Allow-Headers") == "authorization, content-type, last-event-id")
            #expect(response.only("Access-Control-Max-Age") == "600")
            #expect(response.only("Content-Length") == nil)
        }
        #expect(client.pending.isEmpty)
        #expect(!client.hasSentEnd)
        client.send(Harness.request(method, target, headers: [("Origin", Self.page)]))
        #expect(try client.lastResponse().status == 401)
    }

    @Test("a preflight of another page is 403, OPTIONS of another kind 405")
    func otherOptions() throws {
        let harness = try Harness(CookieTests.settings)
        for (target, headers, status) in [
            (
                "/orders/123/events", [("Origin", "https://evil.example"), ("Access-Control-Request-Method", "GET")],
                403
            ),
            ("/live/tickets", [("Origin", "null"), ("Access-Control-Request-Method", "POST")], 403),
            ("/orders/123/events", [("Origin", Self.page)], 405), ("/live/tickets", [], 405),
            ("/rider/socket", [("Origin", Self.page), ("Access-Control-Request-Method", "GET")], 405),
        ] {
            let client = try harness.connect()
            client.send(Harness.request("OPTIONS", target, headers: headers))
            #expect(try client.lastResponse().status == status)
        }
    }
}
