@testable import TiffinLiveCore

/// Key sets: what is accepted has keys, each of a pinned algorithm, and reads the same twice; a refusal says why in
/// one line.
enum FuzzJWKS {
    static func run(_ bytes: [UInt8]) {
        do throws(KeySetError) {
            let keys = try KeySet.read(bytes)
            check(keys.count > 0, "a set without keys")
            check(keys.count + keys.notes.count <= bytes.count, "more keys than bytes")
            let again = try KeySet.read(bytes)
            check(again.keys.map(\.fingerprint) == keys.keys.map(\.fingerprint), "read differently")
            let token = [UInt8]("eyJhbGciOiJFUzI1NiIsImtpZCI6ImEifQ.eyJleHAiOjk5OTk5OTk5OTl9.AAAA".utf8)
            let verifier = TokenVerifier(keys: keys, policy: TokenPolicy(), cacheCapacity: 4)
            let outcome = token.withUnsafeBytes { verifier.check($0, wall: 0) }
            guard case .refused = outcome else { fatalError("accepted an empty signature") }
        } catch {
            check(!error.description.utf8.contains { $0 < 0x20 }, "control bytes in \(error)")
        }
        _ = try? SigningKey.read(bytes)
    }
}
