import Testing

@testable import TiffinLiveCore

@Suite("RFC 7518 §3.4: the two forms of an ECDSA signature")
struct ECDSASignatureTests {
    static func der(_ raw: [UInt8], _ curve: EllipticCurve = .p256) -> [UInt8]? {
        raw.withUnsafeBytes { ECDSASignature.der(fromRaw: $0, curve: curve) }
    }

    static func half(_ bytes: [UInt8], size: Int = 32) -> [UInt8] {
        [UInt8](repeating: 0, count: size - bytes.count) + bytes
    }

    @Test("Leading zeros go, a first bit that is set gets one, and zero keeps a byte")
    func numbers() {
        #expect(Self.der(Self.half([1]) + Self.half([2])) == [0x30, 6, 2, 1, 1, 2, 1, 2])
        #expect(Self.der(Self.half([0x7F]) + Self.half([0x80])) == [0x30, 7, 2, 1, 0x7F, 2, 2, 0, 0x80])
        #expect(Self.der(Self.half([]) + Self.half([])) == [0x30, 6, 2, 1, 0, 2, 1, 0])
        #expect(Self.der(Self.half([1, 0]) + Self.half([0xFF, 0])) == [0x30, 9, 2, 2, 1, 0, 2, 3, 0, 0xFF, 0])
    }

    @Test("From 128 bytes of content on the length takes two bytes, which only P-521 reaches")
    func longForm() throws {
        let full = [UInt8](repeating: 0xFF, count: 66)
        let der = try #require(Self.der(full + full, .p521))
        #expect(Array(der.prefix(6)) == [0x30, 0x81, 138, 2, 67, 0])
        #expect(der.count == 141)
        let p384 = try #require(Self.der([UInt8](repeating: 0xFF, count: 96), .p384))
        #expect(Array(p384.prefix(5)) == [0x30, 102, 2, 49, 0])
    }

    @Test("Any other length is no signature", arguments: [0, 1, 32, 63, 65, 66, 96, 132, 514])
    func lengths(_ count: Int) {
        #expect(Self.der([UInt8](repeating: 1, count: count)) == nil)
    }
}
