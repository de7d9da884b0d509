/// One revocation (contract section 7.6), as it comes on the `revocations` channel or to `POST /revoke`:
/// `{"user_id":5521,"reason":"suspended"}`. All members that it names must match.
struct Revocation: Equatable, Sendable {
    static let maximumBytes = 64 * 1024

    let user: String?
    let tokenID: String?
    let session: String?
    let role: String?
    /// Wall clock; nil = the moment of the revocation.
    let issuedBefore: Nanoseconds?
    let reason: String?

    init(
        user: String? = nil, tokenID: String? = nil, session: String? = nil, role: String? = nil,
        issuedBefore: Nanoseconds? = nil, reason: String? = nil
    ) {
        self.user = user
        self.tokenID = tokenID
        self.session = session
        self.role = role
        self.issuedBefore = issuedBefore
        self.reason = reason
    }

    /// Reads the JSON text strictly; members that it does not know are ignored.
    static func read(_ json: UnsafeRawBufferPointer) throws(RevocationError) -> Revocation {
        guard json.count <= maximumBytes else { throw .tooLarge }
        let value: JSONValue
        do { value = try JSONReader.read(json) } catch { throw .notJSON }
        guard let members = value.objectValue else { throw .notAnObject }
        let revocation = Revocation(
            user: try userID(members["user_id"]), tokenID: try text(members["jti"], "jti"),
            session: try text(members["session"], "session"), role: try text(members["role"], "role"),
            issuedBefore: try moment(members["issued_before"]), reason: try reason(members["reason"]))
        guard revocation.user != nil || revocation.tokenID != nil || revocation.session != nil else {
            throw .namesNobody
        }
        return revocation
    }

    static func read(_ json: [UInt8]) throws(RevocationError) -> Revocation {
        try json.withUnsafeBufferPointer { bytes throws(RevocationError) in
            try read(UnsafeRawBufferPointer(bytes))
        }
    }

    /// Tokens issued at or before this moment are meant. A `jti` names one token, whenever it says it was issued.
    func moment(at wall: Nanoseconds) -> Nanoseconds {
        issuedBefore ?? (tokenID == nil ? wall : .max)
    }

    /// Whether a connection with these claims must go. `wall` is the moment of the revocation, not of the check.
    func matches(_ claims: ClaimsSet, at wall: Nanoseconds) -> Bool {
        if let user, !JSONObject.isSame(user, claims.user) { return false }
        if let tokenID, !Self.isSame(tokenID, claims.tokenID) { return false }
        if let session, !Self.isSame(session, claims.session) { return false }
        if let role, !JSONObject.isSame(role, claims.role) { return false }
        return Self.isIssued(claims, atOrBefore: moment(at: wall))
    }

    /// Token times are often whole seconds, so the same second counts as before; a token without `iat` does too.
    static func isIssued(_ claims: ClaimsSet, atOrBefore moment: Nanoseconds) -> Bool {
        guard let issued = claims.issuedAt else { return true }
        return issued / .second <= moment / .second
    }

    private static func isSame(_ text: String, _ claim: String?) -> Bool {
        claim.map { JSONObject.isSame(text, $0) } ?? false
    }

    private static func userID(_ value: JSONValue?) throws(RevocationError) -> String? {
        guard let number = value?.numberValue else { return try text(value, "user_id") }
        // As it is written, however large: user ids are compared as text.
        guard number.text.utf8.allSatisfy({ ASCII.isDigit($0) || $0 == ASCII.minus }) else {
            throw .badMember("user_id")
        }
        return number.text
    }

    private static func text(_ value: JSONValue?, _ name: String) throws(RevocationError) -> String? {
        guard let value else { return nil }
        guard let text = value.stringValue, !text.isEmpty else { throw .badMember(name) }
        return text
    }

    private static func moment(_ value: JSONValue?) throws(RevocationError) -> Nanoseconds? {
        guard let value else { return nil }
        guard let moment = NumericDate.nanoseconds(value) else { throw .badMember("issued_before") }
        return moment
    }

    private static func reason(_ value: JSONValue?) throws(RevocationError) -> String? {
        guard let value else { return nil }
        guard let text = value.stringValue else { throw .badMember("reason") }
        return String(text.prefix(128))
    }
}
