/// One verification key of a set (RFC 7517 §4), pinned to one algorithm.
struct JSONWebKey: Sendable {
    /// What came of one element of `keys`.
    enum Reading: Sendable {
        case key(JSONWebKey)
        /// Not for us; the reason continues "key 1 …".
        case skipped(String)
    }

    let keyID: String?
    let algorithm: SignatureAlgorithm
    let key: VerificationKey
    /// Equal for the same material with the same `kid` and algorithm, so that a reload can tell what stayed.
    let fingerprint: SHA256Digest
    /// The beginning of the fingerprint, which names the key to whoever keeps what it signed; not 0.
    var mark: UInt64 { max(1, fingerprint.word0) }

    /// RFC 7518 §6.2.2, §6.3.2. A private key has no business in a verifier's file.
    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth"]

    /// Throws what ends the sentence "key 1 …".
    static func read(_ members: JSONObject) throws(Problem) -> Reading {
        guard let type = members["kty"]?.stringValue else { throw Problem("has no \"kty\"") }
        guard ["EC", "RSA", "OKP", "oct"].contains(type) else { return .skipped("has an unknown \"kty\"") }
        if let reason = try notForSignatures(members) { return .skipped(reason) }
        guard let name = members["alg"] else { throw Problem("has no \"alg\", which pins its algorithm") }
        guard let name = name.stringValue else { throw Problem("has an \"alg\" that is not text") }
        guard let algorithm = SignatureAlgorithm(name: name) else {
            return .skipped("has an \"alg\" that is not accepted here")
        }
        guard type == algorithm.keyType else { throw Problem("has an \"alg\" that does not go with its \"kty\"") }
        if type != "oct", privateMembers.contains(where: { members[$0] != nil }) {
            throw Problem("holds a private key; the daemon wants the public half only")
        }
        let keyID = try keyID(members)
        let key = try material(members, for: algorithm)
        try sound { () throws(KeyError) in try key.check(fits: algorithm) }
        let values = ["crv", "x", "y", "n", "e", "k"].map { members[$0]?.stringValue ?? "" }
        let identity = ([algorithm.rawValue, keyID.map { "=" + $0 } ?? ""] + values).joined(separator: "\0")
        return .key(
            JSONWebKey(
                keyID: keyID, algorithm: algorithm, key: key, fingerprint: Digest.sha256(Array(identity.utf8))))
    }

    /// Why the key must not verify signatures (RFC 7517 §4.2, §4.3), or nil.
    private static func notForSignatures(_ members: JSONObject) throws(Problem) -> String? {
        if let use = members["use"] {
            guard let text = use.stringValue else { throw Problem("has a \"use\" that is not text") }
            if text != "sig" { return "is not for signatures (\"use\")" }
        }
        if let operations = members["key_ops"] {
            guard let list = operations.arrayValue, list.allSatisfy({ $0.stringValue != nil }) else {
                throw Problem("has a \"key_ops\" that is not a list of texts")
            }
            if !list.contains("verify") { return "is not for verifying (\"key_ops\")" }
        }
        return nil
    }

    static func keyID(_ members: JSONObject) throws(Problem) -> String? {
        guard let value = members["kid"] else { return nil }
        guard let text = value.stringValue, (1...JOSEHeader.maximumKeyIDSize).contains(text.utf8.count) else {
            throw Problem("has a \"kid\" that is not a text of 1 to \(JOSEHeader.maximumKeyIDSize) bytes")
        }
        return text
    }

    private static func material(
        _ members: JSONObject, for algorithm: SignatureAlgorithm
    ) throws(Problem) -> VerificationKey {
        switch algorithm.family {
        case .hmac:
            return .secret(try bytes("k", of: members))
        case .ecdsa(let curve):
            try check(curve.rawValue, isCurveOf: members)
            let x = try bytes("x", of: members)
            let y = try bytes("y", of: members)
            return .publicKey(try sound { () throws(KeyError) in try PublicKey.ec(curve, x: x, y: y) })
        case .rsaPKCS1, .rsaPSS:
            let n = try bytes("n", of: members)
            let e = try bytes("e", of: members)
            return .publicKey(try sound { () throws(KeyError) in try PublicKey.rsa(modulus: n, exponent: e) })
        case .ed25519:
            try check("Ed25519", isCurveOf: members)
            let x = try bytes("x", of: members)
            return .publicKey(try sound { () throws(KeyError) in try PublicKey.ed25519(x) })
        }
    }

    /// What `make` gives, its error in words.
    static func sound<Result>(_ make: () throws(KeyError) -> Result) throws(Problem) -> Result {
        do {
            return try make()
        } catch {
            throw Problem(error.text)
        }
    }

    static func check(_ curve: String, isCurveOf members: JSONObject) throws(Problem) {
        guard members["crv"]?.stringValue == curve else {
            throw Problem("is not on \(curve), the curve of its \"alg\" (\"crv\")")
        }
    }

    static func bytes(_ name: String, of members: JSONObject) throws(Problem) -> [UInt8] {
        guard let text = members[name]?.stringValue,
            let bytes = Array(text.utf8).withUnsafeBytes({ Base64.decodeURL($0) })
        else { throw Problem("has no \"\(name)\" in base64url") }
        return bytes
    }

    /// A fault of one key, without its place in the set.
    struct Problem: Error, Equatable {
        let text: String

        init(_ text: String) {
            self.text = text
        }
    }
}
