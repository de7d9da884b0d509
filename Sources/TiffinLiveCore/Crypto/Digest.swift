internal import COpenSSL

/// Hashing of whole byte runs (FIPS 180-4) with libcrypto. The algorithm is fetched once for the process and each
/// thread keeps one context, so a digest costs its compression function and little more.
package enum Digest {
    static func sha256(_ bytes: UnsafeRawBufferPointer) -> SHA256Digest {
        var digest = SHA256Digest(word0: 0, word1: 0, word2: 0, word3: 0)
        withUnsafeMutableBytes(of: &digest) { output in
            hash(bytes, with: HashFunction.sha256, into: output)
        }
        return digest
    }

    package static func sha256(_ bytes: [UInt8]) -> SHA256Digest {
        bytes.withUnsafeBytes { sha256($0) }
    }

    /// For Sec-WebSocket-Accept (RFC 6455 §4.2.2), where SHA-1 is no security; nothing else may use it.
    package static func sha1(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 20) { output, count in
            hash(bytes, with: HashFunction.sha1, into: UnsafeMutableRawBufferPointer(output))
            count = 20
        }
    }

    /// Writes the digest into the front of `output`, which has room for it (`HashFunction.size`).
    static func hash(
        _ bytes: UnsafeRawBufferPointer, with function: HashFunction, into output: UnsafeMutableRawBufferPointer
    ) {
        precondition(output.count >= function.size)
        let target = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let status = tiffin_digest(function.pointer, bytes.baseAddress, bytes.count, target)
        // Only memory exhaustion or a broken libcrypto ends here; a wrong digest would be worse than the end.
        precondition(status == 1, "libcrypto cannot hash")
    }
}
