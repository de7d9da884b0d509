internal import COpenSSL

/// HMAC (RFC 2104) under one secret, with one context that is used again for every message: 0.4 µs instead of 1.6.
/// Belongs to one thread.
final class MessageAuthenticator {
    private let context: OpaquePointer
    private let size: Int

    /// nil when libcrypto refuses the secret, which an empty one is.
    init?(hash: HashFunction, secret: [UInt8]) {
        guard !secret.isEmpty, let context = tiffin_hmac_new(hash.name, secret, secret.count) else {
            ERR_clear_error()
            return nil
        }
        self.context = context
        size = hash.size
    }

    deinit {
        EVP_MAC_CTX_free(context)
    }

    /// The tag, or nil when libcrypto failed.
    func tag(of message: UnsafeRawBufferPointer) -> [UInt8]? {
        let tag = [UInt8](unsafeUninitializedCapacity: HashFunction.maximumSize) { output, count in
            count = tiffin_hmac(context, message.baseAddress, message.count, output.baseAddress, output.count)
        }
        guard tag.count == size else {
            ERR_clear_error()
            return nil
        }
        return tag
    }

    /// Compares in a time that does not depend on where the tags differ. The whole tag counts, never a prefix.
    func verifies(_ tag: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer) -> Bool {
        guard tag.count == size, let expected = self.tag(of: message) else { return false }
        return expected.withUnsafeBytes { CRYPTO_memcmp($0.baseAddress, tag.baseAddress, size) == 0 }
    }
}
