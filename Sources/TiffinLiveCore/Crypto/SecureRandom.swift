internal import COpenSSL

/// Random bytes nobody can guess: tickets, connection names, seeds, key identifiers.
/// Pure code takes a generator or a seed instead; only Server and the commands draw from here.
enum SecureRandom {
    static func bytes(_ count: Int) -> [UInt8] {
        precondition(count >= 0 && count <= Int(Int32.max))
        var result = [UInt8](repeating: 0, count: count)
        guard RAND_bytes(&result, Int32(count)) != 1 else { return result }
        // libcrypto refused (a broken configuration): the kernel's generator is as good, only dearer.
        ERR_clear_error()
        var generator = SystemRandomNumberGenerator()
        for index in result.indices { result[index] = UInt8(truncatingIfNeeded: generator.next()) }
        return result
    }

    /// A seed for generators that need speed and fairness, not secrecy (jitter).
    static func seed() -> UInt64 {
        bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
