import Testing

@testable import TiffinLiveCore

@Suite("RFC 2104, RFC 4231: HMAC")
struct MessageAuthenticatorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let secret: [UInt8]
        let message: [UInt8]
        let sha256: String
        let sha384: String
        let sha512: String
        var testDescription: String { name }
    }

    /// RFC 4231 §4.2 to §4.7; §4.6 is about cut tags, which are refused here.
    static let vectors = [
        Vector(
            name: "test case 1", secret: [UInt8](repeating: 0x0B, count: 20), message: Array("Hi There".utf8),
            sha256: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            sha384: "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59c"
                + "faea9ea9076ede7f4af152e8b2fa9cb6",
            sha512: "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
                + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"),
        Vector(
            name: "test case 2: a secret shorter than the hash", secret: Array("Jefe".utf8),
            message: Array("what do ya want for nothing?".utf8),
            sha256: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            sha384: "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e"
                + "8e2240ca5e69e2c78b3239ecfab21649",
            sha512: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"),
        Vector(
            name: "test case 3", secret: [UInt8](repeating: 0xAA, count: 20),
            message: [UInt8](repeating: 0xDD, count: 50),
            sha256: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            sha384: "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b"
                + "2a5ab39dc13814b94e3ab6e101a34f27",
            sha512: "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
                + "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb"),
        Vector(
            name: "test case 4", secret: Array(1...25), message: [UInt8](repeating: 0xCD, count: 50),
            sha256: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
            sha384: "3e8a69b7783c25851933ab6290af6ca77a9981480850009cc5577c6e1f573b4e"
                + "6801dd23c4a7d679ccf8a386c674cffb",
            sha512: "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
                + "a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd"),
        Vector(
            name: "test case 6: a secret longer than a block", secret: [UInt8](repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            sha256: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            sha384: "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c6"
                + "0c2ef6ab4030fe8296248df163f44952",
            sha512: "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
                + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"),
        Vector(
            name: "test case 7: both longer than a block", secret: [UInt8](repeating: 0xAA, count: 131),
            message: Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
            sha256: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
            sha384: "6617178e941f020d351e2f254e8fd32c602420feb0b8fb9adccebb82461e99c5"
                + "a678cc31e799176d3860e6110c46523e",
            sha512: "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944"
                + "b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58"),
    ]

    private static func verifies(_ tag: [UInt8], _ message: [UInt8], _ authenticator: MessageAuthenticator) -> Bool {
        tag.withUnsafeBytes { tag in message.withUnsafeBytes { authenticator.verifies(tag, of: $0) } }
    }

    @Test("the published tags come out, and again from the same context", arguments: vectors)
    func published(_ vector: Vector) throws {
        let expected: [(HashFunction, String)] = [
            (.sha256, vector.sha256), (.sha384, vector.sha384), (.sha512, vector.sha512),
        ]
        for (hash, tag) in expected {
            let authenticator = try #require(MessageAuthenticator(hash: hash, secret: vector.secret))
            for _ in 0..<3 {
                let made = vector.message.withUnsafeBytes { authenticator.tag(of: $0) }
                #expect(made.map { HexText.text($0) } == tag)
                #expect(Self.verifies(HexText.bytes(tag), vector.message, authenticator))
                // Another message in between leaves nothing behind in the context.
                _ = [UInt8](repeating: 1, count: 300).withUnsafeBytes { authenticator.tag(of: $0) }
            }
        }
    }

    @Test("the whole tag counts: no prefix of it, nothing behind it, no bit another", arguments: vectors)
    func wholeTag(_ vector: Vector) throws {
        let authenticator = try #require(MessageAuthenticator(hash: .sha256, secret: vector.secret))
        let tag = HexText.bytes(vector.sha256)
        for length in 0..<tag.count {
            #expect(!Self.verifies(Array(tag.prefix(length)), vector.message, authenticator))
        }
        #expect(!Self.verifies(tag + [0], vector.message, authenticator))
        #expect(!Self.verifies(tag + tag, vector.message, authenticator))
        for bit in 0..<256 {
            var changed = tag
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!Self.verifies(changed, vector.message, authenticator))
        }
        #expect(!Self.verifies(tag, vector.message + [0], authenticator))
        #expect(!Self.verifies(tag, Array(vector.message.dropLast()), authenticator))
        #expect(Self.verifies(tag, vector.message, authenticator))
    }

    @Test("a tag of one hash is none of another, also where it is as long")
    func otherHash() throws {
        let message = Array("abc".utf8)
        let secret = [UInt8](repeating: 7, count: 64)
        let short = try #require(MessageAuthenticator(hash: .sha256, secret: secret))
        let long = try #require(MessageAuthenticator(hash: .sha512, secret: secret))
        let shortTag = try #require(message.withUnsafeBytes { short.tag(of: $0) })
        let longTag = try #require(message.withUnsafeBytes { long.tag(of: $0) })
        #expect(shortTag.count == 32 && longTag.count == 64)
        #expect(!Self.verifies(shortTag, message, long))
        #expect(!Self.verifies(longTag, message, short))
        #expect(!Self.verifies(Array(longTag.prefix(32)), message, short))
    }

    @Test("an empty secret makes no authenticator, one byte does")
    func secretLength() {
        #expect(MessageAuthenticator(hash: .sha256, secret: []) == nil)
        #expect(MessageAuthenticator(hash: .sha256, secret: [0]) != nil)
    }

    @Test("zeros behind a short secret do not change the tag (RFC 2104 §3), zeros behind a long one do")
    func zeroPadding() throws {
        func tag(_ secret: [UInt8]) throws -> [UInt8] {
            let authenticator = try #require(MessageAuthenticator(hash: .sha256, secret: secret))
            return try #require([UInt8](arrayLiteral: 1, 2, 3).withUnsafeBytes { authenticator.tag(of: $0) })
        }
        let secret = [UInt8](repeating: 9, count: 40)
        #expect(try tag(secret) == tag(secret + [0, 0]))
        let block = [UInt8](repeating: 9, count: 64)
        #expect(try tag(block) != tag(block + [0]))
    }
}
