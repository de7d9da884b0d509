import Testing

@testable import TiffinLiveCore

@Suite("Contract 5: handshakes that are refused")
struct HandshakeRefusalTests {
    typealias Harness = SessionHarness

    static let malformed: [RefusalCase] = [
        RefusalCase("no HTTP at all", 400, "bad_request") { _ in Array("hello\r\n\r\n".utf8) },
        RefusalCase("no Host", 400, "bad_request") { _ in Array("GET /rider/socket HTTP/1.1\r\n\r\n".utf8) },
        RefusalCase("HTTP/2.0", 505, "version_not_supported") { _ in
            Harness.request("GET", "/rider/socket", version: "HTTP/2.0")
        },
        RefusalCase("a head over the limit", 431, "head_too_large") { _ in
            Harness.upgrade("/rider/socket", headers: [("X-Filler", String(repeating: "x", count: 40_000))])
        },
        RefusalCase("a request line over the limit", 414, "uri_too_long") { _ in
            Harness.upgrade("/rider/socket?x=" + String(repeating: "x", count: 40_000))
        },
        RefusalCase("a body in front of frames", 400, "bad_request") {
            Harness.upgrade("/rider/socket", token: $0.token(), headers: [("Content-Length", "10485760")])
        },
        RefusalCase("a chunked body in front of frames", 400, "bad_request") {
            Harness.upgrade("/rider/socket", token: $0.token(), headers: [("Transfer-Encoding", "chunked")])
        },
        RefusalCase("a body of an event stream's request", 400, "bad_request") {
            Harness.stream("/orders/123/events", token: $0.token(), headers: [("Content-Length", "3")])
        },
        RefusalCase("two lengths", 400, "bad_request") { _ in
            Harness.upgrade("/rider/socket", headers: [("Content-Length", "1"), ("Content-Length", "2")])
        },
        RefusalCase("no key", 400, "bad_request") {
            Harness.upgrade("/rider/socket", token: $0.token(), headers: [("Sec-WebSocket-Key", "")])
        },
        RefusalCase("a key of 15 bytes", 400, "bad_request") {
            Harness.upgrade(
                "/rider/socket", token: $0.token(), headers: [("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25j")])
        },
        RefusalCase("Upgrade without Connection", 400, "bad_request") {
            Harness.upgrade("/rider/socket", token: $0.token(), headers: [("Connection", "keep-alive")])
        },
        RefusalCase("an upgrade in HTTP/1.0", 400, "bad_request") { harness in
            let text = String(decoding: Harness.upgrade("/rider/socket", token: harness.token()), as: UTF8.self)
            return Array(text.replacing("HTTP/1.1", with: "HTTP/1.0").utf8)
        },
    ]

    static let routed: [RefusalCase] = [
        RefusalCase("no such route", 404, "not_found") { Harness.upgrade("/", token: $0.token()) },
        RefusalCase("a route with a slash too many", 404, "not_found") {
            Harness.upgrade("/rider/socket/", token: $0.token())
        },
        RefusalCase("a route in capitals", 404, "not_found") { Harness.upgrade("/RIDER/socket", token: $0.token()) },
        RefusalCase("a variable with a slash in it", 404, "not_found") {
            Harness.stream("/orders/1%2F2/events", token: $0.token())
        },
        RefusalCase("a variable that is two dots", 404, "not_found") {
            Harness.stream("/orders/../events", token: $0.token())
        },
        RefusalCase("a variable of 129 bytes", 404, "not_found") {
            Harness.stream("/orders/\(String(repeating: "1", count: 129))/events", token: $0.token())
        },
        RefusalCase("a variable with an asterisk", 404, "not_found") {
            Harness.stream("/orders/12*/events", token: $0.token())
        },
        RefusalCase("POST", 405, "method_not_allowed", fields: ["Allow": "GET"]) { _ in
            Harness.request("POST", "/rider/socket", headers: [("Content-Length", "0")])
        },
        RefusalCase("DELETE", 405, "method_not_allowed", fields: ["Allow": "GET"]) { _ in
            Harness.request("DELETE", "/orders/123/events")
        },
        RefusalCase("POST of a health check", 405, "method_not_allowed", fields: ["Allow": "GET, HEAD"]) { _ in
            Harness.request("POST", "/healthz")
        },
        RefusalCase(
            "WebSocket version 8", 426, "upgrade_required",
            fields: ["Sec-WebSocket-Version": "13", "Upgrade": "websocket"]
        ) { Harness.upgrade("/rider/socket", token: $0.token(), headers: [("Sec-WebSocket-Version", "8")]) },
        RefusalCase("no version", 426, "upgrade_required", fields: ["Sec-WebSocket-Version": "13"]) {
            Harness.upgrade("/rider/socket", token: $0.token(), headers: [("Sec-WebSocket-Version", "")])
        },
        RefusalCase("an upgrade that is missing", 426, "upgrade_required", fields: ["Upgrade": "websocket"]) {
            Harness.stream("/rider/socket", token: $0.token())
        },
        RefusalCase("an upgrade to something else", 426, "upgrade_required", fields: ["Upgrade": "websocket"]) {
            Harness.upgrade("/rider/socket", token: $0.token(), headers: [("Upgrade", "h2c")])
        },
    ]

    static let unauthorized: [RefusalCase] = [
        RefusalCase("no credential", 401, "missing_token", fields: ["WWW-Authenticate": "Bearer"]) { _ in
            Harness.upgrade("/rider/socket")
        },
        RefusalCase("another scheme", 401, "missing_token", fields: ["WWW-Authenticate": "Bearer"]) { _ in
            Harness.upgrade("/rider/socket", headers: [("Authorization", "Basic YTpi")])
        },
        RefusalCase("a ticket where none is taken", 401, "missing_token", fields: ["WWW-Authenticate": "Bearer"]) { _ in
            Harness.upgrade("/rider/socket?ticket=abc")
        },
        RefusalCase(
            "a bearer without a token", 401, "invalid_token", fields: ["WWW-Authenticate": challenge("is not valid")]
        ) { _ in Harness.upgrade("/rider/socket", headers: [("Authorization", "Bearer ")]) },
        RefusalCase(
            "a token that is none", 401, "invalid_token", fields: ["WWW-Authenticate": challenge("is not valid")]
        ) { _ in Harness.upgrade("/rider/socket", token: "abc") },
        RefusalCase(
            "a forged token", 401, "invalid_token", fields: ["WWW-Authenticate": challenge("is not valid")]
        ) { Harness.upgrade("/rider/socket", token: TokenFactory(.HS256).token(exp: $0.seconds + 900)) },
        RefusalCase(
            "an expired token", 401, "token_expired", fields: ["WWW-Authenticate": challenge("has expired")]
        ) { Harness.upgrade("/rider/socket", token: $0.token(ttl: 0)) },
        RefusalCase(
            "a token with more life than the cap", 401, "invalid_token",
            fields: ["WWW-Authenticate": challenge("is not valid")]
        ) { Harness.upgrade("/rider/socket", token: $0.token(ttl: 3601)) },
        RefusalCase(
            "an unknown ticket", 401, "ticket_invalid",
            fields: ["WWW-Authenticate": #"Bearer error="invalid_token", error_description="The ticket is not valid""#]
        ) { _ in Harness.stream("/restaurants/88/events?ticket=abc") },
        RefusalCase("an event stream's expired token", 401, "token_expired") {
            Harness.stream("/orders/123/events", token: $0.token("7001", role: "customer", ttl: -5))
        },
    ]

    static let otherRefusals: [RefusalCase] = [
        RefusalCase("a token in the query", 400, "token_in_url") {
            Harness.upgrade("/rider/socket?token=\($0.token())", token: $0.token())
        },
        RefusalCase("a token in the query under another name", 400, "token_in_url") {
            Harness.stream("/orders/123/events?x=\($0.token())", token: $0.token())
        },
        RefusalCase("an empty access_token", 400, "token_in_url") {
            Harness.upgrade("/rider/socket?access_token=", token: $0.token())
        },
        RefusalCase("two tokens", 400, "bad_request") {
            Harness.upgrade("/rider/socket", token: $0.token(), headers: [("Authorization", "Bearer abc")])
        },
        RefusalCase("two tickets that differ", 400, "bad_request") { _ in
            Harness.stream("/restaurants/88/events?ticket=a&ticket=b")
        },
        RefusalCase("another role", 403, "forbidden") {
            Harness.upgrade("/rider/socket", token: $0.token("5521", role: "customer"))
        },
        RefusalCase("no role", 403, "forbidden") { Harness.upgrade("/rider/socket", token: $0.token(role: nil)) },
        RefusalCase("a sub that names no topic", 403, "forbidden") {
            Harness.upgrade("/rider/socket", token: $0.token("5521:x"))
        },
        RefusalCase("an order that nobody owns", 403, "forbidden") {
            Harness.stream("/orders/124/events", token: $0.token("7001", role: "customer"))
        },
        RefusalCase("another's order", 403, "forbidden") {
            Harness.stream("/orders/123/events", token: $0.token("7002", role: "customer"))
        },
        RefusalCase("a restaurant that is not in the claim", 403, "forbidden") {
            Harness.stream(
                "/restaurants/88/events",
                token: $0.token("1", role: "restaurant", extra: ["restaurants": ["87", "889"]]))
        },
    ]

    static func challenge(_ what: String) -> String {
        #"Bearer error="invalid_token", error_description="The token \#(what)""#
    }

    @Test(
        "are answered with a status, a JSON body and the end",
        arguments: malformed + routed + unauthorized + otherRefusals)
    func refused(_ refusal: RefusalCase) throws {
        let harness = try SessionHarness()
        harness.own("123", by: "7001")
        let client = try harness.connect()
        client.send(refusal.request(harness))
        let response = try client.lastResponse()
        #expect(response.status == refusal.status)
        #expect(response.text == #"{"error":"\#(refusal.error)"}"#)
        #expect(response.only("Content-Type") == "application/json")
        #expect(response.only("Connection")?.lowercased().contains("close") == true || refusal.status == 426)
        #expect(response.only("Date") != nil)
        for (name, value) in refusal.fields { #expect(response.values(name).contains(value), "\(name)") }
        #expect(client.refused.count == 1)
        #expect(client.refused.first?.status == refusal.status)
        #expect(client.refused.first?.error == refusal.error)
        #expect(client.ended == 1)
        #expect(client.opened == 0)
        #expect(client.session.ending == .refused)
        #expect(client.topics.isEmpty)
    }

    @Test("say WWW-Authenticate with 401 only", arguments: malformed + routed + unauthorized + otherRefusals)
    func challengeOnlyWith401(_ refusal: RefusalCase) throws {
        let harness = try SessionHarness()
        harness.own("123", by: "7001")
        let client = try harness.connect()
        client.send(refusal.request(harness))
        let response = try client.response()
        #expect((response.only("WWW-Authenticate") != nil) == (response.status == 401))
    }

    @Test(
        "come out the same however the request is cut",
        arguments: [malformed[5], routed[8], unauthorized[5], otherRefusals[3]])
    func cut(_ refusal: RefusalCase) throws {
        let harness = try SessionHarness()
        let request = refusal.request(harness)
        try ChunkedFeed.check(request, randomRounds: 4) { pieces in
            let client = try harness.connect()
            client.send(pieces: pieces)
            return try client.lastResponse().status
        }
    }

    @Test("end the connection: what was pipelined behind is never served", arguments: malformed + routed + unauthorized)
    func nothingBehind(_ refusal: RefusalCase) throws {
        let harness = try SessionHarness()
        let client = try harness.connect()
        client.send(
            refusal.request(harness) + SessionHarness.request("GET", "/healthz") + ClientFrame.ping("x").bytes)
        _ = try client.lastResponse()
        client.send(SessionHarness.request("GET", "/healthz"))
        client.send(SessionHarness.upgrade("/rider/socket", token: harness.token()))
        try client.expectEnd()
        #expect(client.answered.isEmpty)
        #expect(client.opened == 0)
    }

    @Test("never repeat the token, the ticket or the path")
    func noEcho() throws {
        let harness = try SessionHarness()
        for (path, token) in [
            ("/rider/socket", "SECRET.SECRET.SECRET"), ("/SECRET", "x"), ("/restaurants/1/events?ticket=SECRET", ""),
        ] {
            let client = try harness.connect()
            client.send(SessionHarness.upgrade(path, token: token.isEmpty ? nil : token))
            #expect(!String(decoding: client.pending, as: UTF8.self).contains("SECRET"))
        }
    }
}
