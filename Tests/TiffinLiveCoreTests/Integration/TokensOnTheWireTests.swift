import Testing

@testable import TiffinLiveCore

/// Contract section 4, tokens: the rules hold at the handshake, and the same ones at a refresh.
@Suite("Tokens on the wire")
struct TokensOnTheWireTests {
    private static let unlimited = [
        "limits.forged={rate:0,burst:0}", "limits.perUser=0", "limits.messages={rate:0,burst:0}",
    ]

    private static func status(_ server: LiveServer, _ token: String) throws -> Int {
        try server.connect().upgrade("/rider/socket", headers: [("Authorization", "Bearer \(token)")]).status
    }

    /// Claims by their distance from now, in seconds; the leeway is five.
    static let times: [(claims: [(String, Int64)], isGood: Bool)] = [
        ([("exp", 900), ("nbf", 3)], true),
        ([("exp", 900), ("nbf", 15)], false),
        ([("exp", 900), ("nbf", 3600)], false),
        ([("exp", 900), ("iat", 3)], true),
        ([("exp", 900), ("iat", 15)], false),
        ([("exp", 3)], true),
        ([("exp", -3)], false),
        ([("exp", -7)], false),
        ([("exp", 3500)], true),
        ([("exp", 3700)], false),
        ([("exp", 100 * 366 * 86_400)], false),
        ([("exp", 1_999_999_999_000)], false),
        ([], false),
    ]

    // B34, B35
    @Test("nbf and iat have a leeway, exp has none, at the handshake and at a refresh alike", arguments: times.indices)
    func leeway(_ index: Int) throws {
        let server = try LiveServer(Self.unlimited)
        let rider = try server.rider()
        var claims = JSONObject(("sub", "5521"), ("role", "rider"))
        for (name, distance) in Self.times[index].claims { claims[name] = .integer(server.now + distance) }
        let token = server.tokens.sign(claims)
        #expect(try Self.status(server, token) == (Self.times[index].isGood ? 101 : 401))
        try rider.sendText(#"{"type":"auth","token":"\#(token)"}"#)
        #expect(try rider.receiveText().contains(#""ok":\#(Self.times[index].isGood)"#))
    }

    // B37
    @Test("a token does not choose its algorithm or its key")
    func algorithmConfusion() throws {
        let tokens = TokenFactory.es256
        let server = try LiveServer(Self.unlimited, tokens: tokens)
        let payload = #"{"sub":"5521","role":"rider","exp":\#(server.now + 900)}"#
        let good = #"{"alg":"ES256","kid":"test-key"}"#
        #expect(try Self.status(server, tokens.sign(header: good, payload: payload)) == 101)
        let body = Base64.encodeURL(Array(payload.utf8))
        let goodHead = Base64.encodeURL(Array(good.utf8))
        var bad = ["eyJhbGciOiJub25lIn0", "eyJhbGciOiJuT25FIn0"].flatMap { ["\($0).\(body).", "\($0).\(body).AAAA"] }
        bad.append("\(goodHead).\(body).")
        bad.append("\(goodHead).\(body)." + Base64.encodeURL([UInt8](repeating: 0, count: 64)))
        let heads = [
            #"{"kid":"test-key"}"#, #"{"alg":["ES256"],"kid":"test-key"}"#, #"{"alg":"HS256","kid":"test-key"}"#,
            #"{"alg":"ES256","kid":"test-key","crit":["exp"]}"#,
            #"{"alg":"ES256","kid":"test-key","jwk":{"kty":"oct","k":"AAAA"}}"#,
            #"{"alg":"ES256","kid":"test-key","jku":"https://example.com/keys"}"#,
            #"{"alg":"ES256","kid":"test-key","x5u":"https://example.com/cert"}"#,
        ]
        bad += heads.map { tokens.sign(header: $0, payload: payload) }
        let secret = Base64.encodeURL(Array(tokens.key.publicJWKS.utf8))
        let confused = try TokenFactory(
            SigningKey.read(Array(#"{"kty":"oct","alg":"HS256","kid":"test-key","k":"\#(secret)"}"#.utf8)))
        bad.append(confused.sign(header: #"{"alg":"HS256","kid":"test-key"}"#, payload: payload))
        for token in bad { #expect(try Self.status(server, token) == 401, "\(token)") }
        #expect(!server.logText().contains(body))
    }

    // B38
    @Test("odd and unknown key ids are refused, and a flood of them reads no file")
    func unknownKeys() throws {
        let server = try LiveServer(Self.unlimited)
        let payload = #"{"sub":"5521","role":"rider","exp":\#(server.now + 900)}"#
        let long = String(repeating: "k", count: 1500)
        for kid in ["\"../../x\"", "7", "null", "[]", "\"\"", "\"\(long)\""] {
            let token = server.tokens.sign(header: #"{"alg":"HS256","kid":\#(kid)}"#, payload: payload)
            #expect(try Self.status(server, token) == 401, "\(kid)")
        }
        for number in 0..<Volume.count(1000, full: 5000) {
            let token = server.tokens.sign(header: #"{"alg":"HS256","kid":"unknown-\#(number)"}"#, payload: payload)
            #expect(try Self.status(server, token) == 401)
        }
        #expect(try server.metric(#"tiffin_live_key_reloads_total{outcome="accepted"}"#) == 0)
        #expect(try server.metric(#"tiffin_live_key_reloads_total{outcome="refused"}"#) == 0)
        #expect(try Self.status(server, server.token()) == 101)
        // One line, whatever the number.
        #expect(server.logLines("handshake_refused").count == 1)
    }

    // B38
    @Test("a rotated key is good without a restart, and a removed one is refused, also for a token known to be good")
    func rotation() throws {
        let old = try TestKeys.first(.ES256, kid: "old")
        let new = try TestKeys.second(.ES256)
        let server = try LiveServer(Self.unlimited, tokens: TokenFactory(old))
        let claims = JSONObject(("sub", "5521"), ("role", "rider"), ("exp", .integer(server.now + 900)))
        let oldToken = try old.sign(claims: claims)
        let newToken = try new.sign(claims: claims)
        #expect(try Self.status(server, oldToken) == 101)
        #expect(try Self.status(server, newToken) == 401)
        let open = try server.connect()
        try open.openWebSocket("/rider/socket", token: oldToken)
        let both = try [old, new].map { String(try keys(of: $0.publicJWKS)) }.joined(separator: ",")
        try server.replaceKeys(#"{"keys":[\#(both)]}"#)
        #expect(try LiveServer.eventually { try Self.status(server, newToken) == 101 })
        #expect(try Self.status(server, oldToken) == 101)
        try server.replaceKeys("{ no keys")
        #expect(try LiveServer.eventually { server.logLines("keys_refused").count == 1 })
        #expect(try Self.status(server, oldToken) == 101)
        try server.replaceKeys(new.publicJWKS)
        #expect(try LiveServer.eventually { try Self.status(server, oldToken) == 401 })
        #expect(try Self.status(server, newToken) == 101)
        // Whoever is in stays in; throwing people off is for revocations.
        try open.sendText(#"{"type":"ping","ref":"x"}"#)
        #expect(try open.receiveText(containing: "pong") == #"{"type":"pong","ref":"x"}"#)
    }

    /// What stands between the brackets of a key set.
    private func keys(of set: String) throws -> Substring {
        let start = try #require(set.firstIndex(of: "["))
        let end = try #require(set.lastIndex(of: "]"))
        return set[set.index(after: start)..<end]
    }

    // B40
    @Test("base64url is strict, and a token's text is in no log")
    func base64Details() throws {
        let server = try LiveServer(Self.unlimited)
        // The letters whose encoding holds both - and _.
        let extra = JSONObject(("odd", "~~~???\u{3FF}\u{3BF}>>>"))
        let token = server.tokens.token(exp: server.now + 900, extra: extra)
        let parts = token.split(separator: ".").map { String($0) }
        #expect(try Self.status(server, token) == 101)
        let flipped = parts[2].dropLast() + (parts[2].last == "A" ? "B" : "A")
        let bad = [
            token + "=", token + ".", "\(parts[0]).\(parts[1])", token + "." + parts[2],
            "\(parts[0]).\(parts[1])A.\(parts[2])", "\(parts[0]).\(parts[1]).\(parts[2])A",
            "\(parts[0])+/.\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1]).\(flipped)",
            server.tokens.sign(header: Array(#"{"alg":"HS256","kid":"test-key"}"#.utf8), payload: [0x7B, 0xFF, 0x7D]),
        ]
        for token in bad { #expect(try Self.status(server, token) == 401, "\(token)") }
        for part in parts { #expect(!server.logText().contains(part)) }
    }
}
