/// The tokens of JSON (RFC 8259 sections 2, 3, 6 and 7). Knows nothing of nesting, which is `JSONParser`'s part.
///
/// The bytes are UTF-8 already; the scanner borrows them and must not outlive them.
struct JSONScanner {
    /// What stands between the quotation marks of a string whose escapes have been checked.
    struct StringToken {
        let start: Int
        let count: Int
        let isEscaped: Bool
    }

    let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    func error(_ problem: JSONError.Problem) -> JSONError {
        JSONError(offset: position, problem: problem)
    }

    /// Only the beginning of a text counts: anywhere else U+FEFF is just no JSON.
    var isAtByteOrderMark: Bool { position == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) }

    mutating func advance() {
        position += 1
    }

    /// Goes to the next byte that is not white space and tells it; nil at the end.
    mutating func nextByte() -> UInt8? {
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case ASCII.space, ASCII.lineFeed, ASCII.carriageReturn, ASCII.tab: position += 1
            default: return byte
            }
        }
        return nil
    }

    /// Takes `word` whole, or throws.
    mutating func take(_ word: StaticString) throws(JSONError) {
        let count = word.utf8CodeUnitCount
        guard bytes.count - position >= count else { throw error(.expectedValue) }
        for index in 0..<count where bytes[position + index] != word.utf8Start[index] {
            throw error(.expectedValue)
        }
        position += count
    }

    /// Takes the number at `position`. What follows it is not looked at: no number may, so the parser refuses `01`.
    mutating func takeNumber() throws(JSONError) -> Range<Int> {
        let start = position
        if peek() == ASCII.minus { position += 1 }
        if peek() == ASCII.zero {
            position += 1
        } else {
            try takeDigits()
        }
        if peek() == ASCII.dot {
            position += 1
            try takeDigits()
        }
        if let letter = peek(), ASCII.lowercased(letter) == UInt8(ascii: "e") {
            position += 1
            if let sign = peek(), sign == ASCII.minus || sign == UInt8(ascii: "+") { position += 1 }
            try takeDigits()
        }
        return start..<position
    }

    private func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func takeDigits() throws(JSONError) {
        let start = position
        while position < bytes.count, ASCII.isDigit(bytes[position]) { position += 1 }
        guard position > start else { throw error(.invalidNumber) }
    }

    /// Takes the string whose opening quotation mark is at `position`.
    mutating func takeString() throws(JSONError) -> StringToken {
        position += 1
        let start = position
        var isEscaped = false
        while true {
            skipPlain()
            guard position < bytes.count else { throw error(.unexpectedEnd) }
            switch bytes[position] {
            case ASCII.quotationMark:
                let token = StringToken(start: start, count: position - start, isEscaped: isEscaped)
                position += 1
                return token
            case ASCII.backslash:
                isEscaped = true
                try takeEscape()
            default:
                throw error(.controlCharacter)
            }
        }
    }

    /// Goes to the next byte that a string does not hold as it is.
    private mutating func skipPlain() {
        while bytes.count - position >= ByteWord.size {
            let word = ByteWord(bytes, at: position)
            if word.contains(ASCII.quotationMark) || word.contains(ASCII.backslash)
                || word.containsByte(below: ASCII.space)
            {
                break
            }
            position += ByteWord.size
        }
        while position < bytes.count {
            let byte = bytes[position]
            if byte == ASCII.quotationMark || byte == ASCII.backslash || byte < ASCII.space { return }
            position += 1
        }
    }

    private mutating func takeEscape() throws(JSONError) {
        guard bytes.count - position >= 2 else { throw error(.unexpectedEnd) }
        switch bytes[position + 1] {
        case ASCII.quotationMark, ASCII.backslash, ASCII.slash, UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            guard let unit = codeUnit(at: position) else { throw error(.invalidEscape) }
            if UTF16.isLeadSurrogate(unit) {
                guard let trail = codeUnit(at: position + 6), UTF16.isTrailSurrogate(trail) else {
                    throw error(.loneSurrogate)
                }
                position += 12
            } else {
                guard !UTF16.isTrailSurrogate(unit) else { throw error(.loneSurrogate) }
                position += 6
            }
        default:
            throw error(.invalidEscape)
        }
    }

    /// The UTF-16 code unit that `\uXXXX` at `offset` stands for; nil when there is no such escape.
    private func codeUnit(at offset: Int) -> UInt16? {
        guard bytes.count - offset >= 6, bytes[offset] == ASCII.backslash, bytes[offset + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for index in 2..<6 {
            guard let digit = ASCII.hexValue(bytes[offset + index]) else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// Writes what `token` stands for into `output`, which has room for `token.count` bytes: no escape is shorter
    /// than the UTF-8 of its character. Tells how many bytes it wrote.
    func decode(_ token: StringToken, into output: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var written = 0
        var offset = token.start
        let end = token.start + token.count
        while offset < end {
            let byte = bytes[offset]
            guard byte == ASCII.backslash else {
                output[written] = byte
                written += 1
                offset += 1
                continue
            }
            offset += decodeEscape(at: offset) { unit in
                output[written] = unit
                written += 1
            }
        }
        return written
    }

    /// Tells how many bytes the escape at `offset` takes; it has been checked.
    private func decodeEscape(at offset: Int, emit: (UInt8) -> Void) -> Int {
        if let unit = codeUnit(at: offset) {
            let trail = UTF16.isLeadSurrogate(unit) ? codeUnit(at: offset + 6) : nil
            let scalar: UInt32 =
                if let trail {
                    0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(trail & 0x3FF))
                } else {
                    UInt32(unit)
                }
            UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}")?.forEach(emit)
            return trail == nil ? 6 : 12
        }
        switch bytes[offset + 1] {
        case UInt8(ascii: "b"): emit(0x08)
        case UInt8(ascii: "f"): emit(0x0C)
        case UInt8(ascii: "n"): emit(ASCII.lineFeed)
        case UInt8(ascii: "r"): emit(ASCII.carriageReturn)
        case UInt8(ascii: "t"): emit(ASCII.tab)
        case let byte: emit(byte)
        }
        return 2
    }

    /// The text of a checked string.
    func text(_ token: StringToken) -> String {
        if token.isEscaped {
            return String(unsafeUninitializedCapacity: token.count) { decode(token, into: $0) }
        }
        return text(token.start..<token.start + token.count)
    }

    /// The bytes of `range` as they are, which are UTF-8.
    func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }
}
