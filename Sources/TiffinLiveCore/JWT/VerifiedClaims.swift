/// Claims under a good signature, with what the rules about time need each time that they are asked again.
struct VerifiedClaims: Sendable {
    let claims: ClaimsSet
    /// `nbf`, wall clock; the beginning of time when there is none.
    let notBefore: Nanoseconds

    /// The rules that depend on the moment (RFC 7519 §4.1.4–4.1.6); nil when all are kept. `exp` first and without
    /// leeway: at its very instant the token is expired.
    func refusal(at wall: Nanoseconds, under policy: TokenPolicy) -> JWTError? {
        if wall >= claims.expiresAt { return .expired }
        let latest = wall.clampedAdding(policy.leeway)
        if notBefore > latest { return .notYetValid }
        if let issuedAt = claims.issuedAt, issuedAt > latest { return .issuedInFuture }
        guard policy.maximumLifetime > 0 else { return nil }
        if claims.expiresAt > wall.clampedAdding(policy.maximumLifetime) { return .lifetimeTooLong }
        // Revocations are remembered for the longest lifetime only: an older token may have been revoked before that.
        let earliest = wall.clampedAdding(-policy.maximumLifetime).clampedAdding(-policy.leeway)
        if let issuedAt = claims.issuedAt, issuedAt < earliest {
            return .issuedTooLongAgo
        }
        return nil
    }
}
