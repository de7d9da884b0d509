import Testing

@testable import TiffinLiveCore

private let now: Nanoseconds = 1_700_000_000 * .second
private let seconds: Int64 = 1_700_000_000
private let factory = TokenFactory.hs256

/// The token's parts, one of them changed.
private func changed(_ token: String, _ index: Int, _ text: String) -> String {
    var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    parts[index] = text
    return parts.joined(separator: ".")
}

private func forged(_ token: String) -> String { changed(token, 2, String(repeating: "A", count: 43)) }

private func encoded(_ json: String) -> String { Base64.encodeURL(Array(json.utf8)) }

@Suite("Of several faults the cheapest is told")
struct TokenPrecedenceTests {
    /// Faults in the order in which they are looked for: a token with two of them is refused for the first.
    private static let steps: [(JWTError, @Sendable (String) -> String)] = [
        (.notThreeParts, { $0 + ".x" }),
        (.headerNotJSON, { changed($0, 0, encoded("[]")) }),
        (.claimsNotJSON, { changed($0, 1, encoded("[]")) }),
        (.expirationMissing, { changed($0, 1, encoded("{}")) }),
        (.expired, { changed($0, 1, encoded("{\"exp\":1}")) }),
        (.keyUnknown, { changed($0, 0, encoded("{\"alg\":\"HS256\",\"kid\":\"nobody\"}")) }),
        (.notBase64URL, { changed($0, 2, "=") }),
        (.signatureInvalid, { forged($0) }),
    ]

    @Test("a pair of faults is refused for the earlier one", arguments: 0..<8)
    func pairs(first: Int) {
        let verifier = factory.verifier()
        let token = factory.token(exp: seconds + 900)
        let (error, change) = Self.steps[first]
        #expect(verifier.check(change(token), wall: now).refusal == error)
        for (_, later) in Self.steps[(first + 1)...] {
            // The later fault first, so that a change of the same part is overwritten by the earlier one's.
            #expect(verifier.check(change(later(token)), wall: now).refusal == error)
        }
        #expect(verifier.signatureCount == (first == 7 ? 1 : 0))
    }

    @Test("a forged token that has expired is expired: it is no mark of a forger, and costs nothing")
    func forgedAndExpired() {
        let verifier = factory.verifier()
        let token = forged(factory.token(exp: seconds - 1))
        let refusal = verifier.check(token, wall: now).refusal
        #expect(refusal == .expired && refusal?.isForged == false)
        #expect(verifier.signatureCount == 0 && verifier.refusedCount == 0)
    }

    @Test(
        "of claims that are refused for ever the first is told, before anything that time can heal",
        arguments: [
            (["iss": "x", "aud": "x", "role": 1, "nbf": .integer(seconds + 60)], .issuerRefused),
            (["aud": "x", "role": 1, "nbf": .integer(seconds + 60)], .audienceRefused),
            (["aud": "live", "role": 1, "nbf": .integer(seconds + 60)], .roleInvalid),
            (["aud": "live", "sid": "", "jti": 1], .sessionInvalid), (["aud": "live", "jti": 1], .tokenIDInvalid),
            (["iss": "x", "nbf": "1"], .notBeforeInvalid), (["iss": "x", "iat": "1"], .issuedAtInvalid),
            (["aud": "live", "nbf": .integer(seconds + 60), "iat": .integer(seconds + 60)], .notYetValid),
            (["aud": "live", "iat": .integer(seconds + 60), "exp": .integer(seconds + 9000)], .issuedInFuture),
            (["aud": "live", "exp": .integer(seconds + 9000), "iat": 1], .lifetimeTooLong),
            (["aud": "live", "iat": 1], .issuedTooLongAgo),
        ] as [(JSONObject, JWTError)])
    func claims(_ extra: JSONObject, _ error: JWTError) {
        var policy = TokenPolicy()
        policy.issuers = ["auth"]
        policy.audience = "live"
        var members: JSONObject = ["iss": "auth"]
        for member in extra.members { members[member.name] = member.value }
        let verifier = factory.verifier(policy: policy)
        let token = factory.token(exp: seconds + 900, extra: members)
        #expect(verifier.check(token, wall: now).refusal == error)
        // Once more from memory.
        #expect(verifier.check(token, wall: now, mayVerifySignature: false).refusal == error)
        #expect(verifier.signatureCount == 1)
    }
}

@Suite("What is remembered of a token, and until when")
struct TokenMemoryEdgeTests {
    @Test("an accepted token leaves the memory when it is seen expired, and needs no signature to be refused then")
    func expires() {
        let verifier = factory.verifier()
        let token = factory.token(exp: seconds + 10)
        #expect(verifier.check(token, wall: now).accepted != nil)
        #expect(verifier.check(token, wall: now + 10 * .second - 1).accepted != nil)
        #expect(verifier.acceptedCount == 1)
        #expect(verifier.check(token, wall: now + 10 * .second).refusal == .expired)
        #expect(verifier.acceptedCount == 0)
        #expect(verifier.check(token, wall: now + 11 * .second).refusal == .expired)
        #expect(verifier.signatureCount == 1)
    }

    @Test("refusals that only time makes are never put among the refused ones")
    func healing() {
        let verifier = factory.verifier()
        let early = factory.token(exp: seconds + 9000)
        #expect(verifier.check(early, wall: now).refusal == .lifetimeTooLong)
        #expect(verifier.refusedCount == 0 && verifier.acceptedCount == 1)
        #expect(verifier.check(early, wall: now + 5400 * .second, mayVerifySignature: false).accepted != nil)
    }

    @Test("the same keys and the same policy keep every verdict; other keys are asked again")
    func replace() {
        let verifier = factory.verifier()
        let good = factory.token(exp: seconds + 900)
        _ = verifier.check(good, wall: now)
        _ = verifier.check(forged(good), wall: now)
        #expect(verifier.acceptedCount == 1 && verifier.refusedCount == 1)
        verifier.replace(keys: factory.keySet)
        verifier.replace(keys: factory.keySet, policy: TokenPolicy())
        #expect(verifier.check(good, wall: now, mayVerifySignature: false).accepted != nil)
        #expect(verifier.check(forged(good), wall: now, mayVerifySignature: false).refusal == .signatureInvalid)
        verifier.replace(keys: TokenFactory(factory.key.algorithm).keySet)
        #expect(verifier.check(good, wall: now, mayVerifySignature: false).isUndecided)
        #expect(verifier.check(forged(good), wall: now, mayVerifySignature: false).isUndecided)
    }

    @Test(
        "each part of a policy that changes has remembered tokens judged anew",
        arguments: [
            (TokenPolicy(issuers: ["x"]), .issuerRefused), (TokenPolicy(audience: "x"), .audienceRefused),
            (TokenPolicy(userClaim: "uid"), .userMissing), (TokenPolicy(maximumLifetime: .second), .lifetimeTooLong),
        ] as [(TokenPolicy, JWTError)])
    func policies(_ policy: TokenPolicy, _ error: JWTError) {
        let verifier = factory.verifier()
        let token = factory.token(exp: seconds + 900)
        #expect(verifier.check(token, wall: now).accepted != nil)
        verifier.replace(keys: factory.keySet, policy: policy)
        #expect(verifier.check(token, wall: now, mayVerifySignature: false).isUndecided)
        #expect(verifier.check(token, wall: now).refusal == error)
        verifier.replace(keys: factory.keySet, policy: TokenPolicy())
        #expect(verifier.check(token, wall: now).accepted != nil, "the old policy is back")
    }

    @Test("a policy that keeps another claim gives the identity anew, with that claim")
    func keptClaims() {
        let verifier = factory.verifier()
        let token = factory.token(exp: seconds + 900, extra: ["tenant": "t1"])
        #expect(verifier.check(token, wall: now).accepted?.extra == [:])
        verifier.replace(keys: factory.keySet, policy: TokenPolicy(keptClaims: ["tenant"]))
        #expect(verifier.check(token, wall: now).accepted?.extra == ["tenant": ["t1"]])
    }
}

@Suite("Rules about the moment")
struct VerifiedClaimsTests {
    private func claims(issuedAt: Nanoseconds? = nil, expiresAt: Nanoseconds, notBefore: Nanoseconds = .min)
        -> VerifiedClaims
    {
        VerifiedClaims(
            claims: ClaimsSet(user: "u", issuedAt: issuedAt, expiresAt: expiresAt), notBefore: notBefore)
    }

    private let policy = TokenPolicy(leeway: 5, maximumLifetime: 100)

    @Test("exp has no leeway, and its very instant is too late")
    func expiry() {
        #expect(claims(expiresAt: 1000).refusal(at: 999, under: policy) == nil)
        #expect(claims(expiresAt: 1000).refusal(at: 1000, under: policy) == .expired)
        #expect(claims(expiresAt: .max).refusal(at: .max, under: policy) == .expired)
    }

    @Test("nbf and iat have the leeway to the nanosecond")
    func leeway() {
        #expect(claims(expiresAt: 1050, notBefore: 1005).refusal(at: 1000, under: policy) == nil)
        #expect(claims(expiresAt: 1050, notBefore: 1006).refusal(at: 1000, under: policy) == .notYetValid)
        #expect(claims(issuedAt: 1005, expiresAt: 1050).refusal(at: 1000, under: policy) == nil)
        #expect(claims(issuedAt: 1006, expiresAt: 1050).refusal(at: 1000, under: policy) == .issuedInFuture)
    }

    @Test("the life that is left has a bound to the nanosecond, and so has the life behind, with the leeway")
    func lifetime() {
        #expect(claims(expiresAt: 1100).refusal(at: 1000, under: policy) == nil)
        #expect(claims(expiresAt: 1101).refusal(at: 1000, under: policy) == .lifetimeTooLong)
        #expect(claims(issuedAt: 895, expiresAt: 1050).refusal(at: 1000, under: policy) == nil)
        #expect(claims(issuedAt: 894, expiresAt: 1050).refusal(at: 1000, under: policy) == .issuedTooLongAgo)
    }

    @Test("without a longest lifetime neither end is asked")
    func noLifetime() {
        let free = TokenPolicy(leeway: 5, maximumLifetime: 0)
        #expect(claims(issuedAt: 0, expiresAt: .max).refusal(at: 1_000_000, under: free) == nil)
        #expect(claims(issuedAt: 1_000_006, expiresAt: .max).refusal(at: 1_000_000, under: free) == .issuedInFuture)
    }

    @Test("the ends of the clock trap nothing", arguments: [Nanoseconds.min, -1, 0, Nanoseconds.max - 1])
    func extremes(_ wall: Nanoseconds) {
        for policy in [policy, TokenPolicy(leeway: .max, maximumLifetime: .max)] {
            for moment in [Nanoseconds.min, 0, .max] {
                _ = claims(issuedAt: moment, expiresAt: .max, notBefore: moment).refusal(at: wall, under: policy)
            }
        }
        #expect(claims(expiresAt: .min).refusal(at: .min, under: policy) == .expired)
    }
}
