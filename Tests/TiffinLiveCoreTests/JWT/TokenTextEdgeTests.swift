import Testing

@testable import TiffinLiveCore

private let seconds: Int64 = 1_700_000_000
private let now = seconds * Nanoseconds.second

@Suite("Texts of claims and keys, at the edges")
struct TokenTextEdgeTests {
    @Test(
        "no control character, of either block, is in a user or a role; what stands beside them may be",
        arguments: [
            (0x00, false), (0x1F, false), (0x20, true), (0x7E, true), (0x7F, false), (0x80, false), (0x9F, false),
            (0xA0, true), (0x10FFFF, true),
        ] as [(UInt32, Bool)])
    func controls(_ code: UInt32, _ isGood: Bool) throws {
        let scalar = try #require(Unicode.Scalar(code))
        let text = "a" + String(Character(scalar)) + "b"
        let factory = TokenFactory.hs256
        let verifier = factory.verifier()
        let asUser = factory.token(sub: .string(text), exp: seconds + 9)
        let asRole = factory.token(role: text, exp: seconds + 9)
        #expect(verifier.check(asUser, wall: now).refusal == (isGood ? nil : .userInvalid))
        #expect(verifier.check(asRole, wall: now).refusal == (isGood ? nil : .roleInvalid))
    }

    @Test("a role has at most 256 bytes, a session and a jti 1024, and each at least one but the role")
    func lengths() {
        let factory = TokenFactory.hs256
        let verifier = factory.verifier()
        func refusal(_ claim: String, _ count: Int) -> JWTError? {
            let text = String(repeating: "x", count: count)
            let token = factory.token(exp: seconds + 9, extra: JSONObject((claim, .string(text))))
            return verifier.check(token, wall: now).refusal
        }
        for (claim, longest, error) in [
            ("role", 256, JWTError.roleInvalid), ("sid", 1024, .sessionInvalid), ("jti", 1024, .tokenIDInvalid),
        ] {
            #expect(refusal(claim, longest) == nil)
            #expect(refusal(claim, longest + 1) == error)
            #expect(refusal(claim, 1) == nil)
            #expect(refusal(claim, 0) == (claim == "role" ? nil : error))
        }
    }

    @Test(
        "no private member of any kind is taken in a verifier's file",
        arguments: ["d", "p", "q", "dp", "dq", "qi", "oth"])
    func privateMembers(_ name: String) throws {
        for algorithm in [SignatureAlgorithm.ES256, .RS256, .EdDSA] {
            let members = try KeySetTests.jwk(algorithm, JSONObject((name, .null)))
            #expect(KeySetTests.error(members)?.contains("private key") == true, "\(algorithm)")
        }
        // It says nothing in a secret, which has no other half.
        #expect(KeySetTests.error(try KeySetTests.jwk(.HS256, JSONObject((name, .null)))) == nil)
    }

    @Test("a kid is shown when it is plain and has at most 64 bytes")
    func labels() {
        let longest = String(repeating: "k", count: 64)
        #expect(KeySetError.label(longest) == " (kid \"\(longest)\")")
        for kid in [longest + "k", "a b", "a\n", "\u{7F}", "é"] { #expect(KeySetError.label(kid) == "", "\(kid)") }
        #expect(KeySetError.label(nil) == "")
        #expect(KeySetError(problem: "x").description == "the key set x")
        #expect(KeySetError(index: 0, keyID: "a", problem: "x").description == "key 1 (kid \"a\") x")
    }

    @Test(
        "a new secret has twice the size of its hash",
        arguments: [(SignatureAlgorithm.HS256, 64), (.HS384, 96), (.HS512, 128)])
    func secrets(_ algorithm: SignatureAlgorithm, _ size: Int) throws {
        let key = try SigningKey.generate(algorithm, keyID: nil)
        let members = try #require(try JSONReader.read(Array(key.privateJWK.utf8)).objectValue)
        let text = try #require(members["k"]?.stringValue)
        #expect(Array(text.utf8).withUnsafeBytes { Base64.decodeURL($0)?.count } == size)
        #expect(members["kid"] == nil)
    }

    @Test("keys with and without a kid are different keys, also when the kid is empty-looking")
    func fingerprints() throws {
        func fingerprint(_ kid: String?) throws -> SHA256Digest? {
            let members = try KeySetTests.jwk(.ES256, kid: kid)
            return try KeySet.read(Array(JSONValue.object(members).jsonText.utf8)).keys.first?.fingerprint
        }
        let all = try [nil, "=", "a", "=a"].map(fingerprint)
        #expect(Set(all).count == 4)
    }

    @Test(
        "a date with a fraction or an exponent is exact up to nine thousand million seconds, and the end of time behind",
        arguments: [
            ("8999999999.5", 8_999_999_999_500_000_000), ("8999999999e0", 8_999_999_999_000_000_000), ("9e9", .max),
            ("9223372036.5", .max), ("9.25e9", .max), ("9299999999.5", .max), ("1e18", .max),
            ("9000000000", 9_000_000_000_000_000_000), ("9223372036", 9_223_372_036_000_000_000),
        ] as [(String, Nanoseconds)])
    func dates(_ text: String, _ moment: Nanoseconds) throws {
        #expect(NumericDate.nanoseconds(.number(JSONNumber(text: text))) == moment)
    }

    @Test(
        "a public key is told to be no signing key, in so many words",
        arguments: [SignatureAlgorithm.ES256, .RS256, .EdDSA])
    func publicHalf(_ algorithm: SignatureAlgorithm) throws {
        let members = try KeySetTests.jwk(algorithm)
        let error = SigningKeyTests.error(JSONValue.object(members).jsonText)
        #expect(error == "the signing key has no private part (\"d\")")
    }

    @Test("keys that come in another order verify with the right one after a reload")
    func reordered() throws {
        let a = try SigningKey.generate(.ES256, keyID: "a")
        let b = try SigningKey.generate(.ES256, keyID: "b")
        func set(_ keys: [SigningKey]) throws -> KeySet {
            let list = try keys.flatMap { try JSONReader.read(Array($0.publicJWKS.utf8))["keys"]?.arrayValue ?? [] }
            let all: JSONValue = ["keys": .array(list)]
            return try KeySet.read(Array(all.jsonText.utf8))
        }
        let verifier = TokenVerifier(keys: try set([a, b]), policy: TokenPolicy(), cacheCapacity: 0)
        for keys in [[a, b], [b, a], [a, b]] {
            verifier.replace(keys: try set(keys))
            for key in keys {
                let token = try key.sign(claims: ["sub": "1", "exp": .integer(seconds + 9)])
                #expect(verifier.check(token, wall: now).accepted != nil)
            }
        }
    }
}
