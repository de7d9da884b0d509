internal import COpenSSL

/// Verifies signatures (RFC 7515 §5.2) under one key and the one algorithm that it is pinned to. Keeps its libcrypto
/// contexts from one signature to the next, so it belongs to one thread; the key itself is shared.
final class SignatureVerifier {
    private enum Method {
        case hmac(MessageAuthenticator)
        /// `context`: an `EVP_PKEY_CTX` that stands ready to verify digests. `curve` is nil for RSA.
        case digest(context: OpaquePointer, curve: EllipticCurve?)
        /// `context`: an `EVP_MD_CTX`; Ed25519 takes the message whole.
        case message(context: OpaquePointer)
    }

    let algorithm: SignatureAlgorithm
    private let key: VerificationKey
    private let method: Method

    /// Refuses a key that does not fit the algorithm.
    init(_ algorithm: SignatureAlgorithm, key: VerificationKey) throws(KeyError) {
        try key.check(fits: algorithm)
        self.algorithm = algorithm
        self.key = key
        switch key {
        case .secret(let secret):
            guard let authenticator = MessageAuthenticator(hash: algorithm.hash, secret: secret) else {
                throw .refusedByLibrary
            }
            method = .hmac(authenticator)
        case .publicKey(let key):
            guard let method = Self.method(for: algorithm, key: key) else {
                ERR_clear_error()
                throw .refusedByLibrary
            }
            self.method = method
        }
    }

    deinit {
        switch method {
        case .hmac: break
        case .digest(let context, _): EVP_PKEY_CTX_free(context)
        case .message(let context): EVP_MD_CTX_free(context)
        }
    }

    /// Whether `signature`, in the form of RFC 7518 §3, is the key's signature of `message`. Never throws: what cannot
    /// be read is not a signature.
    func verifies(_ signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer) -> Bool {
        guard hasRightLength(signature) else { return false }
        switch method {
        case .hmac(let authenticator):
            return authenticator.verifies(signature, of: message)
        case .digest(let context, let curve):
            let isGood = verifiesDigest(of: message, signature, context: context, curve: curve)
            // libcrypto queues its errors for each thread, where a later TLS call would take them for its own.
            if !isGood { ERR_clear_error() }
            return isGood
        case .message(let context):
            let isGood = verifiesWhole(message, signature, context: context)
            if !isGood { ERR_clear_error() }
            return isGood
        }
    }

    /// Exact lengths only: libcrypto would take some RSA signatures with bytes missing in front.
    func hasRightLength(_ signature: UnsafeRawBufferPointer) -> Bool {
        switch key {
        case .secret: signature.count == algorithm.hash.size
        case .publicKey(let key):
            switch key.kind {
            case .rsa(let size): signature.count == size
            case .ec(let curve): signature.count == 2 * curve.coordinateSize
            case .ed25519: signature.count == 64
            }
        }
    }

    private func verifiesDigest(
        of message: UnsafeRawBufferPointer, _ signature: UnsafeRawBufferPointer, context: OpaquePointer,
        curve: EllipticCurve?
    ) -> Bool {
        let hash = algorithm.hash
        return withUnsafeTemporaryAllocation(byteCount: HashFunction.maximumSize, alignment: 8) { digest in
            Digest.hash(message, with: hash, into: digest)
            let digestBytes = digest.baseAddress?.assumingMemoryBound(to: UInt8.self)
            if let curve {
                guard let der = ECDSASignature.der(fromRaw: signature, curve: curve) else { return false }
                return EVP_PKEY_verify(context, der, der.count, digestBytes, hash.size) == 1
            }
            let bytes = signature.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return EVP_PKEY_verify(context, bytes, signature.count, digestBytes, hash.size) == 1
        }
    }

    private func verifiesWhole(
        _ message: UnsafeRawBufferPointer, _ signature: UnsafeRawBufferPointer, context: OpaquePointer
    ) -> Bool {
        guard case .publicKey(let key) = key, EVP_MD_CTX_reset(context) == 1,
            EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, key.pointer, nil) == 1
        else { return false }
        return EVP_DigestVerify(
            context, signature.baseAddress?.assumingMemoryBound(to: UInt8.self), signature.count,
            message.baseAddress?.assumingMemoryBound(to: UInt8.self), message.count) == 1
    }

    private static func method(for algorithm: SignatureAlgorithm, key: PublicKey) -> Method? {
        if key.kind == .ed25519 {
            return EVP_MD_CTX_new().map { .message(context: $0) }
        }
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else { return nil }
        guard EVP_PKEY_verify_init(context) == 1, configure(context, for: algorithm) else {
            EVP_PKEY_CTX_free(context)
            return nil
        }
        if case .ec(let curve) = key.kind { return .digest(context: context, curve: curve) }
        return .digest(context: context, curve: nil)
    }

    /// Sets hash and padding; the same for verifying and for signing.
    static func configure(_ context: OpaquePointer, for algorithm: SignatureAlgorithm) -> Bool {
        guard EVP_PKEY_CTX_set_signature_md(context, algorithm.hash.pointer) == 1 else { return false }
        switch algorithm.family {
        case .ecdsa:
            return true
        case .rsaPKCS1:
            return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
        case .rsaPSS:
            return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_mgf1_md(context, algorithm.hash.pointer) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
        case .ed25519, .hmac:
            return false
        }
    }
}
