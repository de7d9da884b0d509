import Testing

@testable import TiffinLiveCore

@Suite("RFC 3279 §2.2.3: the DER form of ECDSA signatures, read back by an independent reader")
struct ECDSAEncodingTests {
    static let curves: [EllipticCurve] = [.p256, .p384, .p521]

    /// Reads `SEQUENCE { INTEGER, INTEGER }` by the rules of DER (X.690 §8.3, §10.1): shortest lengths, shortest
    /// integers, not negative. Nil for anything else.
    private struct Reader {
        private var rest: ArraySlice<UInt8>

        static func integers(_ der: [UInt8]) -> [[UInt8]]? {
            var outer = Reader(rest: der[...])
            guard let body = outer.take(tag: 0x30), outer.rest.isEmpty else { return nil }
            var inner = Reader(rest: body)
            guard let r = inner.integer(), let s = inner.integer(), inner.rest.isEmpty else { return nil }
            return [r, s]
        }

        private mutating func take(tag: UInt8) -> ArraySlice<UInt8>? {
            guard rest.popFirst() == tag, var length = rest.popFirst().map({ Int($0) }) else { return nil }
            if length > 0x7F {
                guard length == 0x81, let long = rest.popFirst(), long > 0x7F else { return nil }
                length = Int(long)
            }
            guard rest.count >= length else { return nil }
            defer { rest = rest.dropFirst(length) }
            return rest.prefix(length)
        }

        private mutating func integer() -> [UInt8]? {
            guard let content = take(tag: 0x02), let first = content.first, first < 0x80 else { return nil }
            guard content.count > 1, first == 0 else { return Array(content) }
            guard content.dropFirst().first ?? 0 >= 0x80 else { return nil }
            return Array(content.dropFirst())
        }
    }

    private static func der(_ raw: [UInt8], _ curve: EllipticCurve) -> [UInt8]? {
        raw.withUnsafeBytes { ECDSASignature.der(fromRaw: $0, curve: curve) }
    }

    /// What a half is as a number: without leading zeros, but not empty.
    private static func number(_ half: [UInt8]) -> [UInt8] {
        let digits = Array(half.drop { $0 == 0 })
        return digits.isEmpty ? [0] : digits
    }

    private static func check(_ r: [UInt8], _ s: [UInt8], _ curve: EllipticCurve) {
        let numbers = der(r + s, curve).flatMap { Reader.integers($0) }
        #expect(numbers == [number(r), number(s)], "\(curve)")
    }

    @Test("every count of leading zeros in either half, with the first bit set and not", arguments: curves)
    func leadingZeros(_ curve: EllipticCurve) {
        let size = curve.coordinateSize
        let full = [UInt8](repeating: 0xFF, count: size)
        for zeros in 0...size {
            for first: UInt8 in [0x01, 0x7F, 0x80, 0xFF] {
                var half = [UInt8](repeating: 0, count: zeros)
                if zeros < size { half += [first] + [UInt8](repeating: 0x5A, count: size - zeros - 1) }
                Self.check(half, full, curve)
                Self.check(full, half, curve)
                Self.check(half, half, curve)
            }
        }
    }

    @Test("zeros behind the first digit stay", arguments: curves)
    func innerZeros(_ curve: EllipticCurve) {
        let size = curve.coordinateSize
        for place in 0..<size {
            var half = [UInt8](repeating: 0, count: size)
            half[place] = 1
            Self.check(half, half.reversed(), curve)
            half[place] = 0x80
            Self.check(half, half.reversed(), curve)
        }
    }

    @Test("random halves", arguments: curves)
    func random(_ curve: EllipticCurve) {
        var random = SeededRandom(seed: UInt64(curve.coordinateSize))
        for _ in 0..<500 {
            let zeros = Int.random(in: 0...3, using: &random)
            let halves = (0..<2).map { _ in
                [UInt8](repeating: 0, count: zeros)
                    + (zeros..<curve.coordinateSize).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            }
            Self.check(halves[0], halves[1], curve)
        }
    }

    @Test(
        "the length takes a second byte exactly from 128 on",
        arguments: [
            (EllipticCurve.p521, 62, 62, 128), (.p521, 61, 62, 127), (.p521, 62, 61, 127), (.p521, 66, 58, 128),
            (.p521, 57, 66, 127), (.p521, 63, 62, 129), (.p384, 48, 48, 100), (.p256, 32, 32, 68),
        ])
    func longLength(_ curve: EllipticCurve, _ rSize: Int, _ sSize: Int, _ bodySize: Int) throws {
        let size = curve.coordinateSize
        let half = { (count: Int) in
            [UInt8](repeating: 0, count: size - count) + [UInt8](repeating: 0x01, count: count)
        }
        let der = try #require(Self.der(half(rSize) + half(sSize), curve))
        #expect(der.count == bodySize + (bodySize > 127 ? 3 : 2))
        #expect(
            Array(der.prefix(bodySize > 127 ? 3 : 2)) == (bodySize > 127 ? [0x30, 0x81] : [0x30]) + [UInt8(bodySize)])
        Self.check(half(rSize), half(sSize), curve)
    }

    @Test("no length but the curve's own is taken", arguments: curves)
    func length(_ curve: EllipticCurve) {
        for count in 0...200 {
            let isTaken = Self.der([UInt8](repeating: 1, count: count), curve) != nil
            #expect(isTaken == (count == 2 * curve.coordinateSize))
        }
    }

    @Test("the sizes and names of the curves are those of RFC 7518 §6.2.1.1")
    func curveNames() {
        #expect(Self.curves.map(\.rawValue) == ["P-256", "P-384", "P-521"])
        #expect(Self.curves.map(\.groupName) == ["P-256", "P-384", "P-521"])
        #expect(Self.curves.map(\.coordinateSize) == [32, 48, 66])
        for name in ["P-224", "p-256", "P256", "secp256k1", "secp256r1", "P-512", "Ed25519", "", "P-521 "] {
            #expect(EllipticCurve(rawValue: name) == nil)
        }
    }

    @Test("what libcrypto makes comes out as r and s of full size, also when one is short")
    func shortHalves() throws {
        let key = try PrivateKey.generate(for: .ES256)
        guard case .ec(let curve, let x, let y, _)? = key.components() else {
            Issue.record("no key")
            return
        }
        let verifier = try SignatureVerifier(.ES256, key: .publicKey(PublicKey.ec(curve, x: x, y: y)))
        var short = 0
        // Either half begins with a zero byte once in 256 times.
        for number in 0..<4000 where short < 4 {
            let message = Array("\(number)".utf8)
            let signature = try message.withUnsafeBytes { try key.signature(of: $0, with: .ES256) }
            #expect(signature.count == 64)
            guard signature[0] == 0 || signature[32] == 0 else { continue }
            short += 1
            #expect(
                signature.withUnsafeBytes { signed in message.withUnsafeBytes { verifier.verifies(signed, of: $0) } })
        }
        #expect(short == 4)
    }
}
