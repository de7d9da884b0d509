import Testing

@testable import TiffinLiveCore

@Suite("Contract 7.1: from the credential to the open session")
struct AdmissionTests {
    static let customer: @Sendable (SessionHarness) -> [UInt8] = { harness in
        SessionHarness.upgrade("/orders/123/events", token: harness.token("7001", role: "customer"))
    }

    @Test("the welcome names the connection, the user, the time left and the heartbeat, in this order")
    func welcome() throws {
        let harness = try SessionHarness([#"heartbeat={ping:"25s"}"#])
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/rider/socket", token: harness.token()))
        let response = try client.response()
        #expect(response.only("Sec-WebSocket-Accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(response.only("Sec-WebSocket-Extensions") == nil)
        let name = ServerMessage.name(ofConnection: client.session.id)
        let expected = #"{"type":"welcome","connection":"\#(name)","user":"5521","expires_in":900,"heartbeat":25}"#
        #expect(try client.texts() == [expected])
        #expect(client.opened == 1)
        #expect(client.topics == ["riders:5521"])
        #expect(client.session.transport == .websocket)
    }

    @Test("a numeric sub and the same text are one user")
    func numericUser() throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket(token: harness.tokens.token(sub: 5521, exp: harness.seconds + 60))
        #expect(client.welcome["user"] == "5521")
        #expect(client.topics == ["riders:5521"])
    }

    @Test("connections have names of their own")
    func names() throws {
        let harness = try SessionHarness()
        let clients = try (0..<50).map { _ in try harness.openWebSocket() }
        #expect(Set(clients.compactMap { $0.welcome["connection"]?.stringValue }).count == 50)
    }

    @Test(
        "a subprotocol is ours or none, never what else was offered",
        arguments: [
            ("tiffin.v1", "tiffin.v1"), ("foo, tiffin.v1", "tiffin.v1"), ("foo,bar", nil), ("bearer.eyJ", nil),
            ("TIFFIN.V1", nil),
        ] as [(String, String?)])
    func subprotocol(offered: String, answered: String?) throws {
        let harness = try SessionHarness()
        let client = try harness.connect()
        client.send(
            SessionHarness.upgrade(
                "/rider/socket", token: harness.token(), headers: [("Sec-WebSocket-Protocol", offered)]))
        #expect(try client.response().only("Sec-WebSocket-Protocol") == answered)
    }

    @Test("registered first, then checked once more: a revocation between the two is seen (B47)")
    func revokedWhileRegistering() throws {
        let harness = try SessionHarness()
        harness.whenRegistering = { client in
            client.session.identity.map { identity in
                harness.context.revocations.insert(Revocation(user: identity.user), wall: harness.now.wall)
            }
        }
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/rider/socket", token: harness.token()))
        #expect(client.registrations == 1)
        let response = try client.lastResponse()
        #expect(response.status == 401)
        #expect(response.text == #"{"error":"revoked"}"#)
        #expect(response.only("WWW-Authenticate")?.contains("revoked") == true)
        #expect(client.listened.isEmpty)
        #expect(client.ended == 1)
    }

    @Test("a revocation while topics are attached refuses the handshake (B47)")
    func revokedWhileAttaching() throws {
        let harness = try SessionHarness()
        harness.attachments = .later
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/rider/socket", token: harness.token()))
        #expect(client.pending.isEmpty)
        try harness.revoke(#"{"user_id":5521}"#)
        #expect(try client.lastResponse().status == 401)
        harness.answerAttachments()
        try client.expectEnd()
        #expect(client.topics.isEmpty)
        #expect(!harness.context.topics.isListening("riders:5521"))
    }

    @Test("a revoked token does not get back in; one issued later does")
    func revokedBefore() throws {
        let harness = try SessionHarness()
        let old = harness.token()
        try harness.revoke(#"{"user_id":5521}"#)
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/rider/socket", token: old))
        #expect(try client.lastResponse().text == #"{"error":"revoked"}"#)
        #expect(client.registrations == 0)
        harness.advance(seconds: 1)
        _ = try harness.openWebSocket()
    }

    @Test(
        "a look-up is awaited, and its answer opens or refuses",
        arguments: [
            (StoreReply.text("7001"), 101), (.text("7002"), 403), (.null, 403), (.text(""), 403), (.integer(1), 403),
            (.error("LOADING"), 503),
        ])
    func lookUp(reply: StoreReply, status: Int) throws {
        let harness = try SessionHarness()
        harness.lookUps = .later
        let client = try harness.connect()
        client.send(Self.customer(harness))
        #expect(client.pending.isEmpty)
        #expect(harness.lookUpsSent.map(\.command) == [["HGET", "order:123", "customer_id"]])
        #expect(client.registrations == 0)
        harness.answerLookUps(reply)
        let response = try client.response()
        #expect(response.status == status)
        #expect((response.only("Retry-After") != nil) == (status == 503))
        #expect(client.registrations == (status == 101 ? 1 : 0))
    }

    @Test(
        "a drain refuses whoever waits for a look-up, and says why", arguments: [DisconnectReason.restart, .goingAway])
    func drainMeanwhile(reason: DisconnectReason) throws {
        let harness = try SessionHarness()
        harness.lookUps = .later
        let client = try harness.connect()
        client.send(Self.customer(harness))
        client.perform { $0.disconnect(reason, $1) }
        let response = try client.lastResponse()
        #expect(response.status == 503)
        #expect(response.text == #"{"error":"draining"}"#)
        #expect(response.only("Retry-After") != nil)
        try client.expectEnd()
    }

    @Test("a look-up that does not come is 503 at its time-out, and its late answer changes nothing")
    func lateLookUp() throws {
        let harness = try SessionHarness([#"lookups.timeout="500ms""#])
        harness.lookUps = .later
        let client = try harness.connect()
        client.send(Self.customer(harness))
        harness.advance(by: 499 * .millisecond)
        #expect(client.pending.isEmpty)
        harness.advance(by: .millisecond)
        let response = try client.lastResponse()
        #expect(response.status == 503)
        #expect(response.text == #"{"error":"unavailable"}"#)
        harness.answerLookUps(.text("7001"))
        try client.expectEnd()
        #expect(client.registrations == 0)
    }

    @Test("one question for many who ask the same, one answer for all")
    func coalesced() throws {
        let harness = try SessionHarness()
        harness.lookUps = .later
        let clients = try (0..<20).map { _ in
            let client = try harness.connect()
            client.send(Self.customer(harness))
            return client
        }
        #expect(harness.lookUpsSent.count == 1)
        harness.answerLookUps(.text("7001"))
        for client in clients { #expect(try client.response().status == 101) }
    }

    @Test("answers are remembered for seconds, denials too", arguments: [("7001", 101, 5.0), ("9", 403, 2.0)])
    func remembered(owner: String, status: Int, seconds: Double) throws {
        let harness = try SessionHarness()
        harness.own("123", by: owner)
        for _ in 0..<5 {
            let client = try harness.connect()
            client.send(Self.customer(harness))
            #expect(try client.response().status == status)
        }
        #expect(harness.lookUpsSent.count == 1)
        harness.advance(seconds: seconds)
        let client = try harness.connect()
        client.send(Self.customer(harness))
        #expect(harness.lookUpsSent.count == 2)
    }

    @Test("a topic that cannot be attached is 503: nothing is promised that may not be kept")
    func notAttached() throws {
        let harness = try SessionHarness()
        harness.attachments = .failing
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/rider/socket", token: harness.token()))
        #expect(try client.lastResponse().status == 503)
        #expect(client.ended == 1)
    }

    @Test("an attachment that does not come is 503 at the handshake's time")
    func lateAttachment() throws {
        let harness = try SessionHarness()
        harness.attachments = .later
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/rider/socket", token: harness.token()))
        harness.advance(seconds: 9.99)
        #expect(client.pending.isEmpty)
        harness.advance(seconds: 0.02)
        #expect(try client.lastResponse().status == 503)
        harness.answerAttachments()
        #expect(client.topics.isEmpty)
    }

    @Test("a token that expires while the answer is awaited is refused as expired")
    func expiresWhileAdmitting() throws {
        let harness = try SessionHarness()
        harness.attachments = .later
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/rider/socket", token: harness.token(ttl: 4)))
        harness.advance(seconds: 4)
        #expect(try client.lastResponse().text == #"{"error":"token_expired"}"#)
    }

    @Test("with a wall clock that jumps past exp during admission nobody gets in")
    func clockJumpsWhileAdmitting() throws {
        let harness = try SessionHarness()
        harness.attachments = .later
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/rider/socket", token: harness.token()))
        harness.stepWall(by: 3600 * .second)
        harness.advance(by: 1)
        #expect(try client.lastResponse().status == 401)
    }

    @Test(
        "whoever is closed during admission gets a status that fits",
        arguments: [
            (DisconnectReason.revoked, 401), (.replaced, 429), (.restart, 503), (.operatorRequest, 503),
            (.tokenExpired, 401),
            (.forbidden, 403),
        ])
    func disconnectedWhileAdmitting(reason: DisconnectReason, status: Int) throws {
        let harness = try SessionHarness()
        harness.attachments = .later
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/rider/socket", token: harness.token()))
        client.perform { $0.disconnect(reason, $1) }
        #expect(try client.lastResponse().status == status)
        #expect(client.ended == 1)
    }
}
