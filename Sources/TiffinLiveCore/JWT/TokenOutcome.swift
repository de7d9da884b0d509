/// What `TokenVerifier` found out about a token.
enum TokenOutcome: Sendable {
    case accepted(ClaimsSet)
    case refused(JWTError)
    /// The cheap checks and the caches cannot tell, and signature work was not allowed.
    case needsSignature
}
