/// The curves of ECDSA in JOSE (RFC 7518 §6.2.1.1).
enum EllipticCurve: String, Sendable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"

    /// Bytes of a coordinate and of each half of a signature (RFC 7518 §3.4).
    var coordinateSize: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// As OpenSSL calls the group; it takes the NIST names.
    var groupName: String { rawValue }
}
