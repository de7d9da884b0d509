/// What signature work has found out about tokens, by their digest: two bounded caches, so that a flood of forged tokens
/// drives no verified one out.
///
/// The loops of a server share one: a client that comes back lands on any of them, and is known there. Each verdict names
/// the rules that it was found under (`TokenPolicy.rules`); under others it counts for nothing. So loops may change their
/// keys one after the other, and nothing has to be swept out.
struct TokenMemory: Sendable {
    struct Accepted: Sendable {
        let verified: VerifiedClaims
        let rules: UInt64
    }

    /// Only what another key or policy could judge otherwise: signature, issuer, audience, form of the claims.
    struct Refused: Sendable {
        let error: JWTError
        let rules: UInt64
    }

    enum Verdict: Sendable {
        case accepted(VerifiedClaims)
        case refused(JWTError)
    }

    var accepted: TokenCache<Accepted>
    var refused: TokenCache<Refused>

    /// `capacity`: entries of each of the two.
    init(capacity: Int) {
        accepted = TokenCache(capacity: capacity)
        refused = TokenCache(capacity: capacity)
    }

    /// What is known of a token under rules that are in force; `rules` holds those of each key.
    func verdict(on digest: SHA256Digest, under rules: [UInt64], wall: Nanoseconds) -> Verdict? {
        if let known = accepted[digest], rules.contains(known.rules) { return .accepted(known.verified) }
        // Once its `exp` has passed, a refused token too is simply an expired one.
        if let known = refused.value(for: digest, wall: wall), rules.contains(known.rules) {
            return .refused(known.error)
        }
        return nil
    }
}
