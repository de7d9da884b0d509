import Testing

@testable import TiffinLiveCore

@Suite("RFC 7519 §4: claims")
struct ClaimsReaderTests {
    /// Reads claims given as JSON without braces, `exp` added when they have none.
    static func read(_ json: String, _ policy: TokenPolicy = TokenPolicy()) -> Result<VerifiedClaims, JWTError> {
        do throws(JWTError) {
            var text = "{\(json)}"
            if !json.contains("\"exp\"") { text = "{\"exp\":1000\(json.isEmpty ? "" : ",")\(json)}" }
            let encoded = Array(Base64.encodeURL(Array(text.utf8)).utf8)
            let members = try encoded.withUnsafeBufferPointer { bytes throws(JWTError) in
                try ClaimsReader.members(base64URL: UnsafeRawBufferPointer(bytes))
            }
            return .success(try ClaimsReader(policy: policy).read(members))
        } catch {
            return .failure(error)
        }
    }

    static func error(_ json: String, _ policy: TokenPolicy = TokenPolicy()) -> JWTError? {
        guard case .failure(let error) = read(json, policy) else { return nil }
        return error
    }

    static func claims(_ json: String, _ policy: TokenPolicy = TokenPolicy()) -> ClaimsSet? {
        guard case .success(let verified) = read(json, policy) else { return nil }
        return verified.claims
    }

    @Test("A whole claims set is kept as the identity")
    func whole() throws {
        let claims = try #require(
            Self.claims(#""sub":"5521","role":"rider","sid":"s1","jti":"j1","iat":10,"exp":1000.5"#))
        #expect(claims.user == "5521")
        #expect(claims.role == "rider")
        #expect(claims.session == "s1")
        #expect(claims.tokenID == "j1")
        #expect(claims.issuedAt == 10 * .second)
        #expect(claims.expiresAt == 1000 * .second + 500 * .millisecond)
        #expect(claims.extra.isEmpty)
    }

    @Test(
        "C6: the user is a text or a whole number, and both are the same user",
        arguments: [
            (#""5521""#, "5521"), ("5521", "5521"), ("-7", "-7"), ("0", "0"), ("-0", "0"),
            ("18446744073709551616", "18446744073709551616"), (#""a b""#, "a b"), (#""é""#, "é"), (#""a:b""#, "a:b"),
        ])
    func users(_ value: String, _ expected: String) {
        #expect(Self.claims("\"sub\":\(value)")?.user == expected)
    }

    @Test(
        "C6: other types, nothing, control characters and fractions are no user",
        arguments: [
            "null", "true", "[]", #"["a"]"#, "{}", #""""#, "1.5", "5521.0", "1e3", "1e400", #""a\u0000""#, #""a\n""#,
            #""\u001f""#, #""\u007f""#, #""\u0085""#,
        ])
    func badUsers(_ value: String) {
        #expect(Self.error("\"sub\":\(value)") == .userInvalid)
    }

    @Test("C6: a user has at most 256 bytes, and must be there")
    func userLimits() {
        let longest = String(repeating: "u", count: 256)
        #expect(Self.claims("\"sub\":\"\(longest)\"")?.user == longest)
        #expect(Self.error("\"sub\":\"\(longest)u\"") == .userInvalid)
        #expect(Self.error("\"sub\":\(String(repeating: "9", count: 257))") == .userInvalid)
        #expect(Self.error("") == .userMissing)
        #expect(Self.error(#""Sub":"a""#) == .userMissing)
    }

    @Test("The claims that hold user, role and session can have other names")
    func names() {
        var policy = TokenPolicy()
        policy.userClaim = "uid"
        policy.roleClaim = "https://a.example/role"
        policy.sessionClaim = "session"
        let claims = Self.claims(#""uid":7,"https://a.example/role":"cook","session":9,"sub":"x","role":"y""#, policy)
        #expect(claims?.user == "7")
        #expect(claims?.role == "cook")
        #expect(claims?.session == "9")
    }

    @Test(
        "The role may be absent; else it is a text without control characters",
        arguments: [
            ("", ""), (#","role":"rider""#, "rider"), (#","role":"""#, ""), (#","role":null"#, nil),
            (#","role":1"#, nil), (#","role":["rider"]"#, nil), (#","role":"a\u0000""#, nil),
        ])
    func roles(_ json: String, _ expected: String?) {
        #expect(Self.claims("\"sub\":\"a\"\(json)")?.role == expected)
        if expected == nil { #expect(Self.error("\"sub\":\"a\"\(json)") == .roleInvalid) }
    }

    @Test("Session and jti are bounded texts; a session may be a number")
    func identifiers() {
        #expect(Self.error(#""sub":"a","sid":"""#) == .sessionInvalid)
        #expect(Self.error(#""sub":"a","sid":null"#) == .sessionInvalid)
        #expect(Self.error(#""sub":"a","jti":1"#) == .tokenIDInvalid)
        #expect(Self.error(#""sub":"a","jti":"""#) == .tokenIDInvalid)
        let long = String(repeating: "j", count: 1024)
        #expect(Self.claims("\"sub\":\"a\",\"jti\":\"\(long)\"")?.tokenID == long)
        #expect(Self.error("\"sub\":\"a\",\"jti\":\"\(long)j\"") == .tokenIDInvalid)
    }

    @Test(
        "C1, C3: dates of other types are refused",
        arguments: [
            (#""exp":"1000""#, JWTError.expirationInvalid), (#""exp":null"#, .expirationInvalid),
            (#""exp":true"#, .expirationInvalid), (#""exp":[1000]"#, .expirationInvalid),
            (#""exp":-1"#, .expirationInvalid), (#""exp":1e400"#, .expirationInvalid),
            (#""exp":-1e308"#, .expirationInvalid), (#""nbf":"1""#, .notBeforeInvalid),
            (#""nbf":null"#, .notBeforeInvalid),
            (#""nbf":-1"#, .notBeforeInvalid), (#""iat":"1""#, .issuedAtInvalid), (#""iat":false"#, .issuedAtInvalid),
            (#""iat":1e999"#, .issuedAtInvalid), (#""exp":NaN"#, .claimsNotJSON), (#""exp":Infinity"#, .claimsNotJSON),
            (#""exp":.5"#, .claimsNotJSON), (#""exp":01"#, .claimsNotJSON),
        ])
    func dates(_ member: String, _ expected: JWTError) {
        #expect(Self.error("\"sub\":\"a\",\(member)") == expected)
    }

    @Test(
        "C4: iss is one of the list, byte for byte",
        arguments: [
            (#""iss":"https://a.example""#, true), (#""iss":"b""#, true), (#""iss":"https://a.example/""#, false),
            (#""iss":"https://A.example""#, false), (#""iss":"https://a.exampl""#, false), (#""iss":["b"]"#, false),
            (#""iss":null"#, false), (#""iss":"""#, false), (#""x":1"#, false),
        ])
    func issuers(_ member: String, _ isGood: Bool) {
        var policy = TokenPolicy()
        policy.issuers = ["https://a.example", "b"]
        #expect(Self.error("\"sub\":\"a\",\(member)", policy) == (isGood ? nil : .issuerRefused))
        #expect(Self.error("\"sub\":\"a\",\(member)") == nil)
    }

    @Test(
        "C5: aud is ours or a list with ours in it",
        arguments: [
            (#""aud":"live""#, true), (#""aud":["x","live"]"#, true), (#""aud":["live"]"#, true), (#""x":1"#, false),
            (#""aud":[]"#, false), (#""aud":"other""#, false), (#""aud":["other"]"#, false), (#""aud":1"#, false),
            (#""aud":"*""#, false), (#""aud":["live",1]"#, false), (#""aud":null"#, false), (#""aud":"Live""#, false),
            (#""aud":{"live":1}"#, false), (#""aud":"live ""#, false),
        ])
    func audiences(_ member: String, _ isGood: Bool) {
        var policy = TokenPolicy()
        policy.audience = "live"
        #expect(Self.error("\"sub\":\"a\",\(member)", policy) == (isGood ? nil : .audienceRefused))
        #expect(Self.error("\"sub\":\"a\",\(member)") == nil)
    }

    @Test("Texts that only look the same are not the same issuer or audience")
    func lookAlikes() {
        var policy = TokenPolicy()
        policy.issuers = ["caf\u{E9}"]
        #expect(Self.error("\"sub\":\"a\",\"iss\":\"cafe\u{301}\"", policy) == .issuerRefused)
        policy.issuers = []
        policy.audience = "caf\u{E9}"
        #expect(Self.error("\"sub\":\"a\",\"aud\":\"cafe\u{301}\"", policy) == .audienceRefused)
    }

    @Test("Only the claims asked for are kept: a scalar as one text, an array as its texts")
    func extra() throws {
        var policy = TokenPolicy()
        policy.keptClaims = ["restaurants", "n", "flag", "object", "none", "missing", "sub"]
        let json = #""sub":5521,"restaurants":["88",89,null,{}],"n":1.5,"flag":true,"object":{},"none":null,"y":"z""#
        let claims = try #require(Self.claims(json, policy))
        #expect(claims.extra == ["restaurants": ["88", "89"], "n": ["1.5"], "flag": ["true"], "sub": ["5521"]])
    }

    @Test(
        "F6: claims are one JSON object with every member once",
        arguments: [
            "", "null", "[]", "1", "{", "{}x", #"{"exp":1,"exp":1}"#, #"{"exp":1,"\u0065xp":2}"#, "\u{FEFF}{}",
            #"{"a":"\ud800"}"#, "{\"a\":\"\u{0}\"}", #"{"a":{"b":1,"b":2}}"#,
        ])
    func form(_ json: String) {
        let encoded = Array(Base64.encodeURL(Array(json.utf8)).utf8)
        #expect(throws: JWTError.claimsNotJSON) {
            try encoded.withUnsafeBytes { try ClaimsReader.members(base64URL: $0) }
        }
    }

    @Test("F6: bad UTF-8 and nesting of 1,000 are refused; a number of 10,000 digits in an unused claim is not")
    func extremes() {
        let bad = Array(Base64.encodeURL([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]).utf8)
        #expect(throws: JWTError.claimsNotJSON) { try bad.withUnsafeBytes { try ClaimsReader.members(base64URL: $0) } }
        let deep = String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)
        #expect(Self.error("\"sub\":\"a\",\"x\":\(deep)") == .claimsNotJSON)
        #expect(Self.error("\"sub\":\"a\",\"x\":\(String(repeating: "9", count: 10_000))") == nil)
    }
}
