/// What a signature is verified with: a public key, or the secret of an HMAC.
enum VerificationKey: Sendable {
    case publicKey(PublicKey)
    case secret([UInt8])

    /// Whether the key is of the kind, curve and size that `algorithm` needs (RFC 7518 §3.2–3.5, RFC 8725 §3.1).
    func check(fits algorithm: SignatureAlgorithm) throws(KeyError) {
        switch (self, algorithm.family) {
        case (.secret(let bytes), .hmac):
            if bytes.count < max(32, algorithm.hash.size) { throw .tooShort }
        case (.publicKey(let key), .ecdsa(let curve)):
            if key.kind != .ec(curve) { throw .wrongAlgorithm }
        case (.publicKey(let key), .rsaPKCS1), (.publicKey(let key), .rsaPSS):
            guard case .rsa = key.kind else { throw .wrongAlgorithm }
        case (.publicKey(let key), .ed25519):
            if key.kind != .ed25519 { throw .wrongAlgorithm }
        case (.secret, _), (.publicKey, .hmac):
            throw .wrongAlgorithm
        }
    }
}

extension VerificationKey: CustomStringConvertible {
    /// Never the material: what is printed by accident ends up in logs.
    var description: String {
        switch self {
        case .publicKey(let key): "public key (\(key.kind))"
        case .secret: "secret"
        }
    }
}
