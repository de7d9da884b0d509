import Testing

@testable import TiffinLiveCore

@Suite("RFC 7518 §3: signatures")
struct SignatureTests {
    static let message = Array("header.payload".utf8)

    static func verifier(for key: SigningKey) throws -> SignatureVerifier {
        try SignatureVerifier(key.algorithm, key: KeySet.read(Array(key.publicJWKS.utf8)).keys[0].key)
    }

    static func accepts(_ verifier: SignatureVerifier, _ signature: [UInt8], _ message: [UInt8] = message) -> Bool {
        message.withUnsafeBytes { message in signature.withUnsafeBytes { verifier.verifies($0, of: message) } }
    }

    @Test("What a key signs it verifies, again and again, and nothing else", arguments: SignatureAlgorithm.allCases)
    func roundTrip(_ algorithm: SignatureAlgorithm) throws {
        let key = try TestKeys.first(algorithm)
        let verifier = try Self.verifier(for: key)
        let signature = try key.signature(of: Self.message)
        for _ in 0..<3 {
            #expect(Self.accepts(verifier, signature))
            #expect(!Self.accepts(verifier, signature, Self.message + [0]))
            #expect(!Self.accepts(verifier, signature, []))
        }
        let empty = try key.signature(of: [])
        #expect(Self.accepts(verifier, empty, []))
        for bit in [0, 7, signature.count * 8 - 1, signature.count * 4] {
            var changed = signature
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!Self.accepts(verifier, changed), "bit \(bit)")
        }
        let other = try TestKeys.second(algorithm)
        #expect(!Self.accepts(try Self.verifier(for: other), signature))
        #expect(Self.accepts(verifier, signature), "a failure leaves nothing behind")
    }

    @Test("Only the exact length is a signature", arguments: SignatureAlgorithm.allCases)
    func lengths(_ algorithm: SignatureAlgorithm) throws {
        let key = try TestKeys.first(algorithm)
        let verifier = try Self.verifier(for: key)
        let signature = try key.signature(of: Self.message)
        #expect(!Self.accepts(verifier, []))
        #expect(!Self.accepts(verifier, [0]))
        #expect(!Self.accepts(verifier, signature + [0]))
        #expect(!Self.accepts(verifier, [0] + signature))
        for length in [1, 16, signature.count / 2, signature.count - 1] {
            #expect(!Self.accepts(verifier, Array(signature.prefix(length))))
        }
    }

    @Test("ECDSA: r or s of 0, of the order and above are refused; the high s is accepted")
    func range() throws {
        let key = try TestKeys.first(.ES256)
        let verifier = try Self.verifier(for: key)
        let signature = try key.signature(of: Self.message)
        let order: [UInt8] =
            [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8) + [
                0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
            ]
        let zero = [UInt8](repeating: 0, count: 32)
        let ones = [UInt8](repeating: 0xFF, count: 32)
        let r = Array(signature.prefix(32))
        let s = Array(signature.suffix(32))
        for bad in [zero, order, ones] {
            #expect(!Self.accepts(verifier, bad + s))
            #expect(!Self.accepts(verifier, r + bad))
            #expect(!Self.accepts(verifier, bad + bad))
        }
        // n - s is a signature too (no rule against it in RFC 7518), so a token's text is no name for it.
        var highS = [UInt8](repeating: 0, count: 32)
        var borrow = 0
        for index in (0..<32).reversed() {
            let difference = Int(order[index]) - Int(s[index]) - borrow
            highS[index] = UInt8(truncatingIfNeeded: difference)
            borrow = difference < 0 ? 1 : 0
        }
        #expect(Self.accepts(verifier, r + highS))
    }

    @Test("RSA: 0, 1 and values at the modulus are refused")
    func rsaRange() throws {
        for algorithm in [SignatureAlgorithm.RS256, .PS256] {
            let key = try TestKeys.first(algorithm)
            let verifier = try Self.verifier(for: key)
            let zero = [UInt8](repeating: 0, count: 256)
            #expect(!Self.accepts(verifier, zero))
            #expect(!Self.accepts(verifier, Array(zero.dropLast()) + [1]))
            #expect(!Self.accepts(verifier, [UInt8](repeating: 0xFF, count: 256)))
        }
    }

    @Test(
        "An RSA signature that begins with a zero byte is not taken without it",
        arguments: [SignatureAlgorithm.RS256, .PS256])
    func leadingZero(_ algorithm: SignatureAlgorithm) throws {
        let key = try TestKeys.first(algorithm)
        let verifier = try Self.verifier(for: key)
        // One signature in 256 begins with a zero.
        for number in 0..<5000 {
            let message = Array("\(number)".utf8)
            let signature = try key.signature(of: message)
            guard signature.first == 0 else { continue }
            #expect(Self.accepts(verifier, signature, message))
            #expect(!Self.accepts(verifier, Array(signature.dropFirst()), message))
            #expect(!Self.accepts(verifier, Array(signature.dropFirst()) + [0], message))
            return
        }
        Issue.record("no such signature among 5,000")
    }

    @Test("PKCS #1 and PSS signatures of one key are not taken for each other")
    func paddings() throws {
        let key = try TestKeys.first(.RS256)
        let public256 = try KeySet.read(Array(key.publicJWKS.utf8)).keys[0].key
        let signature = try key.signature(of: Self.message)
        #expect(!Self.accepts(try SignatureVerifier(.PS256, key: public256), signature))
        #expect(!Self.accepts(try SignatureVerifier(.RS384, key: public256), signature))
        #expect(Self.accepts(try SignatureVerifier(.RS256, key: public256), signature))
    }
}
