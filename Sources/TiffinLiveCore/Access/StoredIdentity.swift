/// An identity that a store keeps as JSON: what a session id stands for (contract section 4). The store is trusted, so
/// nothing is signed; all rules about claims and their times are a token's (`ClaimsReader`, `VerifiedClaims`).
enum StoredIdentity {
    static let maximumBytes = 16 * 1024

    /// The identity in `{"sub":7001,"role":"restaurant","exp":1764500000,"restaurants":["88"]}`.
    ///
    /// - Parameter policy: the rules for tokens; issuer and audience are not asked, and the names of the members are fixed.
    static func read(_ json: [UInt8], policy: TokenPolicy, wall: Nanoseconds) throws(JWTError) -> ClaimsSet {
        try read(object(json), policy: policy, wall: wall)
    }

    static func object(_ json: [UInt8]) throws(JWTError) -> JSONObject {
        guard json.count <= maximumBytes else { throw .tooLarge }
        do {
            guard let object = try JSONReader.read(json).objectValue else { throw JWTError.claimsNotJSON }
            return object
        } catch {
            throw .claimsNotJSON
        }
    }

    static func read(_ members: JSONObject, policy: TokenPolicy, wall: Nanoseconds) throws(JWTError) -> ClaimsSet {
        let stored = TokenPolicy(
            keptClaims: policy.keptClaims, leeway: policy.leeway, maximumLifetime: policy.maximumLifetime)
        let verified = try ClaimsReader(policy: stored).read(members)
        if let refusal = verified.refusal(at: wall, under: stored) { throw refusal }
        return verified.claims
    }
}
