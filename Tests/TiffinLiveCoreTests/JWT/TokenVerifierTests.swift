import Testing

@testable import TiffinLiveCore

@Suite("RFC 7519 §7.2, RFC 8725: a token is accepted or refused")
struct TokenVerifierTests {
    static let now = 1_700_000_000 * Nanoseconds.second
    static let seconds: Int64 = 1_700_000_000
    static let factory = TokenFactory.es256

    @Test("A good token is accepted", arguments: SignatureAlgorithm.allCases)
    func accepted(_ algorithm: SignatureAlgorithm) throws {
        let factory = try TokenFactory(TestKeys.first(algorithm, kid: "test-key"))
        let token = factory.token(exp: Self.seconds + 900, iat: Self.seconds, jti: "j")
        let claims = try #require(factory.verifier().check(token, wall: Self.now).accepted)
        #expect(claims.user == "5521")
        #expect(claims.role == "rider")
        #expect(claims.tokenID == "j")
        #expect(claims.expiresAt == Self.now + 900 * .second)
    }

    @Test("exp has no leeway: at its very instant the token is expired, a nanosecond before it is not")
    func expiry() {
        let token = Self.factory.token(exp: Self.seconds)
        let verifier = Self.factory.verifier()
        #expect(verifier.check(token, wall: Self.now).refusal == .expired)
        #expect(verifier.check(token, wall: Self.now + 1000 * .second).refusal == .expired)
        #expect(verifier.signatureCount == 0)
        #expect(verifier.check(token, wall: Self.now - 1).accepted != nil)
        #expect(verifier.check(token, wall: Self.now).refusal == .expired, "a remembered token expires as well")
        #expect(verifier.check(token, wall: .max).refusal?.code == "token_expired")
        #expect(verifier.acceptedCount == 0)
    }

    @Test("An expired token is refused before signature work, key look-up and every other rule")
    func expiredFirst() {
        let other = TokenFactory(.ES256, keyID: "gone")
        let token = other.token(exp: Self.seconds - 1, extra: ["iss": "x", "nbf": 99_999_999_999])
        let verifier = Self.factory.verifier()
        for _ in 0..<100 {
            #expect(verifier.check(token, wall: Self.now, mayVerifySignature: false).refusal == .expired)
        }
        #expect(verifier.signatureCount == 0)
        #expect(verifier.refusedCount == 0)
    }

    @Test(
        "B35: nbf and iat have the leeway, to its last nanosecond",
        arguments: [("nbf", JWTError.notYetValid), ("iat", .issuedInFuture)])
    func leeway(_ claim: String, _ error: JWTError) {
        for (ahead, isGood) in [(-3600, true), (0, true), (3, true), (5, true), (6, false), (3600, false)] {
            let extra = JSONObject((claim, .integer(Self.seconds + Int64(ahead))))
            let token = Self.factory.token(exp: Self.seconds + 900, extra: extra)
            let verifier = Self.factory.verifier()
            for _ in 0..<2 { #expect(verifier.check(token, wall: Self.now).refusal == (isGood ? nil : error)) }
            #expect(verifier.signatureCount == 1)
        }
    }

    @Test("A token that came too early is accepted once its time has come, without a second signature")
    func laterGood() {
        let token = Self.factory.token(exp: Self.seconds + 900, extra: ["nbf": .integer(Self.seconds + 60)])
        let verifier = Self.factory.verifier()
        #expect(verifier.check(token, wall: Self.now).refusal == .notYetValid)
        #expect(verifier.check(token, wall: Self.now + 55 * .second).accepted != nil)
        #expect(verifier.check(token, wall: Self.now).refusal == .notYetValid, "the clock was set back")
        #expect(verifier.signatureCount == 1)
    }

    @Test("B34, C2: more life left than the cap is refused; without a cap even 300 years are clamped, not trapped")
    func lifetime() {
        let verifier = Self.factory.verifier()
        for life: Int64 in [3601, 25 * 86400, 100 * 365 * 86400] {
            let token = Self.factory.token(exp: Self.seconds + life)
            #expect(verifier.check(token, wall: Self.now).refusal == .lifetimeTooLong)
        }
        #expect(verifier.check(Self.factory.token(exp: Self.seconds + 3600), wall: Self.now).accepted != nil)
        var policy = TokenPolicy()
        policy.maximumLifetime = 0
        let free = Self.factory.verifier(policy: policy)
        for text in ["1999999999000", "9007199254740993", "9223372036854775808", "18446744073709551616", "1e308"] {
            let token = Self.factory.token(exp: 0, extra: ["exp": .number(JSONNumber(text: text))])
            #expect(free.check(token, wall: Self.now).accepted?.expiresAt == .max)
            #expect(verifier.check(token, wall: Self.now).refusal == .lifetimeTooLong)
        }
    }

    @Test("A token issued before the time that revocations are remembered for is refused, whatever life it has left")
    func issuedLongAgo() {
        let verifier = TokenFactory.hs256.verifier()
        let now = Self.now / .second
        let old = TokenFactory.hs256.token(exp: now + 60, iat: now - 3606)
        #expect(verifier.check(old, wall: Self.now).refusal == .issuedTooLongAgo)
        let justYoungEnough = TokenFactory.hs256.token(exp: now + 60, iat: now - 3605)
        #expect(verifier.check(justYoungEnough, wall: Self.now).accepted != nil)
    }

    @Test("C1: a token without exp is refused without signature work")
    func noExpiry() {
        let verifier = Self.factory.verifier()
        #expect(verifier.check(Self.factory.sign(["sub": "a"]), wall: Self.now).refusal == .expirationMissing)
        #expect(verifier.check(Self.factory.token(exp: 0, extra: ["exp": "1"]), wall: 0).refusal == .expirationInvalid)
        #expect(verifier.signatureCount == 0)
    }

    @Test("S6: one bit flipped in any part, or another token's signature, is refused")
    func tampered() {
        let verifier = Self.factory.verifier()
        let token = Self.factory.token(exp: Self.seconds + 900)
        let other = Self.factory.token(sub: "1", exp: Self.seconds + 900)
        let parts = token.split(separator: ".")
        let otherParts = other.split(separator: ".")
        let swapped = "\(parts[0]).\(parts[1]).\(otherParts[2])"
        #expect(verifier.check(swapped, wall: Self.now).refusal == .signatureInvalid)
        #expect(verifier.check("\(parts[0]).\(otherParts[1]).\(parts[2])", wall: Self.now).refusal?.isForged == true)
        for index in stride(from: 0, to: token.utf8.count, by: 7) {
            var bytes = Array(token.utf8)
            bytes[index] = bytes[index] == 0x41 ? 0x42 : 0x41
            guard bytes != Array(token.utf8) else { continue }
            let changed = String(decoding: bytes, as: UTF8.self)
            #expect(verifier.check(changed, wall: Self.now).accepted == nil, "byte \(index)")
        }
        #expect(verifier.check(token, wall: Self.now).accepted != nil)
    }

    @Test("A2: HS256 under the public key in every form that could be mistaken for a secret is refused")
    func confusion() throws {
        for algorithm in [SignatureAlgorithm.RS256, .ES256, .EdDSA] {
            let factory = try TokenFactory(TestKeys.first(algorithm, kid: "test-key"))
            let set = factory.key.publicJWKS
            let jwk = try #require(try JSONReader.read(Array(set.utf8))["keys"]?.arrayValue?.first)
            let material = [jwk["n"], jwk["x"]].compactMap { $0?.base64URLBytes }
            for secret in [Array(set.utf8), Array(jwk.jsonText.utf8), Array("\(jwk.jsonText)\n".utf8)] + material {
                let forger: JSONValue = [
                    "kty": "oct", "alg": "HS256", "kid": "test-key", "k": .string(Base64.encodeURL(secret)),
                ]
                let key = try SigningKey.read(Array(forger.jsonText.utf8))
                let token = try key.sign(claims: ["sub": "5521", "exp": .integer(Self.seconds + 900)])
                let verifier = factory.verifier()
                #expect(verifier.check(token, wall: Self.now).refusal == .algorithmNotOfKey)
                #expect(verifier.signatureCount == 0)
            }
        }
    }

    @Test(
        "A1: unsigned tokens are refused with and without a signature part",
        arguments: ["none", "None", "NONE", "nOnE"])
    func unsigned(_ name: String) {
        let token = Self.factory.sign(
            header: "{\"alg\":\"\(name)\"}", payload: "{\"sub\":\"a\",\"exp\":\(Self.seconds + 9)}")
        let parts = token.split(separator: ".")
        #expect(Self.factory.verifier().check(token, wall: Self.now).refusal == .algorithmRefused)
        #expect(Self.factory.verifier().check("\(parts[0]).\(parts[1]).", wall: Self.now).refusal == .notThreeParts)
    }

    @Test(
        "F4, B40: base64url is strict in each part", arguments: ["=", "+", "/", " ", "\t", "\r", "\n", "\0", "é", "?"])
    func base64(_ stray: String) {
        let token = Self.factory.token(exp: Self.seconds + 900)
        let parts = token.split(separator: ".").map(String.init)
        let verifier = Self.factory.verifier()
        for index in 0..<3 {
            var front = parts
            front[index] = stray + front[index]
            var back = parts
            back[index] += stray
            for changed in [front, back] {
                #expect(verifier.check(changed.joined(separator: "."), wall: Self.now).refusal == .notBase64URL)
            }
        }
        #expect(verifier.signatureCount == 0)
    }

    @Test("B40: unused bits of the last character must be zero, and - and _ are read")
    func strayBits() {
        let verifier = Self.factory.verifier()
        let token = Self.factory.token(exp: Self.seconds + 900)
        // 64 bytes of signature end in a character with four unused bits.
        let last = token.last ?? "A"
        let other = last == "A" ? "B" : last == "Q" ? "R" : last == "g" ? "h" : "x"
        #expect(verifier.check(token.dropLast() + other, wall: Self.now).refusal == .notBase64URL)
        let payload = "{\"sub\":\"a\u{2FF}\u{3FF}??>>~~\",\"exp\":\(Self.seconds + 900)}"
        let odd = Self.factory.sign(header: #"{"alg":"ES256","kid":"test-key"}"#, payload: payload)
        #expect(verifier.check(odd, wall: Self.now).accepted?.user == "a\u{2FF}\u{3FF}??>>~~")
    }

    @Test("F2: JSON serializations and a JSON document around the compact form are refused")
    func jsonForms() {
        let token = Self.factory.token(exp: Self.seconds + 900)
        let parts = token.split(separator: ".")
        let flat = "{\"protected\":\"\(parts[0])\",\"payload\":\"\(parts[1])\",\"signature\":\"\(parts[2])\"}"
        let around = "{\"a\":\"\(parts[0]).\(parts[1]).\(parts[2])\"}"
        for form in [flat, around, " \(token)", "\(token) ", "\(token)\n", "Bearer \(token)", "\"\(token)\""] {
            #expect(Self.factory.verifier().check(form, wall: Self.now).accepted == nil, "\(form)")
        }
    }

    @Test("Refusals of the claims come after a good signature, and a forged one hides them")
    func claimsAfterSignature() {
        var policy = TokenPolicy()
        policy.issuers = ["auth"]
        let token = Self.factory.token(exp: Self.seconds + 900, extra: ["iss": "other"])
        let forged =
            token.split(separator: ".").dropLast().joined(separator: ".") + "." + String(repeating: "A", count: 86)
        let verifier = Self.factory.verifier(policy: policy)
        #expect(verifier.check(token, wall: Self.now).refusal == .issuerRefused)
        #expect(verifier.check(forged, wall: Self.now).refusal == .signatureInvalid)
    }

    @Test(
        "Every error has a code of the two and a sentence, and only a bad signature is a forgery",
        arguments: JWTError.allCases)
    func errors(_ error: JWTError) {
        #expect(error.code == (error == .expired ? "token_expired" : "invalid_token"))
        #expect(error.rule.hasSuffix("."))
        #expect(error.isForged == (error == .signatureInvalid))
    }

    @Test("Random bytes and random cuts of a token never trap and are never accepted", arguments: 0..<20)
    func noise(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let verifier = Self.factory.verifier()
        let token = Array(Self.factory.token(exp: Self.seconds + 900).utf8)
        for _ in 0..<200 {
            var bytes = token
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
            bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            guard bytes != token else { continue }
            let outcome = bytes.withUnsafeBytes { verifier.check($0, wall: Self.now) }
            #expect(outcome.accepted == nil)
        }
    }
}
