/// A key that mints tokens, in and out of JWK form (RFC 7517): for `keygen`, `token`, `rehearse`, the demo and tests.
/// The daemon proper only verifies.
package struct SigningKey: Sendable {
    private enum Material: Sendable {
        case secret([UInt8])
        case privateKey(PrivateKey)
    }

    let algorithm: SignatureAlgorithm
    let keyID: String?
    private let material: Material

    /// A new key. HMAC secrets get twice the hash's size, RSA keys 2048 bits.
    package static func generate(_ algorithm: SignatureAlgorithm, keyID: String?) throws(SigningKeyError) -> SigningKey
    {
        if let keyID, !(1...JOSEHeader.maximumKeyIDSize).contains(keyID.utf8.count) {
            throw SigningKeyError("needs a kid of 1 to \(JOSEHeader.maximumKeyIDSize) bytes")
        }
        guard !algorithm.isSymmetric else {
            let secret = SecureRandom.bytes(2 * algorithm.hash.size)
            return SigningKey(algorithm: algorithm, keyID: keyID, material: .secret(secret))
        }
        do {
            let key = try PrivateKey.generate(for: algorithm)
            return SigningKey(algorithm: algorithm, keyID: keyID, material: .privateKey(key))
        } catch {
            throw SigningKeyError(error.text)
        }
    }

    /// Reads a private JWK, or a JWK set: of that the key named `keyID`, else the only one.
    package static func read(_ json: [UInt8], keyID: String? = nil) throws(SigningKeyError) -> SigningKey {
        let value: JSONValue
        do {
            value = try JSONReader.read(json)
        } catch {
            throw SigningKeyError("is not JSON: \(error.message) at byte \(error.offset)")
        }
        let elements = value["keys"]?.arrayValue ?? [value]
        let candidates = elements.compactMap(\.objectValue).filter { members in
            keyID == nil || members["kid"]?.stringValue == keyID
        }
        guard let members = candidates.first else { throw SigningKeyError("is not in the file") }
        guard candidates.count == 1 else { throw SigningKeyError("is one of several in the file; name its kid") }
        do {
            return try read(members)
        } catch {
            throw SigningKeyError(error.text)
        }
    }

    private static func read(_ members: JSONObject) throws(JSONWebKey.Problem) -> SigningKey {
        guard let algorithm = members["alg"]?.stringValue.flatMap(SignatureAlgorithm.init(name:)) else {
            throw JSONWebKey.Problem("has no \"alg\" that is accepted here")
        }
        guard members["kty"]?.stringValue == algorithm.keyType else {
            throw JSONWebKey.Problem("has an \"alg\" that does not go with its \"kty\"")
        }
        let keyID = try JSONWebKey.keyID(members)
        if algorithm.isSymmetric {
            let secret = try JSONWebKey.bytes("k", of: members)
            try JSONWebKey.sound { () throws(KeyError) in
                try VerificationKey.secret(secret).check(fits: algorithm)
            }
            return SigningKey(algorithm: algorithm, keyID: keyID, material: .secret(secret))
        }
        guard members["d"] != nil else { throw JSONWebKey.Problem("has no private part (\"d\")") }
        let components = try components(members, for: algorithm)
        let key = try JSONWebKey.sound { () throws(KeyError) in try PrivateKey.make(from: components) }
        return SigningKey(algorithm: algorithm, keyID: keyID, material: .privateKey(key))
    }

    private static func components(
        _ members: JSONObject, for algorithm: SignatureAlgorithm
    ) throws(JSONWebKey.Problem) -> PrivateKey.Components {
        switch algorithm.family {
        case .ecdsa(let curve):
            try JSONWebKey.check(curve.rawValue, isCurveOf: members)
            return .ec(
                curve, x: try JSONWebKey.bytes("x", of: members), y: try JSONWebKey.bytes("y", of: members),
                d: try JSONWebKey.bytes("d", of: members))
        case .ed25519:
            try JSONWebKey.check("Ed25519", isCurveOf: members)
            return .ed25519(x: try JSONWebKey.bytes("x", of: members), d: try JSONWebKey.bytes("d", of: members))
        case .rsaPKCS1, .rsaPSS, .hmac:
            var numbers: [[UInt8]] = []
            for name in rsaMembers { numbers.append(try JSONWebKey.bytes(name, of: members)) }
            return .rsa(numbers)
        }
    }

    private static let rsaMembers = ["n", "e", "d", "p", "q", "dp", "dq", "qi"]
}

// MARK: - JWK

extension SigningKey {
    /// The private JWK as one line of JSON. A secret.
    package var privateJWK: String { Self.text(.object(members(isPrivate: true))) }

    /// The JWK set for `tokens.keys`. Of an HMAC key this is the secret itself: both sides hold the same one.
    package var publicJWKS: String {
        Self.text(.object(JSONObject(("keys", .array([.object(members(isPrivate: false))])))))
    }

    private func members(isPrivate: Bool) -> JSONObject {
        var members = JSONObject(("kty", .string(algorithm.keyType)))
        if let keyID { members["kid"] = .string(keyID) }
        members["use"] = "sig"
        members["alg"] = .string(algorithm.rawValue)
        func add(_ name: String, _ bytes: [UInt8]) { members[name] = .string(Base64.encodeURL(bytes)) }
        switch material {
        case .secret(let secret):
            add("k", secret)
        case .privateKey(let key):
            switch key.components() {
            case .ec(let curve, let x, let y, let d)?:
                members["crv"] = .string(curve.rawValue)
                add("x", x)
                add("y", y)
                if isPrivate { add("d", d) }
            case .ed25519(let x, let d)?:
                members["crv"] = "Ed25519"
                add("x", x)
                if isPrivate { add("d", d) }
            case .rsa(let numbers)?:
                for (name, number) in zip(Self.rsaMembers, numbers).prefix(isPrivate ? 8 : 2) { add(name, number) }
            case nil:
                break
            }
        }
        return members
    }

    private static func text(_ value: JSONValue) -> String {
        String(decoding: bytes(value), as: UTF8.self)
    }

    private static func bytes(_ value: JSONValue) -> [UInt8] {
        let buffer = ByteBuffer()
        JSONWriter.append(value, to: buffer)
        return buffer.array
    }
}

// MARK: - Signing

extension SigningKey {
    /// A token with these claims in compact serialization, its header naming algorithm, type and key.
    package func sign(claims: JSONObject) throws(SigningKeyError) -> String {
        var header = JSONObject(("alg", .string(algorithm.rawValue)), ("typ", "JWT"))
        if let keyID { header["kid"] = .string(keyID) }
        return try sign(header: Self.bytes(.object(header)), payload: Self.bytes(.object(claims)))
    }

    /// A JWS of any two byte runs, fit or not.
    func sign(header: [UInt8], payload: [UInt8]) throws(SigningKeyError) -> String {
        let input = Base64.encodeURL(header) + "." + Base64.encodeURL(payload)
        return input + "." + Base64.encodeURL(try signature(of: Array(input.utf8)))
    }

    func signature(of message: [UInt8]) throws(SigningKeyError) -> [UInt8] {
        do {
            return try message.withUnsafeBufferPointer { bytes throws(KeyError) in
                let bytes = UnsafeRawBufferPointer(bytes)
                switch material {
                case .privateKey(let key):
                    return try key.signature(of: bytes, with: algorithm)
                case .secret(let secret):
                    let authenticator = MessageAuthenticator(hash: algorithm.hash, secret: secret)
                    guard let tag = authenticator?.tag(of: bytes) else { throw .refusedByLibrary }
                    return tag
                }
            }
        } catch {
            throw SigningKeyError("cannot sign: \(error.text)")
        }
    }
}
