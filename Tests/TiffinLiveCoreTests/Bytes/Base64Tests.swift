import Testing

@testable import TiffinLiveCore

@Suite("base64 (RFC 4648)")
struct Base64Tests {
    private static func decode(_ text: [UInt8]) -> [UInt8]? {
        text.withUnsafeBytes { Base64.decodeURL($0) }
    }

    private static func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)) }

    private static func standard(_ bytes: [UInt8]) -> String {
        let buffer = ByteBuffer()
        bytes.withUnsafeBytes { Base64.append(standard: $0, to: buffer) }
        return String(decoding: buffer.array, as: UTF8.self)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    @Test(
        "section 10: the test vectors, with and without padding",
        arguments: [
            ("", "", ""), ("f", "Zg", "Zg=="), ("fo", "Zm8", "Zm8="), ("foo", "Zm9v", "Zm9v"),
            ("foob", "Zm9vYg", "Zm9vYg=="), ("fooba", "Zm9vYmE", "Zm9vYmE="), ("foobar", "Zm9vYmFy", "Zm9vYmFy"),
        ])
    func vectors(plain: String, url: String, padded: String) {
        #expect(Base64.encodeURL(Array(plain.utf8)) == url)
        #expect(Self.decode(url) == Array(plain.utf8))
        #expect(Self.standard(Array(plain.utf8)) == padded)
    }

    @Test("the two alphabets differ in the last two characters")
    func alphabets() {
        #expect(Base64.encodeURL([0xFB, 0xFF, 0xBF]) == "-_-_")
        #expect(Self.standard([0xFB, 0xFF, 0xBF]) == "+/+/")
        #expect(Self.decode("-_-_") == [0xFB, 0xFF, 0xBF])
        #expect(Self.decode("+/+/") == nil)
    }

    @Test(
        "is refused: padding, white space, foreign bytes, impossible lengths, unused bits",
        arguments: [
            "A", "AAAAA", "Zg==", "Zg=", "Zm8=", "Zm9v=", "=", "====", "Zm 9v", " Zm9v", "Zm9v\n", "Zm9v\r\n", "Zm9v\t",
            "Zm9\u{0}", "Zm9v\u{0}", "Zh", "Zm9", "Z_", "Zm_", "Zm9vYh", "Zm9vYmF", "é", "Zmé", "Zm9v.", "Zm9v,Zg",
            "Zm9v$$$$",
        ])
    func refused(text: String) {
        #expect(Self.decode(text) == nil)
    }

    @Test("a tail of two characters: of all 65,536 pairs exactly those with four unused zero bits")
    func everyPair() {
        var accepted = 0
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                guard let decoded = Self.decode([first, second]) else { continue }
                accepted += 1
                #expect(Array(Base64.encodeURL(decoded).utf8) == [first, second])
            }
        }
        #expect(accepted == 256)
    }

    @Test("a tail of three characters: each value of the alphabet in each place")
    func everyThird() {
        var accepted = 0
        for last in UInt8.min...UInt8.max {
            let text = Array("Zm".utf8) + [last]
            guard let decoded = Self.decode(text) else { continue }
            accepted += 1
            #expect(Array(Base64.encodeURL(decoded).utf8) == text)
        }
        #expect(accepted == 16)
    }

    @Test("a foreign byte is found at every place of a long text")
    func foreignEverywhere() {
        let text = Array(Base64.encodeURL(Array(0..<50)).utf8)
        #expect(Self.decode(text) == Array(0..<50))
        for place in text.indices {
            for byte in UInt8.min...UInt8.max where !Self.alphabet.contains(byte) {
                var broken = text
                broken[place] = byte
                #expect(Self.decode(broken) == nil)
            }
        }
    }

    @Test("any bytes come back, and each value has one spelling", arguments: 0..<130)
    func roundTrip(count: Int) {
        var random = SeededRandom(seed: UInt64(count))
        let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let url = Base64.encodeURL(bytes)
        #expect(Self.decode(url) == bytes)
        var padded = url.replacing("-", with: "+").replacing("_", with: "/")
        while padded.utf8.count % 4 != 0 { padded += "=" }
        #expect(Self.standard(bytes) == padded)
    }

    @Test("appends behind what the buffer holds")
    func appends() {
        let buffer = ByteBuffer()
        buffer.append("Sec-WebSocket-Accept: ")
        let digest: [UInt8] = [
            0xB3, 0x7A, 0x4F, 0x2C, 0xC0, 0x62, 0x4F, 0x16, 0x90, 0xF6, 0x46, 0x06, 0xCF, 0x38, 0x59, 0x45, 0xB2, 0xBE,
            0xC4, 0xEA,
        ]
        digest.withUnsafeBytes { Base64.append(standard: $0, to: buffer) }
        #expect(buffer.array == Array("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=".utf8))
    }
}
