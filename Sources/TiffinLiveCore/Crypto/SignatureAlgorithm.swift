/// The signature algorithms that a key can be pinned to (RFC 7518 §3.1, RFC 8037, RFC 9864). `none` is not among them,
/// nor is anything that a key file may not ask for: the list is the allow-list.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case ES256, ES384, ES512
    case RS256, RS384, RS512
    case PS256
    case EdDSA
    case HS256, HS384, HS512

    enum Family: Equatable, Sendable {
        case ecdsa(EllipticCurve)
        /// RSASSA-PKCS1-v1_5.
        case rsaPKCS1
        /// RSASSA-PSS; the salt is as long as the hash, MGF1 uses the same hash (RFC 7518 §3.5).
        case rsaPSS
        case ed25519
        case hmac
    }

    /// The algorithm that `alg` names, case-sensitively; "Ed25519" (RFC 9864) is the same one as "EdDSA".
    package init?(name: String) {
        if name == "Ed25519" {
            self = .EdDSA
        } else {
            self.init(rawValue: name)
        }
    }

    var family: Family {
        switch self {
        case .ES256: .ecdsa(.p256)
        case .ES384: .ecdsa(.p384)
        case .ES512: .ecdsa(.p521)
        case .RS256, .RS384, .RS512: .rsaPKCS1
        case .PS256: .rsaPSS
        case .EdDSA: .ed25519
        case .HS256, .HS384, .HS512: .hmac
        }
    }

    /// The hash that the message goes through first. Ed25519 hashes inside (RFC 8032); SHA-512 is named for form.
    var hash: HashFunction {
        switch self {
        case .ES256, .RS256, .PS256, .HS256: .sha256
        case .ES384, .RS384, .HS384: .sha384
        case .ES512, .RS512, .HS512, .EdDSA: .sha512
        }
    }

    /// The `kty` of its keys (RFC 7518 §6.1, RFC 8037 §2).
    var keyType: String {
        switch family {
        case .ecdsa: "EC"
        case .rsaPKCS1, .rsaPSS: "RSA"
        case .ed25519: "OKP"
        case .hmac: "oct"
        }
    }

    package var isSymmetric: Bool { family == .hmac }
}
