import Testing

@testable import TiffinLiveCore

@Suite("RFC 7518 §6, RFC 8725 §3.4–3.5: what a public key must fulfil")
struct PublicKeyTests {
    static let generated: PrivateKey.Components? = try? PrivateKey.generate(for: .RS256).components()

    static func modulus() throws -> [UInt8] {
        guard case .rsa(let numbers)? = generated else { throw KeyError.inconsistent }
        return numbers[0]
    }

    @Test("RSA moduli under 2048 or over 8192 bits, and even ones, are refused")
    func modulusSize() throws {
        let exponent: [UInt8] = [1, 0, 1]
        func error(_ modulus: [UInt8]) -> KeyError? {
            do {
                _ = try PublicKey.rsa(modulus: modulus, exponent: exponent)
                return nil
            } catch {
                return error
            }
        }
        #expect(error([]) == .tooShort)
        #expect(error([UInt8](repeating: 0xFF, count: 128)) == .tooShort)
        #expect(error([0x7F] + [UInt8](repeating: 0xFF, count: 255)) == .tooShort)
        #expect(error([1] + [UInt8](repeating: 0xFF, count: 1024)) == .tooLong)
        #expect(error([UInt8](repeating: 0xFF, count: 4000)) == .tooLong)
        var even = try Self.modulus()
        even[255] &= 0xFE
        #expect(error(even) == .modulus)
        #expect(error(try Self.modulus()) == nil)
        #expect(error([0] + (try Self.modulus())) == nil, "a leading zero is no other number")
    }

    @Test(
        "Public exponents that are even, 0, 1 or beyond 64 bits are refused; 3 and 65537 are not",
        arguments: [
            ([], false), ([0], false), ([1], false), ([2], false), ([1, 0, 0], false),
            ([1, 0, 0, 0, 0, 0, 0, 0, 1], false), ([3], true), ([1, 0, 1], true),
        ] as [([UInt8], Bool)])
    func exponent(_ exponent: [UInt8], _ isGood: Bool) throws {
        let modulus = try Self.modulus()
        if isGood {
            #expect(try PublicKey.rsa(modulus: modulus, exponent: exponent).kind == .rsa(size: 256))
        } else {
            #expect(throws: KeyError.exponent) { try PublicKey.rsa(modulus: modulus, exponent: exponent) }
        }
    }

    @Test("A point must be on its curve and have coordinates of the curve's size")
    func points() throws {
        for (algorithm, curve) in [(SignatureAlgorithm.ES256, EllipticCurve.p256), (.ES384, .p384), (.ES512, .p521)] {
            guard case .ec(curve, let x, let y, _)? = try PrivateKey.generate(for: algorithm).components() else {
                Issue.record("no key on \(curve)")
                continue
            }
            #expect(try PublicKey.ec(curve, x: x, y: y).kind == .ec(curve))
            var off = y
            off[off.count - 1] ^= 1
            #expect(throws: KeyError.notOnCurve) { try PublicKey.ec(curve, x: x, y: off) }
            #expect(throws: KeyError.coordinateLength) { try PublicKey.ec(curve, x: [0] + x, y: y) }
            #expect(throws: KeyError.coordinateLength) { try PublicKey.ec(curve, x: x, y: Array(y.dropLast())) }
            let zero = [UInt8](repeating: 0, count: curve.coordinateSize)
            #expect(throws: KeyError.notOnCurve) { try PublicKey.ec(curve, x: zero, y: zero) }
            let ones = [UInt8](repeating: 0xFF, count: curve.coordinateSize)
            #expect(throws: KeyError.notOnCurve) { try PublicKey.ec(curve, x: ones, y: ones) }
        }
    }

    @Test("Ed25519 keys of small order are refused, whatever their sign bit, and so are other lengths")
    func smallOrder() throws {
        var zero = [UInt8](repeating: 0, count: 32)
        #expect(throws: KeyError.smallOrder) { try PublicKey.ed25519(zero) }
        zero[31] = 0x80
        #expect(throws: KeyError.smallOrder) { try PublicKey.ed25519(zero) }
        for first: UInt8 in [0xEC, 0xED, 0xEE] {
            let point = [first] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
            #expect(throws: KeyError.smallOrder) { try PublicKey.ed25519(point) }
        }
        #expect(throws: KeyError.keyLength) { try PublicKey.ed25519([UInt8](repeating: 9, count: 31)) }
        #expect(throws: KeyError.keyLength) { try PublicKey.ed25519([UInt8](repeating: 9, count: 57)) }
    }

    @Test("A key fits the algorithms of its kind and curve and no other", arguments: SignatureAlgorithm.allCases)
    func fit(_ algorithm: SignatureAlgorithm) throws {
        guard case .ec(_, let x, let y, _)? = try PrivateKey.generate(for: .ES256).components(),
            case .ed25519(let point, _)? = try PrivateKey.generate(for: .EdDSA).components()
        else {
            Issue.record("no keys")
            return
        }
        let candidates: [(VerificationKey, Set<SignatureAlgorithm>)] = [
            (.publicKey(try PublicKey.ec(.p256, x: x, y: y)), [.ES256]),
            (.publicKey(try PublicKey.ed25519(point)), [.EdDSA]),
            (
                .publicKey(try PublicKey.rsa(modulus: Self.modulus(), exponent: [1, 0, 1])),
                [.RS256, .RS384, .RS512, .PS256]
            ),
            (.secret([UInt8](repeating: 7, count: 31)), []),
            (.secret([UInt8](repeating: 7, count: 32)), [.HS256]),
            (.secret([UInt8](repeating: 7, count: 48)), [.HS256, .HS384]),
            (.secret([UInt8](repeating: 7, count: 64)), [.HS256, .HS384, .HS512]),
        ]
        for (key, fitting) in candidates {
            let verifier = try? SignatureVerifier(algorithm, key: key)
            #expect((verifier != nil) == fitting.contains(algorithm))
        }
    }
}
