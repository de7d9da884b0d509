/// What a token must say besides being signed (contract: the `tokens` settings).
struct TokenPolicy: Equatable, Sendable {
    /// Accepted values of `iss`; empty: not asked.
    var issuers: [String] = []
    /// Must be in `aud`; nil: not asked.
    var audience: String?
    /// Names of the claims that hold the user, the role and the session.
    var userClaim = "sub"
    var roleClaim = "role"
    var sessionClaim = "sid"
    /// Further claims to keep, for the topic rules.
    var keptClaims: [String] = []
    /// For `nbf` and `iat`; `exp` has none.
    var leeway: Nanoseconds = 5 * .second
    /// More life left than this is refused; 0: no limit.
    var maximumLifetime: Nanoseconds = 3600 * .second

    /// Names this policy together with a key: what a verdict on a token was found under, and counts for. Rules are the
    /// operator's, so that nobody looks for two of the same number.
    func rules(with key: JSONWebKey) -> UInt64 {
        let texts =
            ["\(issuers.count)"] + issuers + [audience.map { "=" + $0 } ?? "", userClaim, roleClaim, sessionClaim]
            + keptClaims + ["\(leeway)", "\(maximumLifetime)"]
        return Digest.sha256(key.fingerprint.bytes + Array(texts.joined(separator: "\0").utf8)).word0
    }
}
