import Testing

@testable import TiffinLiveCore

@Suite("Contract 7.4: a new token in band")
struct RefreshTests {
    static func auth(_ token: String) -> String { #"{"type":"auth","token":"\#(token)"}"# }

    @Test("a good token is accepted, and it alone decides the deadline from then on (B44)")
    func good() throws {
        let harness = try SessionHarness(["expiry.jitter=\"0s\"", "expiry.warning=\"0s\""])
        let client = try harness.openWebSocket(token: harness.token(ttl: 60))
        harness.advance(seconds: 58)
        client.send(text: Self.auth(harness.token(ttl: 898)))
        #expect(try client.texts() == [#"{"type":"auth","ok":true,"expires_in":898}"#])
        #expect(client.refreshed == [nil])
        harness.advance(seconds: 897)
        #expect(client.session.isOpen)
        harness.advance(seconds: 1)
        #expect(try client.close().code == 4001)
    }

    @Test(
        "the last accepted token decides, shorter or longer (B44)",
        arguments: [[60, 5], [5, 60, 30], [900, 1], [10, 20, 40, 15]] as [[Int64]])
    func lastDecides(ttls: [Int64]) throws {
        let harness = try SessionHarness(["expiry.jitter=\"0s\"", "expiry.warning=\"0s\""])
        let client = try harness.openWebSocket(token: harness.token(ttl: ttls[0]))
        for ttl in ttls.dropFirst() { client.send(text: Self.auth(harness.token(ttl: ttl))) }
        #expect(try client.messages().count == ttls.count - 1)
        let last = try #require(ttls.last)
        harness.advance(by: last * .second - SessionDeadlines.closeGuard - 1)
        #expect(client.session.isOpen)
        harness.advance(by: SessionDeadlines.closeGuard + 1)
        #expect(try client.close().code == 4001)
    }

    @Test("the identity of the new token is taken over")
    func identity() throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket(token: harness.token(jti: "1"))
        client.send(text: Self.auth(harness.token(jti: "2")))
        _ = try client.message()
        #expect(client.session.identity?.tokenID == "2")
        try harness.revoke(#"{"jti":"1"}"#)
        #expect(client.session.isOpen, "a retired token's revocation is nothing to this connection (B46)")
        try harness.revoke(#"{"jti":"2"}"#)
        #expect(try client.close().code == 4003)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let name: String
        let error: String
        let token: @Sendable (SessionHarness) -> String
        var testDescription: String { name }
    }

    static let refusals = [
        Refusal(name: "expired", error: "token_expired") { $0.token(ttl: 0) },
        Refusal(name: "expired long ago", error: "token_expired") { $0.token(ttl: -100_000) },
        Refusal(name: "forged", error: "invalid_token") { TokenFactory(.HS256).token(exp: $0.seconds + 900) },
        Refusal(name: "garbage", error: "invalid_token") { _ in "garbage" },
        Refusal(name: "empty", error: "invalid_token") { _ in "" },
        Refusal(name: "not ASCII", error: "invalid_token") { _ in "é.é.é" },
        Refusal(name: "too much life", error: "invalid_token") { $0.token(ttl: 100_000) },
        Refusal(name: "over 16 KiB", error: "invalid_token") { _ in String(repeating: "a", count: 20_000) },
        Refusal(name: "another role", error: "forbidden") { $0.token(role: "customer") },
        Refusal(name: "no role", error: "forbidden") { $0.token(role: nil) },
        Refusal(name: "not valid yet", error: "invalid_token") {
            $0.token(extra: ["nbf": .integer($0.seconds + 10)])
        },
    ]

    @Test("a bad one is refused by its error, and the old deadline stands", arguments: refusals)
    func refused(_ refusal: Refusal) throws {
        let harness = try SessionHarness(["expiry.jitter=\"0s\"", "expiry.warning=\"0s\""])
        let client = try harness.openWebSocket(token: harness.token(ttl: 60))
        client.send(text: Self.auth(refusal.token(harness)))
        #expect(try client.texts() == [#"{"type":"auth","ok":false,"error":"\#(refusal.error)"}"#])
        #expect(client.refreshed == [refusal.error])
        #expect(client.topics == ["riders:5521"])
        harness.advance(seconds: 59)
        #expect(client.session.isOpen)
        harness.advance(seconds: 1)
        #expect(try client.close().code == 4001)
    }

    @Test(
        "another user's token closes with 4002, whatever else is wrong with it",
        arguments: ["9", "552", "55210", "5521 "])
    func differentUser(user: String) throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        client.send(text: Self.auth(harness.token(user)))
        let close = try client.close()
        #expect(close.code == 4002)
        #expect(close.reason == "different_user")
        #expect(client.refreshed.isEmpty)
        #expect(client.topics.isEmpty)
    }

    @Test("another user in another role is another user")
    func differentUserAndRole() throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        client.send(text: Self.auth(harness.token("9", role: "customer")))
        #expect(try client.close().code == 4002)
    }

    @Test("users compare byte by byte: another spelling of the same letters is another user")
    func canonicalEquivalence() throws {
        let harness = try SessionHarness([
            #"routes={"/any":{transports:["websocket"],topics:[]}}"#
        ])
        let client = try harness.openWebSocket("/any", token: harness.token("caf\u{E9}"))
        client.send(text: Self.auth(harness.token("cafe\u{301}")))
        #expect(try client.close().code == 4002)
    }

    @Test("a number and its text are the same user")
    func numericUser() throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        client.send(text: Self.auth(harness.tokens.token(sub: 5521, exp: harness.seconds + 100)))
        #expect(try client.message()["ok"] == true)
    }

    @Test("a revoked token is refused; the connection, whose own token is good, stays")
    func revoked() throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket(token: harness.token(jti: "a"))
        try harness.revoke(#"{"jti":"b"}"#)
        client.send(text: Self.auth(harness.token(jti: "b")))
        #expect(try client.message()["error"] == "revoked")
        #expect(client.session.isOpen)
    }

    @Test("a megabyte of token is a message too big")
    func megabyte() throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        client.send(text: Self.auth(String(repeating: "a", count: 1 << 20)))
        #expect(try client.close().code == 1009)
    }

    @Test("a token in a binary message is 1003", arguments: [true, false])
    func binary(isFragmented: Bool) throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        let bytes = Array(Self.auth(harness.token()).utf8)
        if isFragmented {
            client.send(.binary(Array(bytes[..<9]), isFinal: false), .continuation(Array(bytes[9...])))
        } else {
            client.send(.binary(bytes))
        }
        #expect(try client.close().code == 1003)
        #expect(client.refreshed.isEmpty)
    }

    @Test("may come in fragments, with pings between, cut anywhere (B01)")
    func fragments() throws {
        let harness = try SessionHarness()
        let text = Array(Self.auth(harness.token(ttl: 500)).utf8)
        let frames = [
            ClientFrame(opcode: 1, payload: Array(text[..<20]), isFinal: false), .ping("A"),
            .continuation(Array(text[20..<21]), isFinal: false), .pong(), .ping("B"),
            .continuation(Array(text[21...])),
        ]
        let answer = try ChunkedFeed.check(frames.bytes, randomRounds: 4) { pieces in
            let client = try harness.openWebSocket()
            client.send(pieces: pieces)
            return try client.frames().map(\.text)
        }
        #expect(answer == ["A", "B", #"{"type":"auth","ok":true,"expires_in":500}"#])
    }

    @Test("may be the first frame, in the handshake's own segment (B43)")
    func firstFrame() throws {
        let harness = try SessionHarness()
        let client = try harness.connect()
        client.send(
            SessionHarness.upgrade("/rider/socket", token: harness.token(ttl: 10))
                + ClientFrame.text(Self.auth(harness.token(ttl: 777))).bytes)
        #expect(try client.response().status == 101)
        #expect(try client.messages().map { $0["expires_in"] } == [10, 777])
    }

    @Test("two back to back are answered in order (B43)")
    func twice() throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        client.send(.text(Self.auth(harness.token(ttl: 100))), .text(Self.auth(harness.token(ttl: 200))))
        #expect(try client.messages().map { $0["expires_in"] } == [100, 200])
    }

    @Test("a hundred spaced by the rate are served, a hundred at once are not (B44)")
    func hundred() throws {
        let harness = try SessionHarness(["limits.messages={rate:20,burst:40}"])
        let patient = try harness.openWebSocket()
        for index in 0..<100 as Range<Int64> {
            harness.advance(by: 50 * .millisecond)
            patient.send(text: Self.auth(harness.token(ttl: 300 + index)))
            #expect(try patient.message()["ok"] == true)
        }
        let hasty = try harness.openWebSocket()
        for index in 0..<100 as Range<Int64> { hasty.send(text: Self.auth(harness.token(ttl: 300 + index))) }
        #expect(hasty.refreshed.count == 40)
        #expect(try hasty.close(passingOverMessages: true).code == 4029)
    }

    @Test(
        "token, type and ref are what counts of the message: token missing or no text is bad_message",
        arguments: [
            #"{"type":"auth"}"#, #"{"type":"auth","token":5}"#, #"{"type":"auth","token":null}"#,
            #"{"type":"auth","token":["x"]}"#,
        ])
    func noToken(text: String) throws {
        let client = try SessionHarness().openWebSocket()
        client.send(text: text)
        #expect(try client.texts() == [#"{"type":"error","error":"bad_message"}"#])
        #expect(client.session.isOpen)
    }
}
