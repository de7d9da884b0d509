/// What is kept of a verified token (RFC 7519 §4): the identity of a connection. One for each token, immutable and
/// shared by all connections and caches that lean on it.
final class ClaimsSet: Sendable {
    /// Text also when the token has a number: `5521` and `"5521"` are the same user.
    let user: String
    /// Empty when the token names none.
    let role: String
    let session: String?
    /// `jti`.
    let tokenID: String?
    /// `iat`, wall clock.
    let issuedAt: Nanoseconds?
    /// `exp`, wall clock; the end of the range when it lies past that.
    let expiresAt: Nanoseconds
    /// Which key signed it (`JSONWebKey.mark`); 0 when none did.
    let key: UInt64
    /// The claims that `TokenPolicy.keptClaims` names: a scalar is one text, an array its texts.
    let extra: [String: [String]]

    init(
        user: String, role: String = "", session: String? = nil, tokenID: String? = nil,
        issuedAt: Nanoseconds? = nil, expiresAt: Nanoseconds, key: UInt64 = 0, extra: [String: [String]] = [:]
    ) {
        self.user = user
        self.role = role
        self.session = session
        self.tokenID = tokenID
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.key = key
        self.extra = extra
    }
}
