import Testing

@testable import TiffinLiveCore

@Suite("RFC 7518 §3.5, RFC 8032 §8.9: what libcrypto would take and we must not")
struct StricterThanLibraryTests {
    private static let modulus = HexText.bytes(
        "d1c28702ff54088a683409c3cabea493b387d7457ac8c941824d87074eba2d7ae964f8083a78d74429c1c50c"
            + "c286fe144d05116b4b604cb4c2b4cb6c721d7dd4ec032d0f85870ed85e0a07533a30941be5b8b9b199af84da"
            + "3c648233c2c2400e8ff41bf5b9bfd34dad11ed7e171c8a2982c69037a19e337f723ae5c3ae26c7211489cb12"
            + "6b5ad66f0380dad1bb5754de6f4296379cc469c5ed322da1b7eae678d2e6de4c7192998a1acd40223925314c"
            + "34c9ace80cb7797f2ac282c66685be189adccfa4a424f1a60f3d2b7929588c0112f0a494634d5303fdc70c87"
            + "8cdc176644542b86e912ffff6ecd73613702be4a909528a6b31d0c462b67cfd8cea15073")

    private static func accepts(_ signature: String) throws -> Bool {
        let key = VerificationKey.publicKey(try PublicKey.rsa(modulus: modulus, exponent: [1, 0, 1]))
        let verifier = try SignatureVerifier(.PS256, key: key)
        return HexText.bytes(signature).withUnsafeBytes { signature in
            Array("header.payload".utf8).withUnsafeBytes { verifier.verifies(signature, of: $0) }
        }
    }

    @Test("PSS: a salt as long as the hash")
    func rightSalt() throws {
        let signature =
            "6c5027736ba0c649b9c7c9bc5d23cabfc6aec7fa9d628f0a4c277716c8514b8d5548ab745f53c3f505b5c517"
            + "06a593342b45fe0ffbff6a6571598fcf3984b6e24491b6bd863fe78cd2f625a698aaff13abda5d6d70586784"
            + "701b0941de38a94e4f77a396f7ca86de511bfd920842e3fb1e95536cd3ccaf541484e10668dfffa6eb869417"
            + "7bbc9b9cacb421ce7a122fabf5d09e5ba72d6ee8bde33acb2d8b15313e162cb68db2a003fdf44598baf101fa"
            + "69f7afc6622cf1e8e187cc1074fbcc966549b5e5bb1206904a266eb899dcefafc5668ff2bca0d5f14f0131a7"
            + "e255424ff0c430d070783c94430ecd74f11c6abea15c278f90985513f8e3070dfbee2074"
        #expect(try Self.accepts(signature))
    }

    @Test(
        "PSS: a salt of any other length is refused",
        arguments: [
            (
                0,
                "9886c47761f1ec282181a791f09fc7281c227960fb6eeb71a76bef5a3a20fa56a98e187e9e7ceeeb1978cb8f"
                    + "699c850c1f9a74a6ecc17ab542fc9daeb81a6bfd7c7281bab72bc8b875cb3daed389e1d57fbe482fffad3324"
                    + "5307391b0831b1e711486a5cc4425c1267edcdba40a059944539829c5c0f08c5beff3f7fe88380a2fe0221f7"
                    + "6174e0456c6f6fd8861461e90559454c8bf908eccb60b8aa00237b11d653f549495a67431cf5b576d843a793"
                    + "c7eaf3cc3dca9fd11e57eeb2322cd12b89b8bf1b0590ddf2774ed522950635958c577fc3d6decf62480097d5"
                    + "0ae8561c5defc4e2f3f3a7e0f3ce2a81707672324162acda8aea6218a3332eabcd22e554"
            ),
            (
                20,
                "15f36b125abcd854e660a8668a7cdb1a67ded1c79a7d0ee7e72d7dd69d7e0ac208a6303190a5ae0d808a0450"
                    + "633b8d2fae5e5420e0aeee4e606c3ec664c5a5b77bd0e872e0f25745e4699891dd23a4422bbbc43a8418435e"
                    + "2014094c4548cde812da29779534e95eeeb08c10dfd85f1e4b85fa5658c39d1e165388ec23e93c192702e2d2"
                    + "76b31cad8e4c1096a19077eb4c36387e596f9f30ec0d61d9eda7be26171499c26ccdcb8e992f132020655d4e"
                    + "17d56cf87fd6a3642590ea446c6cd403f3030c09e1e5ad69ba549ae0fa32bd4c6657c182ad07e14c42b8c6f7"
                    + "f9dc23fca14878a878d0495ca8a3943a6b63a44dd9c0689f9466ff63a919d2d71d196c50"
            ),
            (
                31,
                "9b2250be7978111b3deffc9a9590ca455f358ada3af7e0c9e08b1a4b3c0dd01240ba2ccd3b466db041221d1a"
                    + "3d00bacf62b5f4b17ed613de8f93ad97d070a4ebe29d932ce537c472c1a7913379e9ee9f13a96742b4848f14"
                    + "bb3290a4d4e271bb84d5280414ddf081ecb83e024fbbd1da85dfcc73cbde3b4fa8c97a9b5cf6ec681e1f59cd"
                    + "33f490a8094ebbeb2457dc88d70a5a811a34f25886064d2b3d29fa5b64b58d8130d6d6dc01191b44fd94b106"
                    + "7dfb4a395eee971002883e8240c891ee220c4383b2fa1120c9db6855ba0f83e18f1d20d4420ab14323a91beb"
                    + "21188f14e57d132edf8c84ad8abfee0f027bfc391e6cbd8794f8c85c66bea54b64265fb3"
            ),
            (
                33,
                "7d3e59e7c002c035064ae376b13ca371301ac095626c839e5dee8de15f6f50083c7e078888c9eae19062684b"
                    + "0b50d83130436b812e370aeade28886d7e5cf1093b521bc9797ef3f1aa1804942e4b4337c99bd15d5d3f08bb"
                    + "47f5e3864c892aecd765bfeb19ae0afee2da32ca9e2ca6c0657c3e74edf9795311ff658766e94e3e992b6ed4"
                    + "6a9a09498801606dac61d941dcc77df89dc465d26e6059c23a867f1660f7b25d6a2a26d2849a7b65f87e019f"
                    + "7930cffbb72a3be39544919f096408f31894370e94623428ce167892aaf28283d7d63e6026ca68f34c577972"
                    + "41fb79e33c9ee32326fc4d69e687a36b8bfd8bded13b477d73ad6ec31356872ad37df03e"
            ),
            (
                222,
                "392eb545804f5e35046d45f469c5cba2391a961362ecf17020306a2aac96bce34c246eed6d8ac66e2ba280ef"
                    + "b3480f1c04a5b156cdd899922f8616873ef7c2e72b25dc7bd8f0fad4772eddc6b8af80e282b18d696395fefb"
                    + "c00c9c6cebaa59235a343e17c56a20db4d7af825f7ba1bbf60b7a12bb95207ba436ca44375e1a14aee020528"
                    + "04a6a385f03042646c008d1b6817954eb95d6240087e3ce3f4d5840f60809adb5f216cb293d9cd7686eb63fa"
                    + "e30d95e789e436a98b3eda3f645746971d7773723eef321f1e1c68865ac7fc42adc164cee71e8be1c6e585ae"
                    + "a166bfef1aa2bf6ec95f32e1ac8c93d4adf5aa8d828847aebc6a6fca0c46674fd3b88b31"
            ),
        ])
    func otherSalts(_ length: Int, _ signature: String) throws {
        #expect(try !Self.accepts(signature), "a salt of \(length) bytes")
    }

    @Test(
        "Ed25519: every point whose order divides 8, in every spelling and with either sign, is refused",
        arguments: [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ])
    func smallOrder(_ text: String) {
        var point = HexText.bytes(text)
        #expect(throws: KeyError.smallOrder) { try PublicKey.ed25519(point) }
        point[31] |= 0x80
        #expect(throws: KeyError.smallOrder) { try PublicKey.ed25519(point) }
    }
}
