import Testing

@testable import TiffinLiveCore

@Suite("RFC 7518 §3.1, RFC 8725 §3.1: the algorithms that there are")
struct SignatureAlgorithmTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let algorithm: SignatureAlgorithm
        let family: SignatureAlgorithm.Family
        let hash: String
        let keyType: String
        var testDescription: String { algorithm.rawValue }
    }

    static let rows = [
        Row(algorithm: .ES256, family: .ecdsa(.p256), hash: "SHA2-256", keyType: "EC"),
        Row(algorithm: .ES384, family: .ecdsa(.p384), hash: "SHA2-384", keyType: "EC"),
        Row(algorithm: .ES512, family: .ecdsa(.p521), hash: "SHA2-512", keyType: "EC"),
        Row(algorithm: .RS256, family: .rsaPKCS1, hash: "SHA2-256", keyType: "RSA"),
        Row(algorithm: .RS384, family: .rsaPKCS1, hash: "SHA2-384", keyType: "RSA"),
        Row(algorithm: .RS512, family: .rsaPKCS1, hash: "SHA2-512", keyType: "RSA"),
        Row(algorithm: .PS256, family: .rsaPSS, hash: "SHA2-256", keyType: "RSA"),
        Row(algorithm: .EdDSA, family: .ed25519, hash: "SHA2-512", keyType: "OKP"),
        Row(algorithm: .HS256, family: .hmac, hash: "SHA2-256", keyType: "oct"),
        Row(algorithm: .HS384, family: .hmac, hash: "SHA2-384", keyType: "oct"),
        Row(algorithm: .HS512, family: .hmac, hash: "SHA2-512", keyType: "oct"),
    ]

    @Test("each algorithm has its family, hash and type of key", arguments: rows)
    func row(_ row: Row) {
        #expect(row.algorithm.family == row.family)
        #expect(row.algorithm.hash.name == row.hash)
        #expect(row.algorithm.hash.pointer != nil)
        #expect(row.algorithm.keyType == row.keyType)
        #expect(row.algorithm.isSymmetric == (row.keyType == "oct"))
        #expect(SignatureAlgorithm(name: row.algorithm.rawValue) == row.algorithm)
    }

    @Test("there are no others")
    func noOthers() {
        #expect(Self.rows.map(\.algorithm) == SignatureAlgorithm.allCases)
    }

    @Test("Ed25519 is another name of EdDSA (RFC 9864)")
    func edwards() {
        #expect(SignatureAlgorithm(name: "Ed25519") == .EdDSA)
        #expect(SignatureAlgorithm(name: "EdDSA") == .EdDSA)
    }

    @Test(
        "what is not on the list is no algorithm, in whatever case",
        arguments: [
            "", "none", "None", "NONE", "nOnE", "hs256", "Hs256", "HS256 ", " HS256", "HS256\u{0}", "HS1", "HS224",
            "HS", "es256", "ES256K", "ES224", "ESP256", "rs256", "RS1", "RS224", "PS384", "PS512", "ps256", "eddsa",
            "EDDSA", "ed25519", "ED25519", "Ed448", "X25519", "RSA-OAEP", "A128KW", "dir", "ECDH-ES", "Ed25519ph",
        ])
    func unknown(_ name: String) {
        #expect(SignatureAlgorithm(name: name) == nil)
    }

    @Test(
        "the secret of an HMAC is as long as its hash, and never under 32 bytes",
        arguments: [
            (SignatureAlgorithm.HS256, 32), (.HS384, 48), (.HS512, 64),
        ])
    func secretLength(_ algorithm: SignatureAlgorithm, _ shortest: Int) {
        for length in 0...80 {
            let key = VerificationKey.secret([UInt8](repeating: 5, count: length))
            if length < shortest {
                #expect(throws: KeyError.tooShort) { try key.check(fits: algorithm) }
                #expect(throws: KeyError.tooShort) { try SignatureVerifier(algorithm, key: key) }
            } else {
                #expect(throws: Never.self) { try key.check(fits: algorithm) }
            }
        }
    }

    @Test("a secret fits no asymmetric algorithm, which is how tokens are forged from public keys")
    func confusion() throws {
        let secret = VerificationKey.secret([UInt8](repeating: 5, count: 64))
        for row in Self.rows where row.family != .hmac {
            #expect(throws: KeyError.wrongAlgorithm) { try secret.check(fits: row.algorithm) }
        }
        guard case .ed25519(let x, _)? = try PrivateKey.generate(for: .EdDSA).components() else {
            Issue.record("no key")
            return
        }
        let key = VerificationKey.publicKey(try PublicKey.ed25519(x))
        for row in Self.rows where row.algorithm != .EdDSA {
            #expect(throws: KeyError.wrongAlgorithm) { try key.check(fits: row.algorithm) }
        }
    }

    @Test("a curve's key fits the algorithm of its curve alone")
    func otherCurves() throws {
        for algorithm in [SignatureAlgorithm.ES256, .ES384, .ES512] {
            guard case .ec(let curve, let x, let y, _)? = try PrivateKey.generate(for: algorithm).components() else {
                Issue.record("no key")
                continue
            }
            let key = VerificationKey.publicKey(try PublicKey.ec(curve, x: x, y: y))
            for row in Self.rows {
                let fits = (try? key.check(fits: row.algorithm)) != nil
                #expect(fits == (row.algorithm == algorithm))
            }
        }
    }

    @Test("a key that is printed by accident shows nothing of itself")
    func description() throws {
        let secret = VerificationKey.secret(Array("correct horse battery staple 123".utf8))
        #expect(String(describing: secret) == "secret")
        #expect("\(secret)" == "secret")
        guard case .ed25519(let x, _)? = try PrivateKey.generate(for: .EdDSA).components() else {
            Issue.record("no key")
            return
        }
        #expect("\(VerificationKey.publicKey(try PublicKey.ed25519(x)))" == "public key (ed25519)")
    }

    static let problems: [KeyError] = [
        .tooShort, .tooLong, .exponent, .modulus, .roca, .coordinateLength, .notOnCurve, .keyLength, .smallOrder,
        .wrongAlgorithm, .inconsistent, .refusedByLibrary,
    ]

    @Test("every problem of a key ends the sentence \"the key …\", each in its own way", arguments: problems)
    func problemText(_ problem: KeyError) {
        #expect(["is ", "has ", "was "].contains { problem.text.hasPrefix($0) })
        #expect(!problem.text.hasSuffix("."))
        #expect(Self.problems.filter { $0.text == problem.text } == [problem])
    }
}
