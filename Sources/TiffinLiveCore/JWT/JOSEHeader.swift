/// The protected header of a JWS (RFC 7515 §4), read strictly: it names an algorithm and perhaps a key, and may not
/// ask for anything else. Whether the key agrees is for `KeySet`.
struct JOSEHeader: Equatable, Sendable {
    /// Bytes, decoded. Refused by length before any decoding.
    static let maximumSize = 2048
    static let maximumKeyIDSize = 256

    let algorithm: SignatureAlgorithm
    /// Only ever a key of a table: never a path, never a query.
    let keyID: String?

    /// Extensions that must be understood (we understand none), keys that the token brings along, compression, and
    /// the unencoded payload of RFC 7797.
    private static let refusedMembers = ["crit", "b64", "zip", "jwk", "jku", "x5u", "x5c"]

    /// Reads the first part of a token.
    init(base64URL text: UnsafeRawBufferPointer) throws(JWTError) {
        guard text.count <= (Self.maximumSize * 4 + 2) / 3 else { throw .headerTooLarge }
        guard let bytes = Base64.decodeURL(text) else { throw .notBase64URL }
        try self.init(json: bytes)
    }

    init(json bytes: [UInt8]) throws(JWTError) {
        let members: JSONObject
        do {
            guard let object = try JSONReader.read(bytes, maximumDepth: 8).objectValue else {
                throw JWTError.headerNotJSON
            }
            members = object
        } catch {
            throw .headerNotJSON
        }
        for name in Self.refusedMembers where members[name] != nil { throw .headerMemberRefused }
        guard let name = members["alg"]?.stringValue, let algorithm = SignatureAlgorithm(name: name) else {
            throw .algorithmRefused
        }
        if let type = members["typ"], !Self.isTokenType(type) { throw .typeRefused }
        if let contentType = members["cty"] {
            guard let text = contentType.stringValue, Self.mediaType(text) != "jwt" else { throw .nested }
        }
        self.algorithm = algorithm
        keyID = try Self.keyID(members["kid"])
    }

    private static func keyID(_ value: JSONValue?) throws(JWTError) -> String? {
        guard let value else { return nil }
        guard let text = value.stringValue, (1...maximumKeyIDSize).contains(text.utf8.count) else {
            throw .keyIDInvalid
        }
        return text
    }

    /// RFC 8725 §3.11, §3.12: tokens made for something else (logout, DPoP, security events) say so in `typ`.
    private static func isTokenType(_ value: JSONValue) -> Bool {
        guard let text = value.stringValue else { return false }
        return ["jwt", "at+jwt", "jose"].contains(mediaType(text))
    }

    /// Media types compare without case, and "application/" may be left out (RFC 7515 §4.1.9).
    private static func mediaType(_ text: String) -> String {
        let lowercased = String(decoding: text.utf8.prefix(64).map { ASCII.lowercased($0) }, as: UTF8.self)
        let prefix = "application/"
        return lowercased.hasPrefix(prefix) ? String(lowercased.dropFirst(prefix.count)) : lowercased
    }
}
