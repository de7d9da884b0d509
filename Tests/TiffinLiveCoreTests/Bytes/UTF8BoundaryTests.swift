import Testing

@testable import TiffinLiveCore

@Suite("RFC 3629 §3, §4: the edges of the encoding")
struct UTF8BoundaryTests {
    /// The form of `value` in `length` bytes, right or not: what an encoder without any checks would write.
    private static func encoded(_ value: UInt32, length: Int) -> [UInt8] {
        guard length > 1 else { return [UInt8(truncatingIfNeeded: value)] }
        let lead: [UInt8] = [0, 0, 0xC0, 0xE0, 0xF0, 0xF8, 0xFC]
        var bytes = [lead[length] | UInt8(truncatingIfNeeded: value >> UInt32(6 * (length - 1)))]
        for place in (0..<(length - 1)).reversed() {
            bytes.append(0x80 | UInt8(truncatingIfNeeded: value >> UInt32(6 * place)) & 0xBF)
        }
        return bytes
    }

    private static func isAccepted(_ bytes: [UInt8]) -> Bool {
        let outcomes = ChunkedFeed.check(bytes, randomRounds: 2) { chunks in
            var validator = UTF8Validator()
            var isGood = true
            for chunk in chunks {
                let isValid = chunk.withUnsafeBytes { validator.validate($0) }
                isGood = isGood && isValid
            }
            return isGood && validator.isComplete
        }
        #expect(outcomes == bytes.withUnsafeBytes { UTF8Validator.isValid($0) })
        return outcomes
    }

    @Test(
        "the first and last code point of each length, and the neighbours of each edge",
        arguments: [
            (0x00, 1), (0x7F, 1), (0x80, 2), (0x7FF, 2), (0x800, 3), (0xFFF, 3), (0x1000, 3), (0xCFFF, 3), (0xD000, 3),
            (0xD7FF, 3), (0xE000, 3), (0xFFFD, 3), (0xFFFE, 3), (0xFFFF, 3), (0x10000, 4), (0x3FFFF, 4), (0x40000, 4),
            (0xFFFFF, 4), (0x100000, 4), (0x10FFFF, 4),
        ] as [(UInt32, Int)])
    func edges(_ value: UInt32, _ length: Int) {
        let bytes = Self.encoded(value, length: length)
        #expect(Self.isAccepted(bytes))
        #expect(Self.isAccepted(Array("abc".utf8) + bytes + bytes + Array("d".utf8)))
        for longer in (length + 1)..<7 {
            #expect(!Self.isAccepted(Self.encoded(value, length: longer)), "\(longer) bytes")
        }
        if length > 1 {
            #expect(!Self.isAccepted(Array(bytes.dropLast())))
            #expect(!Self.isAccepted(Array(bytes.dropFirst())))
            #expect(!Self.isAccepted(bytes + [0x80]))
        }
    }

    @Test(
        "surrogates and what is beyond U+10FFFF have no encoding",
        arguments: [
            (0xD800, 3), (0xD801, 3), (0xDB7F, 3), (0xDBFF, 3), (0xDC00, 3), (0xDFFE, 3), (0xDFFF, 3), (0x110000, 4),
            (0x13FFFF, 4), (0x140000, 4), (0x1FFFFF, 4), (0x200000, 5), (0x3FFFFFF, 5), (0x4000000, 6), (0x7FFFFFFF, 6),
        ] as [(UInt32, Int)])
    func impossible(_ value: UInt32, _ length: Int) {
        #expect(!Self.isAccepted(Self.encoded(value, length: length)))
        #expect(!Self.isAccepted(Array("abcdefghijkl".utf8) + Self.encoded(value, length: length)))
    }

    @Test("every second byte behind every lead byte agrees with the table")
    func secondBytes() {
        for lead in UInt8(0xC0)...0xFF {
            for second in UInt8.min...UInt8.max {
                let range: ClosedRange<UInt8>? =
                    switch lead {
                    case 0xC2...0xDF, 0xE1...0xEC, 0xEE, 0xEF, 0xF1...0xF3: 0x80...0xBF
                    case 0xE0: 0xA0...0xBF
                    case 0xED: 0x80...0x9F
                    case 0xF0: 0x90...0xBF
                    case 0xF4: 0x80...0x8F
                    default: nil
                    }
                var validator = UTF8Validator()
                let isPossible = [lead, second].withUnsafeBytes { validator.validate($0) }
                #expect(isPossible == (range?.contains(second) ?? false))
            }
        }
    }

    @Test("every third and fourth byte is a continuation or impossible")
    func laterBytes() {
        for start in [
            [0xE1, 0x80], [0xE0, 0xA0], [0xED, 0x9F], [0xF1, 0x80], [0xF1, 0x80, 0x80], [0xF4, 0x8F, 0xBF],
        ] as [[UInt8]] {
            for byte in UInt8.min...UInt8.max {
                var validator = UTF8Validator()
                let isPossible = (start + [byte]).withUnsafeBytes { validator.validate($0) }
                #expect(isPossible == (0x80...0xBF).contains(byte))
            }
        }
    }

    @Test("a long text is accepted at every length and refused with one bad byte at every place")
    func longText() {
        let text = Array(String(repeating: "a\u{E9}\u{20AC}\u{1F600}", count: 8).utf8)
        for length in 0...text.count {
            let prefix = Array(text.prefix(length))
            var validator = UTF8Validator()
            #expect(prefix.withUnsafeBytes { validator.validate($0) })
            #expect(validator.isComplete == (String(validating: prefix, as: UTF8.self) != nil))
        }
        for place in text.indices {
            var broken = text
            broken[place] = 0xFF
            var validator = UTF8Validator()
            #expect(!broken.withUnsafeBytes { validator.validate($0) })
            #expect(!validator.isComplete)
        }
    }

    @Test("two validators are equal when they expect the same of what comes next")
    func equality() {
        func after(_ bytes: [UInt8]) -> UTF8Validator {
            var validator = UTF8Validator()
            _ = bytes.withUnsafeBytes { validator.validate($0) }
            return validator
        }
        #expect(after(Array("abc\u{E9}".utf8)) == UTF8Validator())
        #expect(after([0xF0, 0x90]) == after([0xE1]))
        #expect(after([0xF0]) != after([0xF1]))
        #expect(after([0xE0]) != after([0xE1]))
        #expect(after([0xC3]) != UTF8Validator())
        #expect(after([0xFF]) == after([0x61, 0x80]))
    }

    @Test("text is made of bytes only when they are UTF-8")
    func strings() {
        func text(_ bytes: [UInt8]) -> String? { bytes.withUnsafeBytes { String(validUTF8: $0) } }
        #expect(text([]) == "")
        #expect(text([0x61]) == "a")
        #expect(text([0xC3, 0xA9]) == "\u{E9}")
        #expect(text([0xC3]) == nil)
        #expect(text([0xED, 0xA0, 0x80]) == nil)
        #expect(text([0x61, 0xFF, 0x62]) == nil)
        #expect(text([0xEF, 0xBB, 0xBF, 0x61])?.utf8.count == 4)
    }
}
