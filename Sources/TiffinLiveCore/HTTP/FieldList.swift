/// Reading of field values: lists with commas (RFC 9110 §5.6.1), white space around them (§5.6.3), and comparison
/// without regard to the case of ASCII letters.
enum FieldList {
    /// Calls `body` with each element that is not empty, without the white space around it. Quoted strings are not
    /// known here: no field that is read with this has them.
    static func forEachElement(of value: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        for index in 0...value.count where index == value.count || value[index] == ASCII.comma {
            let element = trimmed(UnsafeRawBufferPointer(rebasing: value[start..<index]))
            if !element.isEmpty { body(element) }
            start = index + 1
        }
    }

    static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var start = 0
        var end = bytes.count
        while start < end, isWhiteSpace(bytes[start]) { start += 1 }
        while end > start, isWhiteSpace(bytes[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == ASCII.space || byte == ASCII.tab
    }

    static func equals(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        for index in 0..<bytes.count {
            let other = text.utf8Start[index]
            if bytes[index] != other, ASCII.lowercased(bytes[index]) != ASCII.lowercased(other) { return false }
        }
        return true
    }
}
