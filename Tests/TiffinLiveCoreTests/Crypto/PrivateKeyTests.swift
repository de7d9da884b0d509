import Testing

@testable import TiffinLiveCore

@Suite("RFC 7518 §6.2.2, §6.3.2, RFC 8037 §2: private keys")
struct PrivateKeyTests {
    static let asymmetric = SignatureAlgorithm.allCases.filter { !$0.isSymmetric }
    static let symmetric = SignatureAlgorithm.allCases.filter(\.isSymmetric)
    static let curves: [SignatureAlgorithm] = [.ES256, .ES384, .ES512]
    /// Finding primes is slow: one key for all the tests here, which change copies of its numbers.
    static let rsa: PrivateKey.Components? = try? PrivateKey.generate(for: .RS256).components()

    private static func rsaNumbers() throws -> [[UInt8]] {
        guard case .rsa(let numbers)? = rsa else { throw KeyError.inconsistent }
        return numbers
    }

    private static func ecNumbers(_ algorithm: SignatureAlgorithm) throws -> (EllipticCurve, [UInt8], [UInt8], [UInt8])
    {
        guard case .ec(let curve, let x, let y, let d)? = try PrivateKey.generate(for: algorithm).components() else {
            throw KeyError.inconsistent
        }
        return (curve, x, y, d)
    }

    private static func edwardsNumbers() throws -> (x: [UInt8], d: [UInt8]) {
        guard case .ed25519(let x, let d)? = try PrivateKey.generate(for: .EdDSA).components() else {
            throw KeyError.inconsistent
        }
        return (x, d)
    }

    private static func problem(_ components: PrivateKey.Components) -> KeyError? {
        do {
            _ = try PrivateKey.make(from: components)
            return nil
        } catch {
            return error
        }
    }

    private static func sign(_ key: PrivateKey, _ algorithm: SignatureAlgorithm) throws -> [UInt8] {
        try Array("message".utf8).withUnsafeBytes { try key.signature(of: $0, with: algorithm) }
    }

    @Test("no key pair is made for an HMAC", arguments: symmetric)
    func noPairForSecrets(_ algorithm: SignatureAlgorithm) {
        #expect(throws: KeyError.wrongAlgorithm) { try PrivateKey.generate(for: algorithm) }
    }

    @Test("two new keys on a curve differ, have numbers of full size and survive being written down", arguments: curves)
    func newCurveKeys(_ algorithm: SignatureAlgorithm) throws {
        let (curve, x, y, d) = try Self.ecNumbers(algorithm)
        #expect(algorithm.family == .ecdsa(curve))
        #expect([x, y, d].map(\.count) == [Int](repeating: curve.coordinateSize, count: 3))
        #expect(try Self.ecNumbers(algorithm).3 != d)
        let again = try PrivateKey.make(from: .ec(curve, x: x, y: y, d: d))
        #expect(again.components() == .ec(curve, x: x, y: y, d: d))
    }

    @Test("a private number that is another key's, zero, or of another length is refused", arguments: curves)
    func curvePrivateNumber(_ algorithm: SignatureAlgorithm) throws {
        let (curve, x, y, d) = try Self.ecNumbers(algorithm)
        let other = try Self.ecNumbers(algorithm).3
        #expect(Self.problem(.ec(curve, x: x, y: y, d: other)) == .inconsistent)
        let zero = [UInt8](repeating: 0, count: d.count)
        #expect(Self.problem(.ec(curve, x: x, y: y, d: zero)) != nil)
        #expect(Self.problem(.ec(curve, x: x, y: y, d: [UInt8](repeating: 0xFF, count: d.count))) != nil)
        #expect(Self.problem(.ec(curve, x: x, y: y, d: [0] + d)) == .coordinateLength)
        #expect(Self.problem(.ec(curve, x: x, y: y, d: Array(d.dropLast()))) == .coordinateLength)
        #expect(Self.problem(.ec(curve, x: x, y: y, d: [])) == .coordinateLength)
        #expect(Self.problem(.ec(curve, x: x, y: y, d: d)) == nil)
    }

    @Test("the public part of a private key passes the same checks as a public key", arguments: curves)
    func curvePublicPart(_ algorithm: SignatureAlgorithm) throws {
        let (curve, x, y, d) = try Self.ecNumbers(algorithm)
        var off = y
        off[off.count - 1] ^= 1
        #expect(Self.problem(.ec(curve, x: x, y: off, d: d)) == .notOnCurve)
        #expect(Self.problem(.ec(curve, x: y, y: x, d: d)) == .notOnCurve)
        #expect(Self.problem(.ec(curve, x: Array(x.dropFirst()), y: y, d: d)) == .coordinateLength)
        for wrong in [EllipticCurve.p256, .p384, .p521] where wrong != curve {
            #expect(Self.problem(.ec(wrong, x: x, y: y, d: d)) == .coordinateLength)
        }
        let (_, otherX, otherY, _) = try Self.ecNumbers(algorithm)
        #expect(Self.problem(.ec(curve, x: otherX, y: otherY, d: d)) == .inconsistent)
    }

    @Test("an Ed25519 key needs both of its halves, whole and belonging together")
    func edwards() throws {
        let (x, d) = try Self.edwardsNumbers()
        let (otherX, otherD) = try Self.edwardsNumbers()
        #expect(x.count == 32 && d.count == 32)
        #expect(Self.problem(.ed25519(x: x, d: d)) == nil)
        #expect(Self.problem(.ed25519(x: otherX, d: d)) == .inconsistent)
        #expect(Self.problem(.ed25519(x: x, d: otherD)) == .inconsistent)
        #expect(Self.problem(.ed25519(x: [], d: d)) == .inconsistent)
        #expect(Self.problem(.ed25519(x: Array(x.dropLast()), d: d)) == .inconsistent)
        #expect(Self.problem(.ed25519(x: x, d: Array(d.dropLast()))) == .keyLength)
        #expect(Self.problem(.ed25519(x: x, d: d + [0])) == .keyLength)
        #expect(Self.problem(.ed25519(x: x, d: [])) == .keyLength)
    }

    @Test("an RSA key comes back from its eight numbers")
    func rsaNumbersComeBack() throws {
        let numbers = try Self.rsaNumbers()
        let key = try PrivateKey.make(from: .rsa(numbers))
        #expect(key.components() == .rsa(numbers))
        #expect(numbers.map(\.count).prefix(2) == [256, 3])
        let verifier = try SignatureVerifier(
            .RS256, key: .publicKey(PublicKey.rsa(modulus: numbers[0], exponent: numbers[1])))
        let signature = try Self.sign(key, .RS256)
        #expect(
            signature.withUnsafeBytes { signature in
                Array("message".utf8).withUnsafeBytes { verifier.verifies(signature, of: $0) }
            })
    }

    @Test("an RSA key with too few numbers or too many is none", arguments: [0, 1, 2, 3, 7, 9])
    func rsaCount(_ count: Int) throws {
        let numbers = try Self.rsaNumbers()
        let some = Array((numbers + numbers).prefix(count))
        #expect(Self.problem(.rsa(some)) == .inconsistent)
    }

    @Test("an RSA key whose private exponent is not its own is refused")
    func rsaPrivateExponent() throws {
        var numbers = try Self.rsaNumbers()
        numbers[2][numbers[2].count - 1] ^= 2
        #expect(Self.problem(.rsa(numbers)) != nil)
        numbers = try Self.rsaNumbers()
        numbers[2] = [3]
        #expect(Self.problem(.rsa(numbers)) != nil)
    }

    @Test("an RSA key with a bad public part is refused for that")
    func rsaPublicPart() throws {
        var numbers = try Self.rsaNumbers()
        numbers[1] = [1]
        #expect(Self.problem(.rsa(numbers)) == .exponent)
        numbers = try Self.rsaNumbers()
        numbers[0][255] &= 0xFE
        #expect(Self.problem(.rsa(numbers)) == .modulus)
        numbers[0] = Array(numbers[0].prefix(128))
        #expect(Self.problem(.rsa(numbers)) == .tooShort)
    }

    @Test("a key signs with the algorithms of its kind and with no other", arguments: asymmetric)
    func onlyItsOwn(_ algorithm: SignatureAlgorithm) throws {
        let rsa = try PrivateKey.make(from: .rsa(Self.rsaNumbers()))
        let curve = try PrivateKey.generate(for: .ES256)
        let edwards = try PrivateKey.generate(for: .EdDSA)
        let isRSA = algorithm.keyType == "RSA"
        #expect(((try? Self.sign(rsa, algorithm))?.count == 256) == isRSA)
        let edwardsSignature = try? Self.sign(edwards, algorithm)
        #expect((edwardsSignature?.count == 64) == (algorithm == .EdDSA))
        if algorithm == .ES256 {
            #expect(try Self.sign(curve, algorithm).count == 64)
        } else if isRSA || algorithm == .EdDSA {
            #expect(throws: KeyError.wrongAlgorithm) { try Self.sign(curve, algorithm) }
        }
    }

    @Test("no private key makes an HMAC", arguments: symmetric)
    func noTags(_ algorithm: SignatureAlgorithm) throws {
        for key in try [PrivateKey.generate(for: .ES256), .generate(for: .EdDSA)] {
            #expect(throws: KeyError.wrongAlgorithm) { try Self.sign(key, algorithm) }
        }
    }

    @Test("signatures of PKCS #1 v1.5 and Ed25519 are the same each time, those of PSS and ECDSA never")
    func determinism() throws {
        let rsa = try PrivateKey.make(from: .rsa(Self.rsaNumbers()))
        let edwards = try PrivateKey.generate(for: .EdDSA)
        let curve = try PrivateKey.generate(for: .ES256)
        #expect(try Self.sign(rsa, .RS256) == Self.sign(rsa, .RS256))
        #expect(try Self.sign(rsa, .RS256) != Self.sign(rsa, .RS512))
        #expect(try Self.sign(edwards, .EdDSA) == Self.sign(edwards, .EdDSA))
        #expect(try Self.sign(rsa, .PS256) != Self.sign(rsa, .PS256))
        #expect(try Self.sign(curve, .ES256) != Self.sign(curve, .ES256))
    }
}
