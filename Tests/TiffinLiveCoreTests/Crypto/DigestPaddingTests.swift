import Testing

@testable import TiffinLiveCore

/// The expected values come from GNU coreutils, whose code shares nothing with libcrypto's.
@Suite("FIPS 180-4 §5.1: padding at the edges of a block")
struct DigestPaddingTests {
    /// `count` bytes of the letter a.
    struct Vector: Sendable, CustomTestStringConvertible {
        let count: Int
        let digest: String
        var testDescription: String { "\(count) bytes" }

        init(_ count: Int, _ digest: String) {
            self.count = count
            self.digest = digest
        }
    }

    private static func digest(_ text: [UInt8], _ function: HashFunction) -> String {
        var output = [UInt8](repeating: 0xA5, count: function.size)
        text.withUnsafeBytes { text in
            output.withUnsafeMutableBytes { Digest.hash(text, with: function, into: $0) }
        }
        return HexText.text(output)
    }

    static let sha1 = [
        Vector(1, "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"),
        Vector(55, "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
        Vector(56, "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
        Vector(57, "f08f24908d682555111be7ff6f004e78283d989a"),
        Vector(63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5"),
        Vector(64, "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
        Vector(65, "11655326c708d70319be2610e8a57d9a5b959d3b"),
        Vector(119, "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56"),
        Vector(120, "f34c1488385346a55709ba056ddd08280dd4c6d6"),
        Vector(128, "ad5b3fdbcb526778c2839d2f151ea753995e26a0"),
        Vector(1000, "291e9a6c66994949b57ba5e650361e98fc36b1ba"),
    ]

    static let sha256 = [
        Vector(1, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"),
        Vector(55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
        Vector(56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
        Vector(57, "f13b2d724659eb3bf47f2dd6af1accc87b81f09f59f2b75e5c0bed6589dfe8c6"),
        Vector(63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
        Vector(64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
        Vector(65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"),
        Vector(119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
        Vector(120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"),
        Vector(128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e"),
        Vector(1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
    ]

    static let sha384 = [
        Vector(
            0,
            "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da"
                + "274edebfe76f65fbd51ad2f14898b95b"),
        Vector(
            1,
            "54a59b9f22b0b80880d8427e548b7c23abd873486e1f035dce9cd697e8517503"
                + "3caa88e6d57bc35efae0b5afd3145f31"),
        Vector(
            111,
            "3c37955051cb5c3026f94d551d5b5e2ac38d572ae4e07172085fed81f8466b8f"
                + "90dc23a8ffcdea0b8d8e58e8fdacc80a"),
        Vector(
            112,
            "187d4e07cb306103c69967bf544d0dfbe9042577599c73c330abc0cb64c61236"
                + "d5ed565ee19119d8c31779a38f791fcd"),
        Vector(
            119,
            "c2fbb1911d6889e3db556b482236ab82f3c736f00a22c088641a09fdbbca27e3"
                + "f1e3b6235bad20aee1ca083c76ac590c"),
        Vector(
            127,
            "9bd06b1763c2cf7aef40e795dc65bc96d59c41b537f3ad72ebdefd485476b571"
                + "7c1aeb37c327fe9c1831b12b9efd08ae"),
        Vector(
            128,
            "edb12730a366098b3b2beac75a3bef1b0969b15c48e2163c23d96994f8d1bef7"
                + "60c7e27f3c464d3829f56c0d53808b0b"),
        Vector(
            129,
            "39b6f5a7b0e781dbc419f72e49b30eaac10f2c98c4403bc610da31067fd1b48f"
                + "324138c8615d2b496d08d73d5e865326"),
        Vector(
            1000,
            "f54480689c6b0b11d0303285d9a81b21a93bca6ba5a1b4472765dca4da45ee32"
                + "8082d469c650cd3b61b16d3266ab8ced"),
    ]

    static let sha512 = [
        Vector(
            0,
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"),
        Vector(
            1,
            "1f40fc92da241694750979ee6cf582f2d5d7d28e18335de05abc54d0560e0f53"
                + "02860c652bf08d560252aa5e74210546f369fbbbce8c12cfc7957b2652fe9a75"),
        Vector(
            111,
            "fa9121c7b32b9e01733d034cfc78cbf67f926c7ed83e82200ef8681819692176"
                + "0b4beff48404df811b953828274461673c68d04e297b0eb7b2b4d60fc6b566a2"),
        Vector(
            112,
            "c01d080efd492776a1c43bd23dd99d0a2e626d481e16782e75d54c2503b5dc32"
                + "bd05f0f1ba33e568b88fd2d970929b719ecbb152f58f130a407c8830604b70ca"),
        Vector(
            119,
            "130396a75cb483f2eee8c56d8a668bb3d2641f5243212c0bee2bd33da096ad9e"
                + "b8179fe18f9eaacf76e09fae9de4c3f14ba13341e345be05bf76c182cc3468cb"),
        Vector(
            127,
            "828613968b501dc00a97e08c73b118aa8876c26b8aac93df128502ab360f91ba"
                + "b50a51e088769a5c1eff4782ace147dce3642554199876374291f5d921629502"),
        Vector(
            128,
            "b73d1929aa615934e61a871596b3f3b33359f42b8175602e89f7e06e5f658a24"
                + "3667807ed300314b95cacdd579f3e33abdfbe351909519a846d465c59582f321"),
        Vector(
            129,
            "4f681e0bd53cda4b5a2041cc8a06f2eabde44fb16c951fbd5b87702f07aeab61"
                + "1565b19c47fde30587177ebb852e3971bbd8d3fd30da18d71037dfbd98420429"),
        Vector(
            1000,
            "67ba5535a46e3f86dbfbed8cbbaf0125c76ed549ff8b0b9e03e0c88cf90fa634"
                + "fa7b12b47d77b694de488ace8d9a65967dc96df599727d3292a8d9d447709c97"),
    ]

    @Test("SHA-1", arguments: sha1)
    func sha1Padding(_ vector: Vector) {
        #expect(Self.digest([UInt8](repeating: 0x61, count: vector.count), .sha1) == vector.digest)
    }

    @Test("SHA-256", arguments: sha256)
    func sha256Padding(_ vector: Vector) {
        #expect(Self.digest([UInt8](repeating: 0x61, count: vector.count), .sha256) == vector.digest)
    }

    @Test("SHA-384", arguments: sha384)
    func sha384Padding(_ vector: Vector) {
        #expect(Self.digest([UInt8](repeating: 0x61, count: vector.count), .sha384) == vector.digest)
    }

    @Test("SHA-512", arguments: sha512)
    func sha512Padding(_ vector: Vector) {
        #expect(Self.digest([UInt8](repeating: 0x61, count: vector.count), .sha512) == vector.digest)
    }

    @Test("a million letters, the long text of the standard")
    func million() {
        let text = [UInt8](repeating: 0x61, count: 1_000_000)
        #expect(Self.digest(text, .sha1) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
        #expect(
            Self.digest(text, .sha256) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
        #expect(
            Self.digest(text, .sha384)
                == "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b"
                + "07b8b3dc38ecc4ebae97ddd87f3d8985")
        #expect(
            Self.digest(text, .sha512)
                == "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b")
    }

    @Test("the short ways say what the long one says")
    func shortWays() {
        for count in [0, 1, 63, 64, 65, 200] {
            let text = [UInt8](repeating: 0x61, count: count)
            #expect(HexText.text(Digest.sha256(text).bytes) == Self.digest(text, .sha256))
            #expect(text.withUnsafeBytes { Digest.sha256($0) } == Digest.sha256(text))
            #expect(HexText.text(text.withUnsafeBytes { Digest.sha1($0) }) == Self.digest(text, .sha1))
        }
    }

    @Test("a digest goes to the front of a longer room and touches nothing behind it")
    func room() {
        for function in [HashFunction.sha1, .sha256, .sha384, .sha512] {
            var output = [UInt8](repeating: 0xA5, count: HashFunction.maximumSize + 8)
            let text = Array("abc".utf8)
            text.withUnsafeBytes { text in
                output.withUnsafeMutableBytes { Digest.hash(text, with: function, into: $0) }
            }
            #expect(HexText.text(Array(output.prefix(function.size))) == Self.digest(text, function))
            #expect(output.dropFirst(function.size).allSatisfy { $0 == 0xA5 })
            #expect(function.size <= HashFunction.maximumSize)
        }
    }

    @Test("a digest as a key keeps all of its 32 bytes")
    func wholeKey() {
        let digest = Digest.sha256([])
        var seen: Set<SHA256Digest> = [digest]
        for word in 0..<4 {
            var words = [digest.word0, digest.word1, digest.word2, digest.word3]
            words[word] ^= 1 << 63
            seen.insert(SHA256Digest(word0: words[0], word1: words[1], word2: words[2], word3: words[3]))
        }
        #expect(seen.count == 5)
        #expect(HexText.text(digest.bytes).hasPrefix("e3b0c44298fc1c149afbf4c8996fb924"))
    }
}
