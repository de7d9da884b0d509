/// Decides about tokens (RFC 7519 §7.2, RFC 8725), the cheap checks first, and remembers what signature work found.
/// One for each loop: it owns verification contexts and caches. Reads no clock and knows nothing of revocations, which
/// are asked after it.
final class TokenVerifier {
    /// A good signature over good claims, and whose it is.
    private struct Accepted {
        let verified: VerifiedClaims
        let fingerprint: SHA256Digest
    }

    private var keys: KeySet
    private var policy: TokenPolicy
    /// By index into `keys`; made when a token first asks for the key.
    private var verifiers: [SignatureVerifier?]
    private let acceptedTokens: TokenCache<Accepted>
    /// Refusals that only another key set or policy could change: signature, issuer, audience, form of the claims.
    private let refusedTokens: TokenCache<JWTError>
    /// Signatures that were computed, whatever came of it.
    private(set) var signatureCount = 0

    /// `cacheCapacity`: entries of each of the two caches.
    init(keys: KeySet, policy: TokenPolicy, cacheCapacity: Int) {
        self.keys = keys
        self.policy = policy
        verifiers = Array(repeating: nil, count: keys.count)
        acceptedTokens = TokenCache(capacity: cacheCapacity)
        refusedTokens = TokenCache(capacity: cacheCapacity)
    }

    /// Entries in the caches, for metrics.
    var acceptedCount: Int { acceptedTokens.count }
    var refusedCount: Int { refusedTokens.count }

    /// `.needsSignature` comes only when `mayVerifySignature` is false and neither cheap checks nor caches can tell.
    func check(_ token: UnsafeRawBufferPointer, wall: Nanoseconds, mayVerifySignature: Bool = true) -> TokenOutcome {
        do throws(JWTError) {
            let jws = try CompactJWS(token)
            let digest = Digest.sha256(token)
            // The digest stands for every byte, so a token that was judged needs no second look but at the clock.
            if let accepted = acceptedTokens[digest] { return outcome(accepted.verified, digest, wall: wall) }
            // Once its `exp` has passed, a refused token too is simply an expired one.
            if let error = refusedTokens.value(for: digest, wall: wall) { return .refused(error) }
            let header = try JOSEHeader(base64URL: jws.header)
            let members = try ClaimsReader.members(base64URL: jws.payload)
            let expiresAt = try ClaimsReader.expiration(of: members)
            if wall >= expiresAt { throw .expired }
            let index = try keys.index(for: header)
            guard let signature = Base64.decodeURL(jws.signature) else { throw .notBase64URL }
            guard mayVerifySignature else { return .needsSignature }
            let verified: VerifiedClaims
            do throws(JWTError) {
                try verify(signature, of: jws.signingInput, index: index)
                verified = try ClaimsReader(policy: policy).read(members, key: keys.keys[index].mark)
            } catch {
                refusedTokens.insert(error, for: digest, until: expiresAt, wall: wall)
                throw error
            }
            let accepted = Accepted(verified: verified, fingerprint: keys.keys[index].fingerprint)
            acceptedTokens.insert(accepted, for: digest, until: expiresAt, wall: wall)
            return outcome(verified, digest, wall: wall)
        } catch {
            return .refused(error)
        }
    }

    /// Key reload (rotation): tokens of keys that are gone or changed are forgotten, and so is every refusal, for the
    /// new keys may judge otherwise. Another policy forgets everything.
    func replace(keys: KeySet, policy: TokenPolicy? = nil) {
        self.keys = keys
        verifiers = Array(repeating: nil, count: keys.count)
        refusedTokens.removeAll()
        if let policy, policy != self.policy {
            self.policy = policy
            acceptedTokens.removeAll()
        } else {
            let staying = Set(keys.keys.map(\.fingerprint))
            acceptedTokens.removeAll { !staying.contains($0.fingerprint) }
        }
    }

    /// Whether what this key has signed still counts.
    func knows(key mark: UInt64) -> Bool {
        keys.keys.contains { $0.mark == mark }
    }

    private func outcome(_ verified: VerifiedClaims, _ digest: SHA256Digest, wall: Nanoseconds) -> TokenOutcome {
        guard let error = verified.refusal(at: wall, under: policy) else { return .accepted(verified.claims) }
        if error == .expired { acceptedTokens.remove(digest) }
        return .refused(error)
    }

    private func verify(
        _ signature: [UInt8], of message: UnsafeRawBufferPointer, index: Int
    ) throws(JWTError) {
        let verifier: SignatureVerifier
        if let made = verifiers[index] {
            verifier = made
        } else {
            let key = keys.keys[index]
            do {
                verifier = try SignatureVerifier(key.algorithm, key: key.key)
            } catch {
                // The key passed this very check when the set was read: only memory can be short here.
                throw .signatureInvalid
            }
            verifiers[index] = verifier
        }
        signatureCount += 1
        guard signature.withUnsafeBytes({ verifier.verifies($0, of: message) }) else { throw .signatureInvalid }
    }
}
