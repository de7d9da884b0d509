/// Why a certificate, its key or a trust store cannot be used. Holds no byte of the key.
enum TLSSetupError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No certificate in the PEM text.
    case noCertificate
    /// A block that is no certificate, or one that is broken.
    case badCertificate
    case noKey
    /// The key is under a pass phrase.
    case encryptedKey
    /// The key belongs to another certificate.
    case keyMismatch
    /// Refused by libssl, such as an RSA key that is too short: its words.
    case refused(reason: String)
    /// Neither a host name nor an address.
    case badHostName

    var description: String {
        switch self {
        case .noCertificate: "no certificate in PEM form"
        case .badCertificate: "a certificate that cannot be read"
        case .noKey: "no private key in PEM form"
        case .encryptedKey: "the private key is under a pass phrase"
        case .keyMismatch: "the private key belongs to another certificate"
        case .refused(let reason): reason
        case .badHostName: "not a host name"
        }
    }
}
