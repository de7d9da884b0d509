/// What a one-time ticket stands for in the store (contract section 4). Its name is random and made by whoever stores it.
enum Ticket: Sendable {
    /// One that this server, or another of its kind, has sold: the buyer's identity with its end, and the only path that it
    /// opens, nil for every path that is theirs.
    case sold(ClaimsSet, path: String?)
    /// One that another service wrote: it opens the path whose one variable has this value, whoever comes with it.
    case plain(String)

    /// Bytes of randomness in the name.
    static let nameBytes = 32

    /// A value as it stands in the store; nil when it is none of ours.
    static func read(_ value: [UInt8], policy: TokenPolicy, wall: Nanoseconds) throws(JWTError) -> Ticket? {
        guard value.first == ASCII.leftBrace else {
            guard let text = value.withUnsafeBytes({ String(validUTF8: $0) }), Variables.isValue(text) else {
                return nil
            }
            return .plain(text)
        }
        let members = try StoredIdentity.object(value)
        guard let path = members["path"] else { return nil }
        var identity = members
        identity.remove("path")
        identity.remove("claims")
        identity.remove("key")
        let claims = try StoredIdentity.read(identity, policy: policy, wall: wall)
        let buyer = ClaimsSet(
            user: claims.user, role: claims.role, session: claims.session, tokenID: claims.tokenID,
            issuedAt: claims.issuedAt, expiresAt: claims.expiresAt, key: key(members["key"]),
            extra: extra(members["claims"]))
        return .sold(buyer, path: path.stringValue)
    }

    /// As text: not every reader of JSON has 64 bits for a number.
    private static func key(_ value: JSONValue?) -> UInt64 {
        value?.stringValue.flatMap { UInt64($0, radix: 16) } ?? 0
    }

    private static func extra(_ value: JSONValue?) -> [String: [String]] {
        var extra: [String: [String]] = [:]
        for member in value?.objectValue?.members ?? [] {
            extra[member.name] = (member.value.arrayValue ?? []).compactMap(\.stringValue)
        }
        return extra
    }

    /// The value for the store. The claims that the topic rules need stand apart, so that none can pass for another member.
    static func value(of buyer: ClaimsSet, path: String?) -> [UInt8] {
        var members: JSONObject = ["sub": .string(buyer.user), "role": .string(buyer.role)]
        if let session = buyer.session { members["sid"] = .string(session) }
        if let tokenID = buyer.tokenID { members["jti"] = .string(tokenID) }
        if let issuedAt = buyer.issuedAt { members["iat"] = number(issuedAt) }
        members["exp"] = number(buyer.expiresAt)
        if buyer.key != 0 { members["key"] = .string(String(buyer.key, radix: 16)) }
        members["path"] = path.map { .string($0) } ?? .null
        var claims = JSONObject()
        for (name, texts) in buyer.extra.sorted(by: { $0.key < $1.key }) { claims[name] = .strings(texts) }
        members["claims"] = .object(claims)
        return JSONValue.object(members).bytes
    }

    /// A NumericDate, whole where it is.
    private static func number(_ moment: Nanoseconds) -> JSONValue {
        let (seconds, rest) = moment.quotientAndRemainder(dividingBy: .second)
        guard rest != 0 else { return .integer(seconds) }
        let digits = String(rest)
        let zeros = String(repeating: "0", count: max(0, 9 - digits.utf8.count))
        return .number(JSONNumber(text: "\(seconds).\(zeros)\(digits)"))
    }

    /// Who comes with a plain ticket: nobody that a token could name, because of the colon, for at most one token lifetime.
    /// nil when the path is not the one that the value opens.
    ///
    /// - Parameter variables: of the route, by name, with the values in the path asked for.
    static func bearer(
        ofPlain value: String, _ match: RouteTable.Match, policy: TokenPolicy, wall: Nanoseconds
    ) -> ClaimsSet? {
        let names = match.route.pattern.variables
        guard names.count == 1, let bound = match.variables[names[0]], JSONObject.isSame(bound, value),
            match.route.topics.allSatisfy({ $0.variables.allSatisfy { $0 == names[0] } })
        else { return nil }
        let lifetime = policy.maximumLifetime > 0 ? policy.maximumLifetime : TokenPolicy().maximumLifetime
        return ClaimsSet(user: "\(names[0]):\(value)", issuedAt: wall, expiresAt: wall.clampedAdding(lifetime))
    }
}
