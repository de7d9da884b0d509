import Testing

@testable import TiffinLiveCore

@Suite("UTF-8 in pieces (RFC 3629)")
struct UTF8ValidatorTests {
    /// How a text ends: whole, unfinished, or at the index of its first impossible byte.
    enum Verdict: Equatable {
        case whole, unfinished
        case impossible(at: Int)
    }

    /// Fed byte by byte.
    static func verdict(_ bytes: [UInt8]) -> Verdict {
        var validator = UTF8Validator()
        for (index, byte) in bytes.enumerated() {
            let accepted = [byte].withUnsafeBytes { validator.validate($0) }
            if !accepted { return .impossible(at: index) }
        }
        return validator.isComplete ? .whole : .unfinished
    }

    /// Fed in chunks: what came of it at the end.
    static func accepts(_ chunks: [[UInt8]]) -> [Bool] {
        var validator = UTF8Validator()
        var accepted = true
        for chunk in chunks {
            let isValid = chunk.withUnsafeBytes { validator.validate($0) }
            accepted = isValid && accepted
        }
        return [accepted, accepted && validator.isComplete]
    }

    @Test(
        "valid text is accepted wherever it is cut",
        arguments: [
            "", "a", "κόσμε", "\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}", "\u{D7FF}\u{E000}\u{FFFD}\u{FFFE}",
            "\u{0}\u{7F}", "abcdefghijklmnopqrstuvwxyz é 𝄞", "𝄞𝄞𝄞𝄞𝄞𝄞", "日本語日本語日本語", "\u{FEFF}a",
        ])
    func valid(text: String) {
        let bytes = [UInt8](text.utf8)
        #expect(ChunkedFeed.check(bytes, decode: Self.accepts) == [true, true])
        #expect(Self.verdict(bytes) == .whole)
        #expect(bytes.withUnsafeBytes { UTF8Validator.isValid($0) })
    }

    @Test(
        "an impossible byte is found where it stands",
        arguments: [
            ([0x80], 0), ([0xBF], 0), ([0xC0], 0), ([0xC1], 0), ([0xF5], 0), ([0xFF], 0), ([0xFE, 0xFE], 0),
            ([0xC3, 0x28], 1), ([0xC2, 0xC2], 1), ([0xE0, 0x9F], 1), ([0xE0, 0x80, 0x80], 1), ([0xED, 0xA0], 1),
            ([0xED, 0xBF, 0xBF], 1), ([0xF0, 0x8F], 1), ([0xF0, 0x80, 0x80, 0x80], 1), ([0xF4, 0x90], 1),
            ([0xE2, 0x82, 0x41], 2), ([0xF0, 0x9F, 0x98, 0xC0], 3), ([0x61, 0x62, 0xFC], 2),
            ([0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5, 0xED, 0xA0, 0x80], 12),
            ([0xC3, 0xA9, 0xA9], 2), ([0xE2, 0x82, 0xAC, 0x80], 3),
        ] as [([UInt8], Int)])
    func impossible(bytes: [UInt8], index: Int) {
        #expect(Self.verdict(bytes) == .impossible(at: index))
        #expect(ChunkedFeed.check(bytes, decode: Self.accepts) == [false, false])
        #expect(ChunkedFeed.check(bytes + [UInt8]("and more".utf8), decode: Self.accepts) == [false, false])
        // A piece that ends with the impossible byte is refused at once, however long the good part before it is.
        #expect(Self.accepts([[UInt8](repeating: 0x61, count: 100) + bytes.prefix(index + 1)]) == [false, false])
        #expect(Self.accepts([[UInt8](repeating: 0x61, count: 100) + bytes.prefix(index)])[0])
    }

    @Test(
        "an unfinished character is no error but not complete",
        arguments: [
            [0xC3], [0xE2], [0xE2, 0x82], [0xF0], [0xF0, 0x9F], [0xF0, 0x9F, 0x98], [0xF4, 0x8F, 0xBF], [0xED, 0x9F],
            [0x61, 0xE0, 0xA0],
        ] as [[UInt8]])
    func unfinished(bytes: [UInt8]) {
        #expect(Self.verdict(bytes) == .unfinished)
        #expect(ChunkedFeed.check(bytes, decode: Self.accepts) == [true, false])
        #expect(!bytes.withUnsafeBytes { UTF8Validator.isValid($0) })
    }

    @Test("once something impossible has come nothing is accepted, not even nothing")
    func staysFailed() {
        var validator = UTF8Validator()
        _ = [0xFF].withUnsafeBytes { validator.validate($0) }
        #expect(![UInt8]().withUnsafeBytes { validator.validate($0) })
        #expect(![0x61 as UInt8].withUnsafeBytes { validator.validate($0) })
        #expect(!validator.isComplete)
    }

    @Test("every pair and the edges of every triple agree with the standard library")
    func agreesWithStandardLibrary() {
        let edges: [UInt8] = [
            0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xEC, 0xED, 0xEF,
            0xF0, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        for first in UInt8.min...UInt8.max {
            for second in edges {
                for third in edges {
                    let bytes = [first, second, third]
                    let isValid = String(validating: bytes, as: UTF8.self) != nil
                    #expect((Self.verdict(bytes) == .whole) == isValid)
                    #expect(Self.accepts([bytes])[1] == isValid)
                }
            }
        }
    }

    @Test("random bytes agree with the standard library however they are cut", arguments: 0..<30 as Range<UInt64>)
    func randomBytes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let parts: [[UInt8]] = ["a", "é", "€", "𝄞", "xyz"].map { [UInt8]($0.utf8) }
        var bytes: [UInt8] = []
        for _ in 0..<40 { bytes += parts.randomElement(using: &random) ?? [] }
        if seed % 3 != 0 {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        let outcome = ChunkedFeed.check(bytes, decode: Self.accepts)
        #expect(outcome[1] == (String(validating: bytes, as: UTF8.self) != nil))
    }
}
