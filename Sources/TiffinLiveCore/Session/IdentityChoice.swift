/// Which identity counts when a browser sends a cookie more than once (contract section 4): independent of their order, and
/// never a guess between two users.
struct IdentityChoice {
    /// Why there is none, the more important ones last.
    enum Refusal: Comparable {
        case unauthorized(rank: Int, error: String)
        /// Seconds until a signature may be looked at again.
        case rateLimited(retryAfter: Int)
        /// The backend could not say.
        case unavailable

        static let invalid = unauthorized(rank: 0, error: "invalid_token")
        static let ticketInvalid = unauthorized(rank: 0, error: "ticket_invalid")
        static let expired = unauthorized(rank: 1, error: "token_expired")
        static let revoked = unauthorized(rank: 2, error: "revoked")

        init(_ error: JWTError) {
            self = error == .expired ? .expired : .invalid
        }
    }

    private var claims: ClaimsSet?
    private var refusal: Refusal?
    private var isContradictory = false

    /// One copy is good.
    mutating func add(_ other: ClaimsSet) {
        guard let claims else {
            self.claims = other
            return
        }
        guard JSONObject.isSame(claims.user, other.user), JSONObject.isSame(claims.role, other.role) else {
            isContradictory = true
            return
        }
        if other.expiresAt > claims.expiresAt { self.claims = other }
    }

    /// One copy is not.
    mutating func add(_ other: Refusal) {
        refusal = max(refusal ?? other, other)
    }

    /// What counts of all copies. That a copy could not be looked up leaves open whose it is.
    var outcome: Result<ClaimsSet, RefusedIdentity> {
        if refusal == .unavailable { return .failure(RefusedIdentity(reason: .unavailable)) }
        if isContradictory { return .failure(RefusedIdentity(reason: .invalid)) }
        if let claims { return .success(claims) }
        return .failure(RefusedIdentity(reason: refusal ?? .invalid))
    }

    struct RefusedIdentity: Error {
        let reason: Refusal
    }
}
