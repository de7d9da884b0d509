import Testing

@testable import TiffinLiveCore

@Suite("Verified and refused tokens are remembered, and forgotten when they must be")
struct TokenMemoryTests {
    static let now = 1_700_000_000 * Nanoseconds.second
    static let seconds: Int64 = 1_700_000_000
    static let factory = TokenFactory.es256

    /// The token with a signature of the right length that is not the key's.
    static func forged(_ token: String) -> String {
        token.split(separator: ".").dropLast().joined(separator: ".") + "." + String(repeating: "A", count: 86)
    }

    static func set(_ keys: SigningKey...) throws -> KeySet {
        var list: [JSONValue] = []
        for key in keys { list += try JSONReader.read(Array(key.publicJWKS.utf8))["keys"]?.arrayValue ?? [] }
        let set: JSONValue = ["keys": .array(list)]
        return try KeySet.read(Array(set.jsonText.utf8))
    }

    @Test("The second look at a token costs no signature and gives the same identity")
    func accepted() throws {
        let verifier = Self.factory.verifier()
        let token = Self.factory.token(exp: Self.seconds + 900)
        let first = try #require(verifier.check(token, wall: Self.now).accepted)
        let second = try #require(verifier.check(token, wall: Self.now + 1, mayVerifySignature: false).accepted)
        #expect(first === second)
        #expect(verifier.signatureCount == 1)
    }

    @Test("A forged token is refused from memory the second time")
    func refused() {
        let verifier = Self.factory.verifier()
        let token = Self.forged(Self.factory.token(exp: Self.seconds + 900))
        #expect(verifier.check(token, wall: Self.now, mayVerifySignature: false).isUndecided)
        #expect(verifier.check(token, wall: Self.now).refusal == .signatureInvalid)
        for _ in 0..<100 {
            let outcome = verifier.check(token, wall: Self.now, mayVerifySignature: false)
            #expect(outcome.refusal == .signatureInvalid)
        }
        #expect(verifier.signatureCount == 1)
    }

    @Test("A refused token counts as expired once its exp has passed, and as forged no more")
    func refusedThenExpired() {
        let verifier = Self.factory.verifier()
        let token = Self.forged(Self.factory.token(exp: Self.seconds + 900))
        #expect(verifier.check(token, wall: Self.now).refusal?.isForged == true)
        #expect(verifier.check(token, wall: Self.now + 900 * .second).refusal == .expired)
        #expect(verifier.check(token, wall: Self.now).refusal?.isForged == true, "the clock was set back")
        #expect(verifier.signatureCount == 1)
    }

    @Test("Without leave for signature work only what is neither cheap nor known stays undecided")
    func undecided() {
        let verifier = Self.factory.verifier()
        let token = Self.factory.token(exp: Self.seconds + 900)
        #expect(verifier.check(token, wall: Self.now, mayVerifySignature: false).isUndecided)
        #expect(verifier.check("a.b", wall: Self.now, mayVerifySignature: false).refusal == .notThreeParts)
        let foreign = TokenFactory(.ES256, keyID: "other").token(exp: Self.seconds + 900)
        #expect(verifier.check(foreign, wall: Self.now, mayVerifySignature: false).refusal == .keyUnknown)
        #expect(verifier.signatureCount == 0)
        #expect(verifier.check(token, wall: Self.now).accepted != nil)
        #expect(verifier.check(token, wall: Self.now, mayVerifySignature: false).accepted != nil)
    }

    @Test("B38: unknown kids cost no signature and no memory")
    func unknownKeys() {
        let verifier = Self.factory.verifier()
        for number in 0..<5000 {
            let header = "{\"alg\":\"ES256\",\"kid\":\"k\(number)\"}"
            let token =
                "\(Base64.encodeURL(Array(header.utf8))).\(Base64.encodeURL(Array("{\"exp\":9999999999}".utf8))).AAAA"
            #expect(verifier.check(token, wall: Self.now).refusal == .keyUnknown)
        }
        #expect(verifier.signatureCount == 0)
        #expect(verifier.refusedCount == 0)
    }

    @Test("Ten thousand forged tokens fill the memory to its bound and push no verified one out")
    func flood() {
        let factory = TokenFactory.hs256
        let verifier = factory.verifier(cacheCapacity: 64)
        let good = factory.token(exp: Self.seconds + 900)
        #expect(verifier.check(good, wall: Self.now).accepted != nil)
        let header = good.split(separator: ".")[0]
        for number in 0..<10_000 {
            let payload = Base64.encodeURL(Array("{\"exp\":\(Self.seconds + 900),\"n\":\(number)}".utf8))
            let token = "\(header).\(payload).\(String(repeating: "A", count: 43))"
            #expect(verifier.check(token, wall: Self.now).refusal == .signatureInvalid)
        }
        #expect(verifier.refusedCount == 64)
        #expect(verifier.acceptedCount == 1)
        #expect(verifier.check(good, wall: Self.now, mayVerifySignature: false).accepted != nil)
    }

    @Test("K3: a new key beside the old one is accepted, and what the old one verified stays known")
    func rotation() throws {
        let old = try SigningKey.generate(.ES256, keyID: "old")
        let new = try SigningKey.generate(.EdDSA, keyID: "new")
        let claims: JSONObject = ["sub": "5521", "exp": .integer(Self.seconds + 900)]
        let oldToken = try old.sign(claims: claims)
        let newToken = try new.sign(claims: claims)
        let verifier = TokenVerifier(keys: try Self.set(old), policy: TokenPolicy(), cacheCapacity: 64)
        #expect(verifier.check(oldToken, wall: Self.now).accepted != nil)
        #expect(verifier.check(newToken, wall: Self.now).refusal == .keyUnknown)
        verifier.replace(keys: try Self.set(new, old))
        #expect(verifier.check(oldToken, wall: Self.now, mayVerifySignature: false).accepted != nil)
        #expect(verifier.check(newToken, wall: Self.now).accepted != nil)
        verifier.replace(keys: try Self.set(new))
        #expect(verifier.check(oldToken, wall: Self.now).refusal == .keyUnknown)
        #expect(verifier.check(newToken, wall: Self.now, mayVerifySignature: false).accepted != nil)
    }

    @Test("A key replaced under the same kid takes its tokens with it, and refusals are asked again")
    func sameKeyID() throws {
        let first = try SigningKey.generate(.ES256, keyID: "k")
        let second = try SigningKey.generate(.ES256, keyID: "k")
        let claims: JSONObject = ["sub": "5521", "exp": .integer(Self.seconds + 900)]
        let token = try first.sign(claims: claims)
        let next = try second.sign(claims: claims)
        let verifier = TokenVerifier(keys: try Self.set(first), policy: TokenPolicy(), cacheCapacity: 64)
        #expect(verifier.check(token, wall: Self.now).accepted != nil)
        #expect(verifier.check(next, wall: Self.now).refusal == .signatureInvalid)
        verifier.replace(keys: try Self.set(second))
        #expect(verifier.check(token, wall: Self.now).refusal == .signatureInvalid)
        #expect(verifier.check(next, wall: Self.now).accepted != nil)
    }

    @Test("Another policy judges remembered tokens anew; the same one forgets nothing verified")
    func policyChange() {
        let verifier = Self.factory.verifier()
        let token = Self.factory.token(exp: Self.seconds + 900)
        #expect(verifier.check(token, wall: Self.now).accepted != nil)
        verifier.replace(keys: Self.factory.keySet, policy: TokenPolicy())
        #expect(verifier.check(token, wall: Self.now, mayVerifySignature: false).accepted != nil)
        var policy = TokenPolicy()
        policy.audience = "live"
        verifier.replace(keys: Self.factory.keySet, policy: policy)
        #expect(verifier.check(token, wall: Self.now).refusal == .audienceRefused)
        #expect(verifier.check(token, wall: Self.now, mayVerifySignature: false).refusal == .audienceRefused)
    }

    @Test("What one loop has found out is known to all that share the memory")
    func shared() {
        let memory = Unshared(TokenMemory(capacity: 64))
        let loops = (0..<3).map { _ in
            TokenVerifier(keys: Self.factory.keySet, policy: TokenPolicy(), memory: memory)
        }
        let token = Self.factory.token(exp: Self.seconds + 900)
        #expect(loops[0].check(token, wall: Self.now).accepted != nil)
        #expect(loops[1].check(Self.forged(token), wall: Self.now).refusal == .signatureInvalid)
        for loop in loops {
            #expect(loop.check(token, wall: Self.now, mayVerifySignature: false).accepted != nil)
            let refusal = loop.check(Self.forged(token), wall: Self.now, mayVerifySignature: false).refusal
            #expect(refusal == .signatureInvalid)
        }
        #expect(loops.map(\.signatureCount) == [1, 1, 0])
    }

    @Test("A loop that has its new keys later than another takes no verdict from it, and gives it none")
    func reloadOneAfterTheOther() throws {
        let first = try SigningKey.generate(.ES256, keyID: "k")
        let second = try SigningKey.generate(.ES256, keyID: "k")
        let claims: JSONObject = ["sub": "5521", "exp": .integer(Self.seconds + 900)]
        let token = try second.sign(claims: claims)
        let memory = Unshared(TokenMemory(capacity: 64))
        let old = TokenVerifier(keys: try Self.set(first), policy: TokenPolicy(), memory: memory)
        let new = TokenVerifier(keys: try Self.set(first), policy: TokenPolicy(), memory: memory)
        new.replace(keys: try Self.set(second))
        #expect(old.check(token, wall: Self.now).refusal == .signatureInvalid)
        #expect(new.check(token, wall: Self.now).accepted != nil)
        #expect(old.check(token, wall: Self.now, mayVerifySignature: false).refusal == .signatureInvalid)
        old.replace(keys: try Self.set(second))
        #expect(old.check(token, wall: Self.now, mayVerifySignature: false).accepted != nil)
    }

    @Test(
        "Every part of the policy makes other rules, and so does the key",
        arguments: [
            { $0.issuers = ["a"] }, { $0.audience = "a" }, { $0.userClaim = "a" }, { $0.roleClaim = "a" },
            { $0.sessionClaim = "a" }, { $0.keptClaims = ["a"] }, { $0.leeway = 1 }, { $0.maximumLifetime = 1 },
        ] as [@Sendable (inout TokenPolicy) -> Void])
    func rules(change: @Sendable (inout TokenPolicy) -> Void) {
        let key = Self.factory.keySet.keys[0]
        let other = TokenFactory.hs256.keySet.keys[0]
        var policy = TokenPolicy()
        #expect(policy.rules(with: key) == TokenPolicy().rules(with: key))
        #expect(policy.rules(with: key) != policy.rules(with: other))
        change(&policy)
        #expect(policy.rules(with: key) != TokenPolicy().rules(with: key))
    }

    @Test("Without caches everything is decided the same, only dearer")
    func noCache() {
        let verifier = Self.factory.verifier(cacheCapacity: 0)
        let token = Self.factory.token(exp: Self.seconds + 900)
        for _ in 0..<3 {
            #expect(verifier.check(token, wall: Self.now).accepted != nil)
            #expect(verifier.check(Self.forged(token), wall: Self.now).refusal == .signatureInvalid)
        }
        #expect(verifier.signatureCount == 6)
    }

    @Test("S2: a second text of the same signature is a second token, verified by itself")
    func malleability() {
        let verifier = Self.factory.verifier()
        let token = Self.factory.token(sub: "1", exp: Self.seconds + 900)
        let again = Self.factory.token(sub: "1", exp: Self.seconds + 900)
        #expect(token != again, "ECDSA signs with a fresh number each time")
        #expect(verifier.check(token, wall: Self.now).accepted?.user == "1")
        #expect(verifier.check(again, wall: Self.now).accepted?.user == "1")
        #expect(verifier.signatureCount == 2)
    }
}
