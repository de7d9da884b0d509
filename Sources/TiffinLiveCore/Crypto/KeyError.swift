/// Why key material is not fit for use. The text ends the sentence "the key …".
enum KeyError: Error, Equatable, Sendable {
    case tooShort
    case tooLong
    case exponent
    case modulus
    case roca
    case coordinateLength
    case notOnCurve
    case keyLength
    case smallOrder
    case wrongAlgorithm
    case inconsistent
    case refusedByLibrary

    var text: String {
        switch self {
        case .tooShort: "is too short: RSA needs 2048 bits, HMAC as many bytes as its hash has (32 or more)"
        case .tooLong: "is too long: RSA is read up to 8192 bits"
        case .exponent: "has a public exponent that is even or not over 1"
        case .modulus: "has an even modulus"
        case .roca: "was made by a library whose keys can be factored (ROCA, CVE-2017-15361)"
        case .coordinateLength: "has a coordinate that is not as long as its curve asks"
        case .notOnCurve: "is a point that is not on its curve"
        case .keyLength: "is not 32 bytes long, as Ed25519 asks"
        case .smallOrder: "is a point of small order, under which anything verifies"
        case .wrongAlgorithm: "is not of the kind that its algorithm needs"
        case .inconsistent: "has a public and a private part that do not belong together"
        case .refusedByLibrary: "was refused by OpenSSL"
        }
    }
}
