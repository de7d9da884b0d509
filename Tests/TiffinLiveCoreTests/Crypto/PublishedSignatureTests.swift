import Testing

@testable import TiffinLiveCore

/// One published signature for each curve: both directions of every conversion would otherwise only be checked
/// against themselves.
@Suite("RFC 6979 §A.2, RFC 8032 §7.1: published keys and signatures")
struct PublishedSignatureTests {
    struct Curve: Sendable, CustomTestStringConvertible {
        let algorithm: SignatureAlgorithm
        let curve: EllipticCurve
        let d: String
        let x: String
        let y: String
        /// r‖s of the message "sample".
        let signature: String
        var testDescription: String { algorithm.rawValue }
    }

    static let curves = [
        Curve(
            algorithm: .ES256, curve: .p256,
            d: "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721",
            x: "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6",
            y: "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299",
            signature: "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
                + "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"),
        Curve(
            algorithm: .ES384, curve: .p384,
            d: "6B9D3DAD2E1B8C1C05B19875B6659F4DE23C3B667BF297BA9AA47740787137D8"
                + "96D5724E4C70A825F872C9EA60D2EDF5",
            x: "EC3A4E415B4E19A4568618029F427FA5DA9A8BC4AE92E02E06AAE5286B300C64"
                + "DEF8F0EA9055866064A254515480BC13",
            y: "8015D9B72D7D57244EA8EF9AC0C621896708A59367F9DFB9F54CA84B3F1C9DB1"
                + "288B231C3AE0D4FE7344FD2533264720",
            signature: "94EDBB92A5ECB8AAD4736E56C691916B3F88140666CE9FA73D64C4EA95AD133C"
                + "81A648152E44ACF96E36DD1E80FABE46"
                + "99EF4AEB15F178CEA1FE40DB2603138F130E740A19624526203B6351D0A3A94F"
                + "A329C145786E679E7B82C71A38628AC8"),
        Curve(
            algorithm: .ES512, curve: .p521,
            d: "00FAD06DAA62BA3B25D2FB40133DA757205DE67F5BB0018FEE8C86E1B68C7E75"
                + "CAA896EB32F1F47C70855836A6D16FCC1466F6D8FBEC67DB89EC0C08B0E996B8"
                + "3538",
            x: "01894550D0785932E00EAA23B694F213F8C3121F86DC97A04E5A7167DB4E5BCD"
                + "371123D46E45DB6B5D5370A7F20FB633155D38FFA16D2BD761DCAC474B9A2F50"
                + "23A4",
            y: "00493101C962CD4D2FDDF782285E64584139C2F91B47F87FF82354D6630F746A"
                + "28A0DB25741B5B34A828008B22ACC23F924FAAFBD4D33F81EA66956DFEAA2BFD"
                + "FCF5",
            signature: "00C328FAFCBD79DD77850370C46325D987CB525569FB63C5D3BC53950E6D4C5F"
                + "174E25A1EE9017B5D450606ADD152B534931D7D4E8455CC91F9B15BF05EC36E3"
                + "77FA"
                + "00617CCE7CF5064806C467F678D3B4080D6F1CC50AF26CA209417308281B68AF"
                + "282623EAA63E5B5C0723D8B8C37FF0777B1A20F8CCB1DCCC43997F1EE0E44DA4"
                + "A67A"),
    ]

    struct Edwards: Sendable, CustomTestStringConvertible {
        let name: String
        let d: String
        let x: String
        let message: String
        let signature: String
        var testDescription: String { name }
    }

    static let edwards = [
        Edwards(
            name: "TEST 1: no bytes",
            d: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            x: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            message: "",
            signature: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"),
        Edwards(
            name: "TEST 2: one byte",
            d: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            x: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            message: "72",
            signature: "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"),
        Edwards(
            name: "TEST 3: two bytes",
            d: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            x: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            message: "af82",
            signature: "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
                + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"),
    ]

    private static func accepts(_ verifier: SignatureVerifier, _ signature: [UInt8], _ message: [UInt8]) -> Bool {
        message.withUnsafeBytes { message in signature.withUnsafeBytes { verifier.verifies($0, of: message) } }
    }

    @Test("the published ECDSA signature is one, for its message alone", arguments: curves)
    func ecdsa(_ curve: Curve) throws {
        let key = try PublicKey.ec(curve.curve, x: HexText.bytes(curve.x), y: HexText.bytes(curve.y))
        let verifier = try SignatureVerifier(curve.algorithm, key: .publicKey(key))
        let signature = HexText.bytes(curve.signature)
        let message = Array("sample".utf8)
        #expect(signature.count == 2 * curve.curve.coordinateSize)
        #expect(Self.accepts(verifier, signature, message))
        #expect(!Self.accepts(verifier, signature, Array("test".utf8)))
        let half = curve.curve.coordinateSize
        #expect(!Self.accepts(verifier, Array(signature.suffix(half) + signature.prefix(half)), message))
        for bit in stride(from: 0, to: signature.count * 8, by: 37) {
            var changed = signature
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!Self.accepts(verifier, changed, message), "bit \(bit)")
        }
    }

    @Test("the published private key makes signatures that its public part takes", arguments: curves)
    func privateKey(_ curve: Curve) throws {
        let x = HexText.bytes(curve.x)
        let y = HexText.bytes(curve.y)
        let d = HexText.bytes(curve.d)
        let key = try PrivateKey.make(from: .ec(curve.curve, x: x, y: y, d: d))
        #expect(key.components() == .ec(curve.curve, x: x, y: y, d: d))
        let message = Array("sample".utf8)
        let signature = try message.withUnsafeBytes { try key.signature(of: $0, with: curve.algorithm) }
        let verifier = try SignatureVerifier(curve.algorithm, key: .publicKey(PublicKey.ec(curve.curve, x: x, y: y)))
        #expect(Self.accepts(verifier, signature, message))
        #expect(!Self.accepts(verifier, signature, []))
    }

    @Test("Ed25519 signs as published, to the byte, and takes nothing else", arguments: edwards)
    func ed25519(_ vector: Edwards) throws {
        let x = HexText.bytes(vector.x)
        let d = HexText.bytes(vector.d)
        let message = HexText.bytes(vector.message)
        let expected = HexText.bytes(vector.signature)
        let key = try PrivateKey.make(from: .ed25519(x: x, d: d))
        #expect(try message.withUnsafeBytes { try key.signature(of: $0, with: .EdDSA) } == expected)
        let verifier = try SignatureVerifier(.EdDSA, key: .publicKey(PublicKey.ed25519(x)))
        #expect(Self.accepts(verifier, expected, message))
        #expect(!Self.accepts(verifier, expected, message + [0]))
        for index in expected.indices {
            var changed = expected
            changed[index] ^= 0x10
            #expect(!Self.accepts(verifier, changed, message), "byte \(index)")
        }
        #expect(Self.accepts(verifier, expected, message))
    }

    @Test("Ed25519: S of the order and above is refused, so that a signature has one form (RFC 8032 §5.1.7)")
    func malleability() throws {
        let vector = Self.edwards[1]
        let verifier = try SignatureVerifier(.EdDSA, key: .publicKey(PublicKey.ed25519(HexText.bytes(vector.x))))
        let order = HexText.bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        var signature = HexText.bytes(vector.signature)
        var carry = 0
        for index in 0..<32 {
            let sum = Int(signature[32 + index]) + Int(order[index]) + carry
            signature[32 + index] = UInt8(truncatingIfNeeded: sum)
            carry = sum >> 8
        }
        #expect(carry == 0)
        #expect(!Self.accepts(verifier, signature, HexText.bytes(vector.message)))
    }
}
