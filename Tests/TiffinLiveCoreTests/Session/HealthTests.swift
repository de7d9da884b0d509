import Testing

@testable import TiffinLiveCore

@Suite("Contract 11: health on the public listener")
struct HealthTests {
    @Test("one word each, as plain text and not for caches", arguments: [("/healthz", "ok\n"), ("/readyz", "ready\n")])
    func words(path: String, word: String) throws {
        let client = try SessionHarness().connect()
        client.send(SessionHarness.request("GET", path))
        let response = try client.response()
        #expect(response.status == 200)
        #expect(response.text == word)
        #expect(response.only("Content-Type") == "text/plain; charset=utf-8")
        #expect(response.only("Cache-Control") == "no-store")
        #expect(response.only("Connection") == nil)
        #expect(client.answered == [200])
        #expect(!client.hasSentEnd)
    }

    @Test("HEAD gets the same head without the body", arguments: ["/healthz", "/readyz"])
    func head(path: String) throws {
        let client = try SessionHarness().connect()
        client.send(SessionHarness.request("HEAD", path))
        let response = try client.response(headOnly: true)
        #expect(response.status == 200)
        #expect(response.only("Content-Length") == (path == "/healthz" ? "3" : "6"))
        #expect(client.pending.isEmpty)
    }

    @Test("keeps alive, and pipelined requests are answered in order")
    func keepAlive() throws {
        let harness = try SessionHarness()
        let client = try harness.connect()
        let three =
            SessionHarness.request("GET", "/healthz") + SessionHarness.request("HEAD", "/readyz")
            + SessionHarness.request("GET", "/readyz")
        client.send(three)
        #expect(try client.response().text == "ok\n")
        #expect(try client.response(headOnly: true).status == 200)
        #expect(try client.response().text == "ready\n")
        harness.advance(seconds: 9)
        client.send(SessionHarness.request("GET", "/healthz"))
        #expect(try client.response().text == "ok\n")
        #expect(client.answered == [200, 200, 200, 200])
    }

    @Test("a WebSocket may follow on the connection of a health check, its frames in the same segment")
    func upgradeBehind() throws {
        let harness = try SessionHarness()
        let client = try harness.connect()
        client.send(
            SessionHarness.request("GET", "/healthz")
                + SessionHarness.upgrade("/rider/socket", token: harness.token()) + ClientFrame.ping("A").bytes)
        #expect(try client.response().status == 200)
        #expect(try client.response().status == 101)
        #expect(try client.frames().map(\.opcode) == [RawFrame.text, RawFrame.pong])
    }

    @Test("an error behind a HEAD has its body")
    func bodyBehindHead() throws {
        let client = try SessionHarness().connect()
        client.send(SessionHarness.request("HEAD", "/healthz") + Array("nonsense\r\n\r\n".utf8))
        _ = try client.response(headOnly: true)
        #expect(try client.lastResponse().text == #"{"error":"bad_request"}"#)
    }

    @Test("a refused HEAD of a route has no body")
    func refusedHead() throws {
        let client = try SessionHarness().connect()
        client.send(SessionHarness.request("HEAD", "/nowhere"))
        #expect(try client.lastResponse(headOnly: true).status == 404)
    }

    @Test(
        "ends the connection when the client wants it or cannot tell where the next request begins",
        arguments: [
            SessionHarness.request("GET", "/healthz", headers: [("Connection", "close")]),
            SessionHarness.request("GET", "/healthz", version: "HTTP/1.0"),
            SessionHarness.request("GET", "/healthz", headers: [("Content-Length", "4")]),
        ])
    func closes(request: [UInt8]) throws {
        let client = try SessionHarness().connect()
        client.send(request + SessionHarness.request("GET", "/healthz"))
        let response = try client.lastResponse()
        #expect(response.status == 200)
        #expect(response.only("Connection") == "close")
        #expect(client.session.ending == .clientClosed)
    }

    @Test("HTTP/1.0 may ask to keep alive")
    func keepAliveInHTTP10() throws {
        let client = try SessionHarness().connect()
        client.send(
            SessionHarness.request("GET", "/healthz", version: "HTTP/1.0", headers: [("Connection", "keep-alive")]))
        #expect(try client.response().only("Connection") == "keep-alive")
        #expect(!client.hasSentEnd)
    }

    @Test("readyz is 503 while the backend is away or the server drains; healthz stays 200")
    func readiness() throws {
        for isDraining in [false, true] {
            let harness = try SessionHarness()
            harness.context.isReady = isDraining
            harness.context.isDraining = isDraining
            let client = try harness.connect()
            client.send(SessionHarness.request("GET", "/readyz"))
            let response = try client.response()
            #expect(response.status == 503)
            #expect(response.text == "not ready\n")
            #expect(client.hasSentEnd == isDraining, "a draining server gives connections up")
            let other = try harness.connect()
            other.send(SessionHarness.request("GET", "/healthz"))
            #expect(try other.response().status == 200)
        }
    }

    @Test("an idle connection ends without a word after the handshake time, counted from the last answer")
    func idle() throws {
        let harness = try SessionHarness()
        let client = try harness.connect()
        harness.advance(seconds: 9.9)
        client.send(SessionHarness.request("GET", "/healthz"))
        _ = try client.response()
        harness.advance(seconds: 9.9)
        #expect(!client.hasSentEnd)
        harness.advance(seconds: 0.2)
        try client.expectEnd()
        #expect(client.session.ending == .handshakeTimeout)
        #expect(client.refused.isEmpty)
    }
}
