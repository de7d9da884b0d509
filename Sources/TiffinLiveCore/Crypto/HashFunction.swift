internal import COpenSSL

/// A hash function of libcrypto, fetched once for the life of the process.
///
/// Unchecked: the `EVP_MD` behind it is immutable after the fetch and libcrypto counts its references atomically.
struct HashFunction: @unchecked Sendable {
    /// `EVP_MD`; nil only when libcrypto lacks the algorithm.
    let pointer: OpaquePointer?
    /// As OpenSSL's providers call it.
    let name: String
    /// Bytes of output.
    let size: Int

    static let sha1 = HashFunction(name: "SHA1", size: 20)
    static let sha256 = HashFunction(name: "SHA2-256", size: 32)
    static let sha384 = HashFunction(name: "SHA2-384", size: 48)
    static let sha512 = HashFunction(name: "SHA2-512", size: 64)

    /// The longest output of those above.
    static let maximumSize = 64

    private init(name: String, size: Int) {
        pointer = EVP_MD_fetch(nil, name, nil)
        self.name = name
        self.size = size
    }
}
