/// The `for` parameters of a `Forwarded` field (RFC 7239 §4): elements set apart by commas, pairs by semicolons, both
/// of which may stand inside quoted strings (RFC 9110 §5.6.4).
enum ForwardedElements {
    /// Calls `body` once for each element: with its `for` value, unquoted, or with nil when it has none, two, or is
    /// malformed.
    static func forEachNode(of value: UnsafeRawBufferPointer, _ body: ([UInt8]?) -> Void) {
        forEachPart(of: value, separator: ASCII.comma) { element in
            guard !element.isEmpty else { return }
            var node: [UInt8]?
            var isMalformed = false
            forEachPart(of: element, separator: ASCII.semicolon) { pair in
                if pair.isEmpty { return }
                guard let equals = pair.firstIndex(of: ASCII.equals) else {
                    isMalformed = true
                    return
                }
                let name = UnsafeRawBufferPointer(rebasing: pair[..<equals])
                guard FieldList.equals(name, "for") else { return }
                let text = unquoted(UnsafeRawBufferPointer(rebasing: pair[(equals + 1)...]))
                if node != nil || text == nil { isMalformed = true }
                node = text
            }
            body(isMalformed ? nil : node)
        }
    }

    /// Cuts at `separator` outside quoted strings and trims. An unclosed quote runs to the end and makes its part
    /// unreadable.
    private static func forEachPart(
        of value: UnsafeRawBufferPointer, separator: UInt8, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        var start = 0
        var isQuoted = false
        var isEscaped = false
        for index in 0..<value.count {
            if isEscaped {
                isEscaped = false
            } else if value[index] == ASCII.quotationMark {
                isQuoted.toggle()
            } else if isQuoted {
                isEscaped = value[index] == ASCII.backslash
            } else if value[index] == separator {
                body(FieldList.trimmed(UnsafeRawBufferPointer(rebasing: value[start..<index])))
                start = index + 1
            }
        }
        body(FieldList.trimmed(UnsafeRawBufferPointer(rebasing: value[start...])))
    }

    private static func unquoted(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.first == ASCII.quotationMark else {
            return text.isEmpty || text.contains(ASCII.quotationMark) ? nil : Array(text)
        }
        var plain: [UInt8] = []
        var index = 1
        while index < text.count {
            switch text[index] {
            case ASCII.quotationMark:
                return index == text.count - 1 ? plain : nil
            case ASCII.backslash:
                index += 1
                guard index < text.count else { return nil }
                plain.append(text[index])
            default:
                plain.append(text[index])
            }
            index += 1
        }
        return nil
    }
}
