/// Checks UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF) that comes in pieces cut
/// anywhere, and fails at the first byte that cannot be part of any continuation. Keeps no bytes: of a character that
/// is cut it knows how many bytes are missing and what the next may be.
struct UTF8Validator: Equatable, Sendable {
    /// How many continuation bytes the character under way still needs.
    private var missing: UInt8 = 0
    /// What the next of them may be. An empty range once something impossible has come.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    init() {}

    /// Whether what has come so far ends with a whole character.
    var isComplete: Bool { missing == 0 }

    /// Whether `bytes` are UTF-8 from their first to their last.
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let bytes = bytes.assumingMemoryBound(to: UInt8.self)
        do {
            _ = try UTF8Span(validating: bytes.span)
            return true
        } catch {
            return false
        }
    }

    /// Takes the next piece; false when it holds a byte that is impossible, and ever after.
    mutating func validate(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var start = 0
        while missing > 0, start < bytes.count {
            guard step(bytes[start]) else { return false }
            start += 1
        }
        guard start < bytes.count else { return missing == 0 || lowest <= highest }
        // Whole characters go through the fast check; one that the piece cuts off is stepped through.
        let end = bytes.count - Self.tailLength(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        guard Self.isValid(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) else { return fail() }
        for index in end..<bytes.count {
            guard step(bytes[index]) else { return false }
        }
        return true
    }

    /// The length of the character that `bytes` leave unfinished: 0 to 3.
    private static func tailLength(_ bytes: UnsafeRawBufferPointer) -> Int {
        var length = 1
        while length <= min(3, bytes.count) {
            let byte = bytes[bytes.count - length]
            if byte < 0x80 { return 0 }
            if byte >= 0xC0 {
                let whole = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
                return length < whole ? length : 0
            }
            length += 1
        }
        return 0
    }

    /// One byte through the table of RFC 3629 §4.
    private mutating func step(_ byte: UInt8) -> Bool {
        if missing > 0 {
            guard byte >= lowest, byte <= highest else { return fail() }
            missing -= 1
            lowest = 0x80
            highest = 0xBF
            return true
        }
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: expect(1, 0x80, 0xBF)
        case 0xE0: expect(2, 0xA0, 0xBF)
        case 0xED: expect(2, 0x80, 0x9F)
        case 0xE1...0xEF: expect(2, 0x80, 0xBF)
        case 0xF0: expect(3, 0x90, 0xBF)
        case 0xF1...0xF3: expect(3, 0x80, 0xBF)
        case 0xF4: expect(3, 0x80, 0x8F)
        default: return fail()
        }
        return true
    }

    private mutating func expect(_ count: UInt8, _ lowest: UInt8, _ highest: UInt8) {
        missing = count
        self.lowest = lowest
        self.highest = highest
    }

    /// From here on every byte is impossible and nothing is complete.
    private mutating func fail() -> Bool {
        expect(1, 0xFF, 0x00)
        return false
    }
}
