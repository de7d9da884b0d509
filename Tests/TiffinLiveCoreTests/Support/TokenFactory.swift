@testable import TiffinLiveCore

/// Mints tokens for tests, each factory with a key of its own. The clock is the test's: `exp` is always given.
struct TokenFactory: Sendable {
    /// Made once for all tests: key generation is the dear part.
    static let es256 = TokenFactory(.ES256)
    static let hs256 = TokenFactory(.HS256)

    let key: SigningKey
    let keySet: KeySet

    init(_ key: SigningKey) throws {
        self.key = key
        keySet = try KeySet.read(Array(key.publicJWKS.utf8))
    }

    /// A broken libcrypto ends the test run: nothing else could be tested either.
    init(_ algorithm: SignatureAlgorithm, keyID: String? = "test-key") {
        do {
            key = try SigningKey.generate(algorithm, keyID: keyID)
            keySet = try KeySet.read(Array(key.publicJWKS.utf8))
        } catch {
            fatalError("no test key: \(error)")
        }
    }

    /// `exp` and `iat` are NumericDates in whole seconds. `extra` overrides the rest, member by member.
    func token(
        sub: JSONValue = "5521", role: String? = "rider", exp: Int64, iat: Int64? = nil, jti: String? = nil,
        extra: JSONObject = JSONObject()
    ) -> String {
        var claims = JSONObject(("sub", sub))
        claims["role"] = role.map { .string($0) }
        claims["exp"] = .integer(exp)
        claims["iat"] = iat.map { .integer($0) }
        claims["jti"] = jti.map { .string($0) }
        for member in extra.members { claims[member.name] = member.value }
        return sign(claims)
    }

    /// A token with exactly these claims.
    func sign(_ claims: JSONObject) -> String {
        do {
            return try key.sign(claims: claims)
        } catch {
            fatalError("cannot sign: \(error)")
        }
    }

    /// A token of any two texts, well formed or not, under a good signature.
    func sign(header: String, payload: String) -> String {
        sign(header: Array(header.utf8), payload: Array(payload.utf8))
    }

    func sign(header: [UInt8], payload: [UInt8]) -> String {
        do {
            return try key.sign(header: header, payload: payload)
        } catch {
            fatalError("cannot sign: \(error)")
        }
    }

    func verifier(policy: TokenPolicy = TokenPolicy(), cacheCapacity: Int = 64) -> TokenVerifier {
        TokenVerifier(keys: keySet, policy: policy, cacheCapacity: cacheCapacity)
    }
}

extension TokenVerifier {
    /// `check` on text, signature work allowed.
    func check(_ token: String, wall: Nanoseconds, mayVerifySignature: Bool = true) -> TokenOutcome {
        Array(token.utf8).withUnsafeBytes { check($0, wall: wall, mayVerifySignature: mayVerifySignature) }
    }
}

extension TokenOutcome {
    var accepted: ClaimsSet? {
        guard case .accepted(let claims) = self else { return nil }
        return claims
    }

    var refusal: JWTError? {
        guard case .refused(let error) = self else { return nil }
        return error
    }

    var isUndecided: Bool {
        guard case .needsSignature = self else { return false }
        return true
    }
}
