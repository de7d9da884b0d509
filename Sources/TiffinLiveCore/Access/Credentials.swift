/// What a handshake proves identity with, read but not verified (contract section 4, RFC 6750 section 2.1). Exactly one
/// counts: bearer, else ticket, else cookie.
enum Credentials: Equatable, Sendable {
    /// The token as sent; its size and form are for the verifier.
    case bearer([UInt8])
    case ticket(String)
    /// The different values under the cookie's name, sorted; at least one.
    case cookie([[UInt8]])

    static let maximumTicketBytes = 256

    /// The credential that counts among the kinds that the route takes.
    ///
    /// - Parameter cookie: the name of the cookie that signs in; nil when there is none.
    static func read(
        _ request: HTTPRequest, accepts: CredentialKinds, cookie: String? = nil
    ) throws(CredentialsError) -> Credentials {
        guard !hasToken(inQuery: request.target.query) else { throw .tokenInURL }
        if let bearer = try readAuthorization(request.fields), accepts.contains(.bearer) { return .bearer(bearer) }
        if accepts.contains(.ticket), let ticket = try readTicket(request.target) { return .ticket(ticket) }
        guard accepts.contains(.cookie), let cookie else { throw .missing }
        guard let values = CookieField.values(of: cookie, in: request.fields) else { throw .tooManyCookies }
        guard !values.isEmpty else { throw .missing }
        return .cookie(values)
    }

    // MARK: - Authorization

    /// The token after the Bearer scheme; nil when there is none or another scheme.
    private static func readAuthorization(_ fields: HTTPFields) throws(CredentialsError) -> [UInt8]? {
        let count = fields.count(of: "authorization")
        guard count > 0 else { return nil }
        // It is no list field: several of them, or one that was joined from several, leave open which counts.
        guard count == 1, let value = fields.first("authorization"), !value.contains(ASCII.comma) else {
            throw .repeatedAuthorization
        }
        let scheme = value.prefix { $0 != ASCII.space }
        guard scheme.count == 6, scheme.elementsEqual("bearer".utf8, by: { ASCII.lowercased($0) == $1 }) else {
            return nil
        }
        let token = value[scheme.endIndex...].drop { $0 == ASCII.space }
        guard isToken68(token) else { throw .malformedBearer }
        return Array(token)
    }

    /// RFC 9110 section 11.2.
    private static func isToken68(_ bytes: ArraySlice<UInt8>) -> Bool {
        let body = bytes.prefix { isToken68Byte($0) }
        return !body.isEmpty && bytes[body.endIndex...].allSatisfy { $0 == ASCII.equals }
    }

    private static func isToken68Byte(_ byte: UInt8) -> Bool {
        switch byte {
        case ASCII.minus, ASCII.dot, ASCII.underscore, ASCII.slash, 0x7E, 0x2B: true
        default: ASCII.isLetter(byte) || ASCII.isDigit(byte)
        }
    }

    // MARK: - Query

    private static func readTicket(_ target: RequestTarget) throws(CredentialsError) -> String? {
        let tickets = target.values(ofQuery: "ticket")
        guard let ticket = tickets.first else { return nil }
        guard tickets.allSatisfy({ JSONObject.isSame($0, ticket) }) else { throw .differingTickets }
        let isWellFormed =
            !ticket.isEmpty && ticket.utf8.count <= maximumTicketBytes
            && ticket.utf8.allSatisfy { $0 > ASCII.space && $0 < ASCII.delete }
        guard isWellFormed else { throw .malformedTicket }
        return ticket
    }

    /// A token in a URL ends up in logs and histories: refused whatever its validity, so that no app ships with it.
    private static func hasToken(inQuery query: [RequestTarget.QueryItem]) -> Bool {
        query.contains { item in
            switch item.name.lowercased() {
            case "token", "access_token", "jwt", "bearer", "authorization": true
            default: looksLikeToken(item.value) || looksLikeToken(item.name)
            }
        }
    }

    /// A compact JWS: `eyJ` begins the base64url of `{"`, and two dots follow. Also behind a scheme, `Bearer eyJ…`.
    private static func looksLikeToken(_ text: String) -> Bool {
        for word in text.split(separator: " ") {
            let bytes = word.utf8
            guard bytes.count > 3, bytes.starts(with: "eyJ".utf8) else { continue }
            if bytes.count(where: { $0 == ASCII.dot }) >= 2 { return true }
        }
        return false
    }
}
