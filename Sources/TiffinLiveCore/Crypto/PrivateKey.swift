internal import COpenSSL

/// An asymmetric private key, for minting tokens: development, tests, rehearsals. The daemon itself signs nothing.
///
/// Unchecked: the `EVP_PKEY` is never changed after `init`, and every signature makes a context of its own.
final class PrivateKey: @unchecked Sendable {
    /// The numbers of the key as a JWK lists them (RFC 7518 §6.2.2, §6.3.2; RFC 8037 §2), big-endian.
    enum Components: Equatable, Sendable {
        case ec(EllipticCurve, x: [UInt8], y: [UInt8], d: [UInt8])
        /// n, e, d, p, q, dp, dq, qi.
        case rsa([[UInt8]])
        case ed25519(x: [UInt8], d: [UInt8])
    }

    /// `EVP_PKEY`, owned.
    private let pointer: OpaquePointer

    private init(adopting pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// A new key for `algorithm`; RSA keys get 2048 bits.
    static func generate(for algorithm: SignatureAlgorithm) throws(KeyError) -> PrivateKey {
        defer { ERR_clear_error() }
        let pointer =
            switch algorithm.family {
            case .ecdsa(let curve): tiffin_generate_ec(curve.groupName)
            case .rsaPKCS1, .rsaPSS: tiffin_generate_rsa(2048)
            case .ed25519: tiffin_generate_ed25519()
            case .hmac: nil as OpaquePointer?
            }
        guard let pointer else { throw algorithm.isSymmetric ? .wrongAlgorithm : .refusedByLibrary }
        return PrivateKey(adopting: pointer)
    }

    /// Rebuilds a key; its public part must pass the checks of `PublicKey` and belong to the private one.
    static func make(from components: Components) throws(KeyError) -> PrivateKey {
        defer { ERR_clear_error() }
        switch components {
        case .ec(let curve, let x, let y, let d):
            _ = try PublicKey.ec(curve, x: x, y: y)
            let point = [0x04] + x + y
            let secret = BigNumber(d)
            guard d.count == curve.coordinateSize else { throw .coordinateLength }
            return try checked(tiffin_ec_key(curve.groupName, point, point.count, secret.pointer))
        case .rsa(let numbers):
            guard numbers.count == 8 else { throw .inconsistent }
            _ = try PublicKey.rsa(modulus: numbers[0], exponent: numbers[1])
            return try checked(rsaPointer(numbers))
        case .ed25519(let x, let d):
            guard d.count == 32 else { throw .keyLength }
            guard let pointer = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, d, d.count) else {
                throw .refusedByLibrary
            }
            let key = PrivateKey(adopting: pointer)
            guard key.components() == components, !x.isEmpty else { throw .inconsistent }
            return key
        }
    }

    /// The numbers to write down, or nil when libcrypto does not give them.
    func components() -> Components? {
        defer { ERR_clear_error() }
        if EVP_PKEY_is_a(pointer, "RSA") == 1 { return rsaComponents() }
        if EVP_PKEY_is_a(pointer, "ED25519") == 1 { return ed25519Components() }
        return ecComponents()
    }

    /// The signature in the form of RFC 7518 §3: r‖s for ECDSA.
    func signature(of message: UnsafeRawBufferPointer, with algorithm: SignatureAlgorithm) throws(KeyError) -> [UInt8] {
        defer { ERR_clear_error() }
        switch algorithm.family {
        case .hmac:
            throw .wrongAlgorithm
        case .ed25519:
            return try ed25519Signature(of: message)
        case .ecdsa(let curve):
            let der = try digestSignature(of: message, with: algorithm)
            guard let raw = Self.raw(fromDER: der, curve: curve) else { throw .refusedByLibrary }
            return raw
        case .rsaPKCS1, .rsaPSS:
            return try digestSignature(of: message, with: algorithm)
        }
    }
}

// MARK: - Signing

extension PrivateKey {
    private func digestSignature(
        of message: UnsafeRawBufferPointer, with algorithm: SignatureAlgorithm
    ) throws(KeyError) -> [UInt8] {
        let hash = algorithm.hash
        var digest = [UInt8](repeating: 0, count: hash.size)
        digest.withUnsafeMutableBytes { Digest.hash(message, with: hash, into: $0) }
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { throw .refusedByLibrary }
        defer { EVP_PKEY_CTX_free(context) }
        var size = 0
        guard EVP_PKEY_sign_init(context) == 1, SignatureVerifier.configure(context, for: algorithm),
            EVP_PKEY_sign(context, nil, &size, digest, digest.count) == 1
        else { throw .wrongAlgorithm }
        var signature = [UInt8](repeating: 0, count: size)
        guard EVP_PKEY_sign(context, &signature, &size, digest, digest.count) == 1 else { throw .refusedByLibrary }
        return Array(signature.prefix(size))
    }

    private func ed25519Signature(of message: UnsafeRawBufferPointer) throws(KeyError) -> [UInt8] {
        guard EVP_PKEY_is_a(pointer, "ED25519") == 1 else { throw .wrongAlgorithm }
        guard let context = EVP_MD_CTX_new() else { throw .refusedByLibrary }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 64)
        var size = signature.count
        let bytes = message.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard EVP_DigestSignInit_ex(context, nil, nil, nil, nil, pointer, nil) == 1,
            EVP_DigestSign(context, &signature, &size, bytes, message.count) == 1, size == 64
        else { throw .refusedByLibrary }
        return signature
    }

    private static func raw(fromDER der: [UInt8], curve: EllipticCurve) -> [UInt8]? {
        der.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            guard let signature = d2i_ECDSA_SIG(nil, &position, bytes.count) else { return nil }
            defer { ECDSA_SIG_free(signature) }
            let size = curve.coordinateSize
            var raw = [UInt8](repeating: 0, count: 2 * size)
            let isWhole = raw.withUnsafeMutableBufferPointer { output in
                guard let base = output.baseAddress else { return false }
                return BN_bn2binpad(ECDSA_SIG_get0_r(signature), base, Int32(size)) == Int32(size)
                    && BN_bn2binpad(ECDSA_SIG_get0_s(signature), base + size, Int32(size)) == Int32(size)
            }
            return isWhole ? raw : nil
        }
    }
}

// MARK: - Components

extension PrivateKey {
    private static func checked(_ pointer: OpaquePointer?) throws(KeyError) -> PrivateKey {
        guard let pointer else { throw .refusedByLibrary }
        let key = PrivateKey(adopting: pointer)
        guard tiffin_pair_check(pointer) == 1 else { throw .inconsistent }
        return key
    }

    private static func rsaPointer(_ numbers: [[UInt8]]) -> OpaquePointer? {
        let pointers = numbers.map { BN_bin2bn($0, Int32($0.count), nil) }
        defer { for pointer in pointers { BN_clear_free(pointer) } }
        return tiffin_rsa_key(pointers, pointers.count)
    }

    private func number(_ name: UnsafePointer<CChar>, size: Int? = nil) -> [UInt8]? {
        var pointer: OpaquePointer?
        guard EVP_PKEY_get_bn_param(self.pointer, name, &pointer) == 1 else { return nil }
        return BigNumber(adopting: pointer).bytes(paddedTo: size)
    }

    private func rsaComponents() -> Components? {
        let numbers = (0..<8).compactMap { index in
            tiffin_rsa_parameter(index).flatMap { number($0) }
        }
        return numbers.count == 8 ? .rsa(numbers) : nil
    }

    private func ecComponents() -> Components? {
        let curve: EllipticCurve
        switch EVP_PKEY_get_bits(pointer) {
        case 256: curve = .p256
        case 384: curve = .p384
        case 521: curve = .p521
        default: return nil
        }
        let size = curve.coordinateSize
        guard let x = number(OSSL_PKEY_PARAM_EC_PUB_X, size: size),
            let y = number(OSSL_PKEY_PARAM_EC_PUB_Y, size: size),
            let d = number(OSSL_PKEY_PARAM_PRIV_KEY, size: size)
        else { return nil }
        return .ec(curve, x: x, y: y, d: d)
    }

    private func ed25519Components() -> Components? {
        var x = [UInt8](repeating: 0, count: 32)
        var d = x
        var size = 32
        guard EVP_PKEY_get_raw_public_key(pointer, &x, &size) == 1, size == 32,
            EVP_PKEY_get_raw_private_key(pointer, &d, &size) == 1, size == 32
        else { return nil }
        return .ed25519(x: x, d: d)
    }
}
