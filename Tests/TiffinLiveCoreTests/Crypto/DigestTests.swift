import Testing

@testable import TiffinLiveCore

@Suite("FIPS 180-4: digests")
struct DigestTests {
    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
    }

    @Test(
        "SHA-256 of known texts",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256(_ text: String, _ expected: String) {
        #expect(Self.hex(Digest.sha256(Array(text.utf8)).bytes) == expected)
    }

    @Test(
        "SHA-1 of known texts",
        arguments: [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                "dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11",
                "b37a4f2cc0624f1690f64606cf385945b2bec4ea"
            ),
        ])
    func sha1(_ text: String, _ expected: String) {
        #expect(Self.hex(Array(text.utf8).withUnsafeBytes { Digest.sha1($0) }) == expected)
    }

    @Test("Digests are equal exactly when their bytes are")
    func equality() {
        let one = Digest.sha256(Array("one".utf8))
        #expect(one == Digest.sha256(Array("one".utf8)))
        #expect(one != Digest.sha256(Array("two".utf8)))
        #expect(Set([one, Digest.sha256(Array("one".utf8)), Digest.sha256(Array("two".utf8))]).count == 2)
        #expect(one.bytes.count == SHA256Digest.size)
    }

    @Test("One context per thread serves other hash functions in between")
    func interleaved() {
        let text = Array("abc".utf8)
        let first = Digest.sha256(text)
        _ = text.withUnsafeBytes { Digest.sha1($0) }
        var long = [UInt8](repeating: 0, count: 64)
        text.withUnsafeBytes { text in
            long.withUnsafeMutableBytes { Digest.hash(text, with: .sha512, into: $0) }
        }
        #expect(long.first == 0xDD && long.last == 0x9F)
        #expect(Digest.sha256(text) == first)
    }

    @Test("Random bytes come in the length asked and do not repeat")
    func random() {
        #expect(SecureRandom.bytes(0).isEmpty)
        #expect(SecureRandom.bytes(33).count == 33)
        #expect(Set((0..<100).map { _ in SecureRandom.bytes(16) }).count == 100)
        #expect(Set((0..<100).map { _ in SecureRandom.seed() }).count == 100)
    }
}
