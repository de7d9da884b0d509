/// What the server would say to a token, with the rule that refuses it: for `check-token`. The outside only ever hears
/// "expired" or "invalid".
package enum TokenCheck: Equatable, Sendable {
    case accepted(user: String, role: String, expiresIn: Int)
    /// The rule in one sentence; nothing of the token.
    case refused(rule: String)

    /// Reads the key file and the clock.
    package static func check(
        _ token: [UInt8], under configuration: ServerConfiguration
    ) throws(ServerError) -> TokenCheck {
        let keys = try RunningServer.readKeys(configuration)
        return check(token, keys: keys, policy: configuration.tokenPolicy, wall: Clock.now().wall)
    }

    static func check(_ token: [UInt8], keys: KeySet, policy: TokenPolicy, wall: Nanoseconds) -> TokenCheck {
        let verifier = TokenVerifier(keys: keys, policy: policy, cacheCapacity: 1)
        switch token.withUnsafeBytes({ verifier.check($0, wall: wall) }) {
        case .accepted(let claims):
            return .accepted(
                user: claims.user, role: claims.role, expiresIn: Int((claims.expiresAt - wall) / .second))
        case .refused(let error):
            return .refused(rule: error.rule)
        case .needsSignature:
            return .refused(rule: "The signature could not be verified.")
        }
    }
}
