import Testing

@testable import TiffinLiveCore

@Suite("Contract 5: a route that refuses by a close code")
struct RefuseByCloseTests {
    typealias Harness = SessionHarness

    private static let settings =
        CookieTests.settings + [
            #"routes."/orders/{order}/events".refuse="close""#, #"routes."/rider/socket".refuse="close""#,
            #"limits.forged={rate:1,burst:1}"#,
        ]

    private struct Refused {
        let code: Int
        let reason: String
        let retry: Int?
    }

    private func refusal(_ client: HarnessClient, isWebSocket: Bool) throws -> Refused {
        if isWebSocket {
            #expect(try client.response().status == 101)
            let frames = try client.frames()
            try client.expectEnd()
            let frame = try #require(frames.first)
            #expect(frames.count == 1)
            #expect(frame.opcode == RawFrame.close)
            let parts = parts(ofReason: String(decoding: frame.payload.dropFirst(2), as: UTF8.self))
            return Refused(
                code: Int(frame.payload[0]) << 8 | Int(frame.payload[1]), reason: parts.word, retry: parts.retry)
        }
        try client.readStreamHead()
        let blocks = try client.blocks()
        #expect(blocks.count == 1)
        #expect(client.isStreamOver, "the last chunk")
        let block = try #require(blocks.first)
        #expect(block.event == "close")
        let data = try JSONReader.read(Array((block.data ?? "").utf8))
        let retry = block.retry.flatMap { Int($0) }
        let parts = parts(ofReason: data["reason"]?.stringValue ?? "")
        // A page cannot read `retry:`; a time that the reason names is the same.
        if let named = parts.retry { #expect(named == retry) }
        let code = Int(data["code"]?.numberValue?.int64 ?? 0)
        #expect((parts.retry != nil) == (code == 4029 || code == 1013))
        return Refused(code: code, reason: parts.word, retry: retry)
    }

    private func parts(ofReason reason: String) -> (word: String, retry: Int?) {
        let parts = reason.split(separator: "; retry=")
        return (String(parts[0]), parts.count > 1 ? Int(parts[1]) : nil)
    }

    private func client(
        _ harness: Harness, isWebSocket: Bool, token: String?, order: String = "123", headers: [(String, String)] = []
    ) throws -> HarnessClient {
        harness.own("123", by: "7001")
        let client = try harness.connect()
        let target = "/orders/\(order)/events"
        client.send(
            isWebSocket
                ? Harness.upgrade(target, token: token, headers: headers)
                : Harness.stream(target, token: token, headers: headers))
        return client
    }

    @Test("a credential that is missing, bad or expired is 4001, a revoked one 4003", arguments: [true, false])
    func unauthorized(isWebSocket: Bool) throws {
        let harness = try Harness(Self.settings)
        let good = harness.token("7001", role: "customer")
        let expired = harness.token("7001", role: "customer", ttl: -1)
        for (token, reason) in [(nil, "missing_token"), (expired, "token_expired"), ("x.y.z", "invalid_token")] {
            let client = try client(harness, isWebSocket: isWebSocket, token: token)
            let refused = try refusal(client, isWebSocket: isWebSocket)
            #expect(refused.code == 4001)
            #expect(refused.reason == reason)
            if !isWebSocket { #expect((15_000...30_000).contains(try #require(refused.retry))) }
            #expect(client.refused.first?.status == 401)
            #expect(client.refused.first?.error == reason)
            #expect(client.registrations == 0)
            #expect(client.opened == 0)
        }
        try harness.revoke(#"{"user_id":7001}"#)
        let refused = try refusal(
            try client(harness, isWebSocket: isWebSocket, token: good), isWebSocket: isWebSocket)
        #expect(refused.code == 4003)
        #expect(refused.reason == "revoked")
    }

    @Test("what is somebody else's is 4004", arguments: [true, false])
    func forbidden(isWebSocket: Bool) throws {
        let harness = try Harness(Self.settings)
        for token in [harness.token("7002", role: "customer"), harness.token("7001", role: "rider")] {
            let refused = try refusal(
                try client(harness, isWebSocket: isWebSocket, token: token), isWebSocket: isWebSocket)
            #expect(refused.code == 4004)
            #expect(refused.reason == "forbidden")
        }
    }

    @Test("limits are 4029, shortage 1013, each with a time to come back", arguments: [true, false])
    func shortage(isWebSocket: Bool) throws {
        for (outcome, code, reason) in [
            (RegistrationOutcome.userLimit, 4029, "rate_limited"), (.addressLimit, 4029, "rate_limited"),
            (.full, 1013, "full"),
        ] {
            let harness = try Harness(Self.settings)
            harness.registration = outcome
            let client = try client(harness, isWebSocket: isWebSocket, token: harness.token("7001", role: "customer"))
            let refused = try refusal(client, isWebSocket: isWebSocket)
            #expect(refused.code == code)
            #expect(refused.reason == reason)
            #expect(try #require(refused.retry) >= 1000)
        }
        let harness = try Harness(Self.settings)
        harness.lookUps = .failing
        let down = try client(harness, isWebSocket: isWebSocket, token: harness.token("7001", role: "customer"))
        #expect(try refusal(down, isWebSocket: isWebSocket).code == 1013)
        harness.context.isDraining = true
        let draining = try client(harness, isWebSocket: isWebSocket, token: nil)
        #expect(try refusal(draining, isWebSocket: isWebSocket).reason == "draining")
    }

    @Test("a source of forged signatures is 4029", arguments: [true, false])
    func forged(isWebSocket: Bool) throws {
        let harness = try Harness(Self.settings)
        var codes: [Int] = []
        for number in 0..<4 {
            let token = TokenFactory(.HS256).token(sub: "\(number)", exp: harness.seconds + 900)
            let client = try client(harness, isWebSocket: isWebSocket, token: token)
            codes.append(try refusal(client, isWebSocket: isWebSocket).code)
        }
        #expect(codes.first == 4001)
        #expect(codes.last == 4029)
    }

    @Test("a faulty request and a foreign page keep their status", arguments: [true, false])
    func statuses(isWebSocket: Bool) throws {
        let harness = try Harness(Self.settings)
        let cookie = [("Cookie", "sid=\(harness.token("7001", role: "customer"))"), ("Origin", "https://evil.example")]
        let foreign = try client(harness, isWebSocket: isWebSocket, token: nil, headers: cookie)
        #expect(try foreign.lastResponse().status == 403)
        let doubled = try client(
            harness, isWebSocket: isWebSocket, token: "a", headers: [("Authorization", "Bearer b")])
        #expect(try doubled.lastResponse().status == 400)
        let unknown = try client(harness, isWebSocket: isWebSocket, token: nil, order: "..")
        #expect(try unknown.lastResponse().status == 404)
        let version = try harness.connect()
        version.send(Harness.upgrade("/rider/socket", headers: [("Sec-WebSocket-Version", "8")]))
        #expect(try version.lastResponse().status == 426)
        let method = try harness.connect()
        method.send(Harness.request("POST", "/orders/123/events"))
        #expect(try method.lastResponse().status == 405)
    }

    @Test("frames behind such a handshake are never obeyed, and the peer's close ends it")
    func pipelined() throws {
        let harness = try Harness(Self.settings)
        let client = try harness.connect()
        client.send(Harness.upgrade("/rider/socket") + ClientFrame.text(#"{"type":"ping"}"#).bytes)
        #expect(try refusal(client, isWebSocket: true).code == 4001)
        client.send(.text(#"{"type":"ping"}"#))
        #expect(client.pending.isEmpty)
        client.sendEnd()
        #expect(client.session.isClosed)
        #expect(client.ended == 1)
    }

    @Test("an HTTP/1.0 stream is refused without chunks")
    func http10() throws {
        let harness = try Harness(Self.settings)
        let client = try harness.connect()
        client.send(Harness.stream("/orders/123/events", version: "HTTP/1.0"))
        let response = try client.response(headOnly: true)
        #expect(response.status == 200)
        #expect(response.only("Transfer-Encoding") == nil)
        #expect(String(decoding: client.pending, as: UTF8.self).contains("event: close\ndata: {\"code\":4001"))
        #expect(client.hasSentEnd)
    }
}
