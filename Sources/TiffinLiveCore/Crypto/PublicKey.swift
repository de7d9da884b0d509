internal import COpenSSL

/// An asymmetric public key that has passed every check of its kind (RFC 7518 §6, RFC 8037 §2). Which algorithm it is
/// pinned to is the key set's business.
///
/// Unchecked: the `EVP_PKEY` is never changed after `init`, and libcrypto allows any number of threads to verify with
/// one key at the same time as long as each has a context of its own (`SignatureVerifier`).
final class PublicKey: @unchecked Sendable {
    enum Kind: Equatable, Sendable {
        /// `size`: bytes of the modulus, and of every signature.
        case rsa(size: Int)
        case ec(EllipticCurve)
        case ed25519
    }

    let kind: Kind
    /// `EVP_PKEY`, owned.
    let pointer: OpaquePointer

    private init(kind: Kind, adopting pointer: OpaquePointer) {
        self.kind = kind
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// `modulus` and `exponent` are big-endian (JWK members n and e).
    static func rsa(modulus: [UInt8], exponent: [UInt8]) throws(KeyError) -> PublicKey {
        defer { ERR_clear_error() }
        let modulus = BigNumber(modulus)
        let exponent = BigNumber(exponent)
        if modulus.pointer == nil { throw .tooLong }
        if exponent.pointer == nil { throw .exponent }
        try RSAKeyCheck.check(modulus: modulus, exponent: exponent)
        let numbers = [modulus.pointer, exponent.pointer]
        guard let pointer = tiffin_rsa_key(numbers, numbers.count) else { throw .refusedByLibrary }
        return PublicKey(kind: .rsa(size: (modulus.bitCount + 7) / 8), adopting: pointer)
    }

    /// Coordinates of exactly the curve's size (RFC 7518 §6.2.1.2); the point must lie on the curve.
    static func ec(_ curve: EllipticCurve, x: [UInt8], y: [UInt8]) throws(KeyError) -> PublicKey {
        defer { ERR_clear_error() }
        let size = curve.coordinateSize
        if x.count != size || y.count != size { throw .coordinateLength }
        let point = [0x04] + x + y
        guard let pointer = tiffin_ec_key(curve.groupName, point, point.count, nil) else { throw .notOnCurve }
        let key = PublicKey(kind: .ec(curve), adopting: pointer)
        // Building the key has checked the point too, but that is not promised anywhere.
        if tiffin_public_check(pointer) != 1 { throw .notOnCurve }
        return key
    }

    static func ed25519(_ bytes: [UInt8]) throws(KeyError) -> PublicKey {
        defer { ERR_clear_error() }
        if bytes.count != 32 { throw .keyLength }
        if smallOrderPoints.contains(withoutSign(bytes)) { throw .smallOrder }
        guard let pointer = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count) else {
            throw .refusedByLibrary
        }
        return PublicKey(kind: .ed25519, adopting: pointer)
    }

    /// Every encoding, canonical or not, of a point whose order divides 8, with the sign bit cleared. Under such a key
    /// one signature is good for many messages.
    private static let smallOrderPoints: Set<[UInt8]> = {
        let zero = [UInt8](repeating: 0, count: 32)
        let almostOnes = [UInt8](repeating: 0xFF, count: 30) + [0x7F]
        let order8: [UInt8] = [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ]
        let order8Other: [UInt8] = [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ]
        return [
            zero, [1] + zero.dropLast(), order8, order8Other,
            [0xEC] + almostOnes, [0xED] + almostOnes, [0xEE] + almostOnes,
        ]
    }()

    private static func withoutSign(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        bytes[31] &= 0x7F
        return bytes
    }
}
