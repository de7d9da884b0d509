@testable import TiffinLiveCore

/// Two keys for each algorithm, made once for the whole test run: finding RSA primes is slow, so the RSA algorithms
/// share two moduli.
enum TestKeys {
    /// `kid` "first".
    static func first(_ algorithm: SignatureAlgorithm) throws -> SigningKey {
        try key(algorithm, from: firsts)
    }

    /// `kid` "second".
    static func second(_ algorithm: SignatureAlgorithm) throws -> SigningKey {
        try key(algorithm, from: seconds)
    }

    /// A key under any `kid`, or none.
    static func first(_ algorithm: SignatureAlgorithm, kid: String?) throws -> SigningKey {
        var members = try JSONReader.read(Array(first(algorithm).privateJWK.utf8)).objectValue ?? JSONObject()
        members.remove("kid")
        members["kid"] = kid.map { .string($0) }
        return try read(members)
    }

    private struct Missing: Error {}

    private static let firsts = make("first")
    private static let seconds = make("second")

    private static func key(_ algorithm: SignatureAlgorithm, from keys: [SignatureAlgorithm: SigningKey]) throws
        -> SigningKey
    {
        guard let key = keys[algorithm] else { throw Missing() }
        return key
    }

    private static func make(_ kid: String) -> [SignatureAlgorithm: SigningKey] {
        var keys: [SignatureAlgorithm: SigningKey] = [:]
        for algorithm in SignatureAlgorithm.allCases where algorithm.keyType != "RSA" {
            keys[algorithm] = try? SigningKey.generate(algorithm, keyID: kid)
        }
        guard let rsa = try? SigningKey.generate(.RS256, keyID: kid),
            var members = try? JSONReader.read(Array(rsa.privateJWK.utf8)).objectValue
        else { return keys }
        for algorithm in SignatureAlgorithm.allCases where algorithm.keyType == "RSA" {
            members["alg"] = .string(algorithm.rawValue)
            keys[algorithm] = try? read(members)
        }
        return keys
    }

    private static func read(_ members: JSONObject) throws -> SigningKey {
        let buffer = ByteBuffer()
        JSONWriter.append(.object(members), to: buffer)
        return try SigningKey.read(buffer.array)
    }
}
