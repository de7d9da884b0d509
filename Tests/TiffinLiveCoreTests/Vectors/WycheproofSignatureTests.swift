import Testing

@testable import TiffinLiveCore

@Suite("Wycheproof: raw signatures")
struct WycheproofSignatureTests {
    struct File: Sendable, CustomTestStringConvertible {
        let name: String
        let algorithm: SignatureAlgorithm
        let count: Int
        var testDescription: String { "\(algorithm.rawValue): \(name)" }
    }

    static let files = [
        File(name: "ed25519_test", algorithm: .EdDSA, count: 151),
        File(name: "ecdsa_secp256r1_sha256_p1363_test", algorithm: .ES256, count: 262),
        File(name: "ecdsa_secp384r1_sha384_p1363_test", algorithm: .ES384, count: 280),
        File(name: "rsa_signature_2048_sha256_test", algorithm: .RS256, count: 259),
        File(name: "rsa_pss_2048_sha256_mgf1_32_test", algorithm: .PS256, count: 108),
    ]

    /// The key of a group, from its JWK where it has one.
    static func key(of group: JSONValue, for algorithm: SignatureAlgorithm) throws -> VerificationKey {
        if let jwk = group["publicKeyJwk"] ?? group["keyJwk"], var members = jwk.objectValue {
            members["alg"] = .string(algorithm.rawValue)
            return try KeySet.read(Array(JSONValue.object(members).jsonText.utf8)).keys[0].key
        }
        let numbers = group["publicKey"] ?? .null
        if case .ecdsa(let curve) = algorithm.family {
            let point = numbers["uncompressed"]?.hexBytes ?? []
            let size = curve.coordinateSize
            return .publicKey(
                try PublicKey.ec(curve, x: Array(point.dropFirst().prefix(size)), y: Array(point.suffix(size))))
        }
        return .publicKey(
            try PublicKey.rsa(
                modulus: numbers["modulus"]?.hexBytes ?? [], exponent: numbers["publicExponent"]?.hexBytes ?? []))
    }

    @Test("Every vector gets its verdict", arguments: files)
    func verdicts(_ file: File) throws {
        var count = 0
        for group in try VectorFile.groups(file.name) {
            let key = try Self.key(of: group, for: file.algorithm)
            let verifier = try SignatureVerifier(file.algorithm, key: key)
            for test in group.tests {
                let message = test["msg"]?.hexBytes ?? []
                let signature = test["sig"]?.hexBytes ?? []
                let verdict = message.withUnsafeBytes { message in
                    signature.withUnsafeBytes { verifier.verifies($0, of: message) }
                }
                count += 1
                // One RSA vector is marked "acceptable" (a DigestInfo without its NULL): either verdict is right.
                if test["result"] == "acceptable" { continue }
                #expect(verdict == test.isMarkedValid, "tcId \(test.testID): \(test["comment"]?.stringValue ?? "")")
            }
        }
        #expect(count == file.count)
    }

    @Test("HMAC-SHA-256 tags of full length get their verdict")
    func hmac() throws {
        var count = 0
        for group in try VectorFile.groups("hmac_sha256_test") where group["tagSize"]?.numberValue?.int64 == 256 {
            for test in group.tests {
                let secret = test["key"]?.hexBytes ?? []
                let authenticator = try #require(MessageAuthenticator(hash: .sha256, secret: secret))
                let message = test["msg"]?.hexBytes ?? []
                let tag = test["tag"]?.hexBytes ?? []
                let verdict = message.withUnsafeBytes { message in
                    tag.withUnsafeBytes { authenticator.verifies($0, of: message) }
                }
                #expect(verdict == test.isMarkedValid, "tcId \(test.testID)")
                count += 1
            }
        }
        #expect(count > 50)
    }
}
