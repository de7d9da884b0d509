/// Why a token is refused. Carries nothing of the token, so that it can be logged and shown; the outside sees `code`
/// only, with one text for all causes.
enum JWTError: Error, Equatable, Sendable, CaseIterable {
    // Shape (RFC 7515 §3.1, §7.1)
    case tooLarge, notThreeParts, notBase64URL
    // Header (RFC 7515 §4)
    case headerTooLarge, headerNotJSON, headerMemberRefused, algorithmRefused, typeRefused, nested, keyIDInvalid
    // Key (RFC 8725 §3.1)
    case keyIDMissing, keyUnknown, algorithmNotOfKey
    case signatureInvalid
    // Claims (RFC 7519 §4.1)
    case claimsNotJSON
    case expirationMissing, expirationInvalid, expired
    case notBeforeInvalid, notYetValid
    case issuedAtInvalid, issuedInFuture, issuedTooLongAgo
    case lifetimeTooLong
    case issuerRefused, audienceRefused
    case userMissing, userInvalid, roleInvalid, sessionInvalid, tokenIDInvalid

    /// The word for the body of a 401 and for close reasons.
    var code: String {
        self == .expired ? "token_expired" : "invalid_token"
    }

    /// Whether a signature was there that is not the key's: the mark of a forger, or of a key that went away.
    var isForged: Bool { self == .signatureInvalid }

    /// The rule in one sentence, for `check-token` and the debug log.
    var rule: String {
        switch self {
        case .tooLarge: "The token is longer than 16 KiB."
        case .notThreeParts: "The token is not three parts with dots between, the first and the last not empty."
        case .notBase64URL: "A part is not strict base64url (no padding, no other characters, no stray bits)."
        case .headerTooLarge: "The header is longer than 2 KiB."
        case .headerNotJSON: "The header is not one JSON object with every member once."
        case .headerMemberRefused: "The header has crit, b64, zip, jwk, jku, x5u or x5c, none of which is accepted."
        case .algorithmRefused: "The header's alg is missing or not an accepted signature algorithm."
        case .typeRefused: "The header's typ is neither JWT nor at+jwt."
        case .nested: "The header's cty says that another token is inside."
        case .keyIDInvalid: "The header's kid is not a text of 1 to 256 bytes."
        case .keyIDMissing: "The header has no kid, and the key set has several keys."
        case .keyUnknown: "The header's kid is not in the key set."
        case .algorithmNotOfKey: "The header's alg is not the one that the key is pinned to."
        case .signatureInvalid: "The signature is not the key's."
        case .claimsNotJSON: "The claims are not one JSON object with every member once."
        case .expirationMissing: "There is no exp."
        case .expirationInvalid: "exp is not a number of seconds, zero or more."
        case .expired: "exp has passed."
        case .notBeforeInvalid: "nbf is not a number of seconds, zero or more."
        case .notYetValid: "nbf has not come, even with the leeway."
        case .issuedAtInvalid: "iat is not a number of seconds, zero or more."
        case .issuedInFuture: "iat lies in the future by more than the leeway."
        case .issuedTooLongAgo: "iat is further back than the longest lifetime allowed."
        case .lifetimeTooLong: "exp is further away than the longest lifetime allowed."
        case .issuerRefused: "iss is not an issuer on the list."
        case .audienceRefused: "aud does not contain our audience, or is not text or a list of texts."
        case .userMissing: "There is no user claim."
        case .userInvalid:
            "The user claim is not a whole number or a text of 1 to 256 bytes without control characters."
        case .roleInvalid: "The role claim is not a text of at most 256 bytes without control characters."
        case .sessionInvalid: "The session claim is not a whole number or a text of 1 to 1024 bytes."
        case .tokenIDInvalid: "jti is not a text of 1 to 1024 bytes."
        }
    }
}
