/// Reads the claims of a token (RFC 7519 §4) under a policy. The rules here hold for ever; those that depend on the
/// moment are in `VerifiedClaims`.
struct ClaimsReader {
    static let maximumNameSize = 256
    static let maximumIDSize = 1024

    let policy: TokenPolicy

    /// The JSON object of a payload part.
    static func members(base64URL text: UnsafeRawBufferPointer) throws(JWTError) -> JSONObject {
        guard let bytes = Base64.decodeURL(text) else { throw .notBase64URL }
        do {
            guard let object = try JSONReader.read(bytes).objectValue else { throw JWTError.claimsNotJSON }
            return object
        } catch {
            throw .claimsNotJSON
        }
    }

    /// `exp`, which is mandatory. Asked before the signature, so that a stale token costs none.
    static func expiration(of members: JSONObject) throws(JWTError) -> Nanoseconds {
        guard let value = members["exp"] else { throw .expirationMissing }
        guard let expiration = NumericDate.nanoseconds(value) else { throw .expirationInvalid }
        return expiration
    }

    /// - Parameter key: which key's signature the claims are under; 0 = none.
    func read(_ members: JSONObject, key: UInt64 = 0) throws(JWTError) -> VerifiedClaims {
        let expiresAt = try Self.expiration(of: members)
        var notBefore = Nanoseconds.min
        if let value = members["nbf"] {
            guard let instant = NumericDate.nanoseconds(value) else { throw .notBeforeInvalid }
            notBefore = instant
        }
        var issuedAt: Nanoseconds?
        if let value = members["iat"] {
            issuedAt = NumericDate.nanoseconds(value)
            if issuedAt == nil { throw .issuedAtInvalid }
        }
        try checkIssuer(members["iss"])
        try checkAudience(members["aud"])
        let claims = ClaimsSet(
            user: try user(members[policy.userClaim]),
            role: try role(members[policy.roleClaim]),
            session: try identifier(members[policy.sessionClaim], takesNumbers: true, orThrow: .sessionInvalid),
            tokenID: try identifier(members["jti"], takesNumbers: false, orThrow: .tokenIDInvalid),
            issuedAt: issuedAt, expiresAt: expiresAt, key: key, extra: extra(members))
        return VerifiedClaims(claims: claims, notBefore: notBefore)
    }

    /// RFC 7519 §4.1.1; compared byte by byte (RFC 7519 §2, StringOrURI), so no other case and no slash at the end.
    private func checkIssuer(_ value: JSONValue?) throws(JWTError) {
        guard !policy.issuers.isEmpty else { return }
        guard let issuer = value?.stringValue, policy.issuers.contains(where: { JSONObject.isSame($0, issuer) }) else {
            throw .issuerRefused
        }
    }

    /// RFC 7519 §4.1.3: one text, or a list of texts.
    private func checkAudience(_ value: JSONValue?) throws(JWTError) {
        guard let audience = policy.audience else { return }
        switch value {
        case .string(let text)?:
            guard JSONObject.isSame(text, audience) else { throw .audienceRefused }
        case .array(let elements)?:
            let texts = elements.compactMap(\.stringValue)
            guard texts.count == elements.count, texts.contains(where: { JSONObject.isSame($0, audience) }) else {
                throw .audienceRefused
            }
        default:
            throw .audienceRefused
        }
    }

    private func user(_ value: JSONValue?) throws(JWTError) -> String {
        guard let value else { throw .userMissing }
        guard let text = Self.text(value), Self.isName(text), !text.isEmpty else { throw .userInvalid }
        return text
    }

    private func role(_ value: JSONValue?) throws(JWTError) -> String {
        guard let value else { return "" }
        guard let text = value.stringValue, Self.isName(text) else { throw .roleInvalid }
        return text
    }

    private func identifier(
        _ value: JSONValue?, takesNumbers: Bool, orThrow error: JWTError
    ) throws(JWTError) -> String? {
        guard let value else { return nil }
        guard let text = takesNumbers ? Self.text(value) : value.stringValue,
            (1...Self.maximumIDSize).contains(text.utf8.count)
        else { throw error }
        return text
    }

    private func extra(_ members: JSONObject) -> [String: [String]] {
        var extra: [String: [String]] = [:]
        for name in policy.keptClaims {
            switch members[name] {
            case .array(let elements)?: extra[name] = elements.compactMap(Self.scalarText)
            case let value?: extra[name] = Self.scalarText(value).map { [$0] }
            case nil: break
            }
        }
        return extra
    }

    /// A text, or a whole number as text.
    private static func text(_ value: JSONValue) -> String? {
        if let text = value.stringValue { return text }
        guard let number = value.numberValue, number.text.utf8.count <= maximumNameSize else { return nil }
        // The one whole number that JSON writes in two ways.
        if number.text == "-0" { return "0" }
        return number.text.utf8.allSatisfy { ASCII.isDigit($0) || $0 == ASCII.minus } ? number.text : nil
    }

    private static func scalarText(_ value: JSONValue) -> String? {
        if let flag = value.boolValue { return flag ? "true" : "false" }
        return text(value) ?? value.numberValue?.text
    }

    /// Names of users and roles end up in topics, in Redis commands and in logs: no C0, DEL or C1 controls.
    private static func isName(_ text: String) -> Bool {
        text.utf8.count <= maximumNameSize
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }
}
