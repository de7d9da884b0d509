/// Decides about tokens (RFC 7519 §7.2, RFC 8725), the cheap checks first, and remembers what signature work found.
/// One for each loop: it owns verification contexts. What is remembered may be shared. Reads no clock and knows nothing
/// of revocations, which are asked after it.
final class TokenVerifier {
    private var keys: KeySet
    private var policy: TokenPolicy
    /// What verdicts count for now: the policy with each of the keys, by index into `keys`.
    private var rules: [UInt64]
    /// By index into `keys`; made when a token first asks for the key.
    private var verifiers: [SignatureVerifier?]
    private let memory: any SharedValue<TokenMemory>
    /// Signatures that were computed, whatever came of it.
    private(set) var signatureCount = 0

    init(keys: KeySet, policy: TokenPolicy, memory: any SharedValue<TokenMemory>) {
        self.keys = keys
        self.policy = policy
        self.memory = memory
        rules = keys.keys.map { policy.rules(with: $0) }
        verifiers = Array(repeating: nil, count: keys.count)
    }

    /// With a memory of its own. `cacheCapacity`: entries of each of its two caches.
    convenience init(keys: KeySet, policy: TokenPolicy, cacheCapacity: Int) {
        self.init(keys: keys, policy: policy, memory: Unshared(TokenMemory(capacity: cacheCapacity)))
    }

    /// Tokens that are remembered, whoever found out about them.
    var acceptedCount: Int { memory.withValue { $0.accepted.count } }
    var refusedCount: Int { memory.withValue { $0.refused.count } }

    /// `.needsSignature` comes only when `mayVerifySignature` is false and neither cheap checks nor caches can tell.
    func check(_ token: UnsafeRawBufferPointer, wall: Nanoseconds, mayVerifySignature: Bool = true) -> TokenOutcome {
        do throws(JWTError) {
            let jws = try CompactJWS(token)
            let digest = Digest.sha256(token)
            // The digest stands for every byte, so a token that was judged needs no second look but at the clock.
            switch memory.withValue({ $0.verdict(on: digest, under: rules, wall: wall) }) {
            case .accepted(let verified): return outcome(verified, digest, wall: wall)
            case .refused(let error): return .refused(error)
            case nil: break
            }
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
                let refused = TokenMemory.Refused(error: error, rules: rules[index])
                memory.withValue { $0.refused.insert(refused, for: digest, until: expiresAt, wall: wall) }
                throw error
            }
            let accepted = TokenMemory.Accepted(verified: verified, rules: rules[index])
            memory.withValue { $0.accepted.insert(accepted, for: digest, until: expiresAt, wall: wall) }
            return outcome(verified, digest, wall: wall)
        } catch {
            return .refused(error)
        }
    }

    /// Key reload (rotation): what was found out with keys that are gone or changed counts no more, under another policy
    /// nothing does.
    func replace(keys: KeySet, policy: TokenPolicy? = nil) {
        self.keys = keys
        self.policy = policy ?? self.policy
        rules = keys.keys.map { self.policy.rules(with: $0) }
        verifiers = Array(repeating: nil, count: keys.count)
    }

    /// Whether what this key has signed still counts.
    func knows(key mark: UInt64) -> Bool {
        keys.keys.contains { $0.mark == mark }
    }

    private func outcome(_ verified: VerifiedClaims, _ digest: SHA256Digest, wall: Nanoseconds) -> TokenOutcome {
        guard let error = verified.refusal(at: wall, under: policy) else { return .accepted(verified.claims) }
        if error == .expired { memory.withValue { $0.accepted.remove(digest) } }
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
