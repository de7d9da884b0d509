/// Writes JSON without white space (RFC 8259), one line whatever the strings hold.
///
/// In strings `"`, `\`, the C0 controls, DEL and the line separators U+2028 and U+2029 are escaped, so that a text
/// can stand in a log line, in a terminal and in JavaScript; everything else stays UTF-8. Numbers are written with
/// their text. Recursion follows the depth of the value, which `JSONReader` limits.
package enum JSONWriter {
    private static let replacementCharacter: StaticString = "\u{FFFD}"
    private static let hexDigits: StaticString = "0123456789abcdef"

    static func append(_ value: JSONValue, to buffer: ByteBuffer) {
        switch value {
        case .null: buffer.append("null" as StaticString)
        case .bool(true): buffer.append("true" as StaticString)
        case .bool(false): buffer.append("false" as StaticString)
        case .number(let number): buffer.append(number.text)
        case .string(let text): append(string: text, to: buffer)
        case .array(let elements): append(elements, to: buffer)
        case .object(let object): append(object, to: buffer)
        }
    }

    /// The whole text, for those who write nothing else.
    package static func text(_ value: JSONValue) -> String {
        let buffer = ByteBuffer()
        append(value, to: buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    static func append(_ elements: [JSONValue], to buffer: ByteBuffer) {
        buffer.append(ASCII.leftBracket)
        for index in elements.indices {
            if index > 0 { buffer.append(ASCII.comma) }
            append(elements[index], to: buffer)
        }
        buffer.append(ASCII.rightBracket)
    }

    static func append(_ object: JSONObject, to buffer: ByteBuffer) {
        buffer.append(ASCII.leftBrace)
        for index in object.members.indices {
            if index > 0 { buffer.append(ASCII.comma) }
            append(string: object.members[index].name, to: buffer)
            buffer.append(ASCII.colon)
            append(object.members[index].value, to: buffer)
        }
        buffer.append(ASCII.rightBrace)
    }

    /// Appends `string` with quotation marks.
    static func append(string: String, to buffer: ByteBuffer) {
        var string = string
        buffer.append(ASCII.quotationMark)
        string.withUTF8 { appendEscaped(UnsafeRawBufferPointer($0), to: buffer) }
        buffer.append(ASCII.quotationMark)
    }

    /// Appends bytes from outside as a string with quotation marks. Each longest piece that is not UTF-8 becomes one
    /// U+FFFD, as everywhere (Unicode 3.9, "substitution of maximal subparts").
    static func append(string utf8: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        buffer.append(ASCII.quotationMark)
        var offset = 0
        while offset < utf8.count {
            let rest = UnsafeRawBufferPointer(rebasing: utf8[offset...])
            guard let invalid = firstInvalid(in: rest) else {
                appendEscaped(rest, to: buffer)
                break
            }
            appendEscaped(UnsafeRawBufferPointer(rebasing: rest[..<invalid.lowerBound]), to: buffer)
            buffer.append(replacementCharacter)
            offset += invalid.upperBound
        }
        buffer.append(ASCII.quotationMark)
    }

    private static func firstInvalid(in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        do {
            _ = try UTF8Span(validating: bytes.assumingMemoryBound(to: UInt8.self).span)
            return nil
        } catch {
            return error.byteOffsets
        }
    }

    /// `utf8` is valid. Runs between escapes are copied at once.
    private static func appendEscaped(_ utf8: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        var start = 0
        while true {
            let end = nextSpecial(in: utf8, from: start)
            buffer.append(UnsafeRawBufferPointer(rebasing: utf8[start..<end]))
            guard end < utf8.count else { return }
            start = end + appendSpecial(utf8, at: end, to: buffer)
        }
    }

    /// The next byte that must be escaped, or that may begin a line separator.
    private static func nextSpecial(in utf8: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = start
        while utf8.count - offset >= ByteWord.size {
            let word = ByteWord(utf8, at: offset)
            if word.contains(ASCII.quotationMark) || word.contains(ASCII.backslash)
                || word.containsByte(below: ASCII.space) || word.contains(ASCII.delete) || word.contains(0xE2)
            {
                break
            }
            offset += ByteWord.size
        }
        while offset < utf8.count {
            switch utf8[offset] {
            case ASCII.quotationMark, ASCII.backslash, ASCII.delete, 0..<ASCII.space: return offset
            case 0xE2 where isLineSeparator(utf8, at: offset): return offset
            default: offset += 1
            }
        }
        return offset
    }

    private static func isLineSeparator(_ utf8: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        utf8.count - offset >= 3 && utf8[offset + 1] == 0x80 && utf8[offset + 2] | 1 == 0xA9
    }

    /// Appends the escape for what is at `offset` and tells how many bytes of `utf8` that was.
    private static func appendSpecial(
        _ utf8: UnsafeRawBufferPointer, at offset: Int, to buffer: ByteBuffer
    ) -> Int {
        let byte = utf8[offset]
        switch byte {
        case ASCII.quotationMark: buffer.append("\\\"" as StaticString)
        case ASCII.backslash: buffer.append("\\\\" as StaticString)
        case 0x08: buffer.append("\\b" as StaticString)
        case ASCII.tab: buffer.append("\\t" as StaticString)
        case ASCII.lineFeed: buffer.append("\\n" as StaticString)
        case 0x0C: buffer.append("\\f" as StaticString)
        case ASCII.carriageReturn: buffer.append("\\r" as StaticString)
        case 0xE2:
            buffer.append(utf8[offset + 2] == 0xA8 ? "\\u2028" : "\\u2029" as StaticString)
            return 3
        default:
            buffer.append("\\u00" as StaticString)
            buffer.append(hexDigits.utf8Start[Int(byte >> 4)])
            buffer.append(hexDigits.utf8Start[Int(byte & 0x0F)])
        }
        return 1
    }
}

extension JSONValue {
    /// The value as JSON text.
    var bytes: [UInt8] {
        let buffer = ByteBuffer()
        JSONWriter.append(self, to: buffer)
        return buffer.array
    }
}
