@testable import TiffinLiveCore

/// Tokens. The input is judged as a token, which must not be accepted, since nobody here has the key; then its first
/// line is taken for a header and the rest for claims, and the token is signed properly, so that what lies behind the
/// signature is reached as well.
enum FuzzJWS {
    /// The public key of RFC 7515 A.3.
    private static let strangersKey = """
        {"kty":"EC","crv":"P-256","alg":"ES256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        """
    private static let ourKey = """
        {"kty":"oct","alg":"HS256","kid":"k","k":"\(String(repeating: "A1b2C3d4", count: 8))"}
        """
    private static let wall: Nanoseconds = 1_764_500_000 * .second
    private static let policy = TokenPolicy(
        issuers: ["https://issuer.example"], audience: "live", keptClaims: ["restaurant", "zones"])

    static func run(_ bytes: [UInt8]) {
        guard case .refused = judge(bytes, strangersKey) else { fatalError("accepted a token that nobody signed") }
        let lineEnd = bytes.firstIndex(of: 0x0A) ?? bytes.count
        let header = Array(bytes[..<lineEnd])
        let claims = Array(bytes[lineEnd...].dropFirst())
        guard let key = try? SigningKey.read([UInt8](ourKey.utf8)),
            let token = try? key.sign(header: header, payload: claims)
        else { fatalError("cannot sign") }
        guard case .accepted(let set) = judge([UInt8](token.utf8), ourKey) else { return }
        check(set.expiresAt > wall, "accepted after its end")
        check((1...256).contains(set.user.utf8.count), "user \(set.user)")
        check(!set.user.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "user \(set.user)")
        var forged = [UInt8](token.utf8)
        forged[forged.count - 2] = forged[forged.count - 2] == 0x41 ? 0x42 : 0x41
        guard case .refused = judge(forged, ourKey) else { fatalError("accepted a forged signature") }
    }

    /// The verdict, after a check that it is the same when asked again, from the cache.
    private static func judge(_ token: [UInt8], _ key: String) -> TokenOutcome {
        guard let keys = try? KeySet.read([UInt8](key.utf8)) else { fatalError("key refused") }
        let verifier = TokenVerifier(keys: keys, policy: policy, cacheCapacity: 8)
        return token.withUnsafeBytes { token in
            let without = verifier.check(token, wall: wall, mayVerifySignature: false)
            check(verifier.signatureCount == 0, "computed a signature without leave")
            let first = verifier.check(token, wall: wall, mayVerifySignature: true)
            if case .refused = without { check(describe(without) == describe(first), "another cheap verdict") }
            let second = verifier.check(token, wall: wall, mayVerifySignature: false)
            check(describe(first) == describe(second), "\(describe(first)), then \(describe(second))")
            return first
        }
    }

    private static func describe(_ outcome: TokenOutcome) -> String {
        switch outcome {
        case .accepted(let set):
            "accepted \(set.user) \(set.role) \(set.expiresAt) \(set.extra.sorted { $0.key < $1.key })"
        case .refused(let error): "refused \(error)"
        case .needsSignature: "needs a signature"
        }
    }
}
