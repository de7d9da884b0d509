/// Values of one kind, with the fault when they are something else.
extension ConfigurationLoader {
    static func kind(of node: JSON5Node) -> String {
        switch node.value {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let number): "the number \(number.text)"
        case .string(let text): "the text \"\(text.prefix(64))\""
        case .array: "a list"
        case .object: "an object"
        }
    }

    mutating func mismatch<Value>(_ node: JSON5Node, _ key: String, expected: String) -> Value? {
        fault(node.line, key, "expected \(expected) instead of \(Self.kind(of: node))")
        return nil
    }

    // MARK: Scalars

    mutating func boolean(_ node: JSON5Node, _ key: String) -> Bool? {
        guard case .bool(let value) = node.value else { return mismatch(node, key, expected: "true or false") }
        return value
    }

    mutating func integer(_ node: JSON5Node, _ key: String, _ range: ClosedRange<Int>) -> Int? {
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard case .number(let number) = node.value, let value = number.int64, let value = Int(exactly: value),
            range.contains(value)
        else { return mismatch(node, key, expected: expected) }
        return value
    }

    /// `"500ms"`, `"30s"`, `"15m"`, `"2h"`.
    mutating func duration(_ node: JSON5Node, _ key: String, _ range: ClosedRange<Nanoseconds>) -> Nanoseconds? {
        let units: [(String, Nanoseconds)] = [
            ("ms", .millisecond), ("s", .second), ("m", 60 * .second), ("h", 3600 * .second),
        ]
        guard case .string(let text) = node.value, let value = Self.quantity(text, units) else {
            return mismatch(node, key, expected: "a duration such as \"30s\" (units ms, s, m, h)")
        }
        guard range.contains(value) else {
            let low = Self.text(duration: range.lowerBound)
            return mismatch(
                node, key, expected: "a duration from \"\(low)\" to \"\(Self.text(duration: range.upperBound))\"")
        }
        return value
    }

    /// `"512B"`, `"64KiB"`, `"1MiB"`, `"1GiB"`.
    mutating func size(_ node: JSON5Node, _ key: String, _ range: ClosedRange<Int>) -> Int? {
        let units: [(String, Int64)] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("B", 1)]
        guard case .string(let text) = node.value, let value = Self.quantity(text, units) else {
            return mismatch(node, key, expected: "a size such as \"64KiB\" (units B, KiB, MiB, GiB)")
        }
        guard let value = Int(exactly: value), range.contains(value) else {
            let low = Self.text(size: range.lowerBound)
            return mismatch(node, key, expected: "a size from \"\(low)\" to \"\(Self.text(size: range.upperBound))\"")
        }
        return value
    }

    /// Digits and one of `units`; nil when it is anything else or too large to be counted.
    private static func quantity(_ text: String, _ units: [(String, Int64)]) -> Int64? {
        let digits = text.utf8.prefix { ASCII.isDigit($0) }
        let suffix = text.utf8.dropFirst(digits.count)
        guard let count = Int64(String(decoding: digits, as: UTF8.self)),
            let unit = units.first(where: { suffix.elementsEqual($0.0.utf8) })
        else { return nil }
        let (value, overflow) = count.multipliedReportingOverflow(by: unit.1)
        return overflow ? nil : value
    }

    private static func text(duration: Nanoseconds) -> String {
        if duration % (3600 * .second) == 0, duration > 0 { return "\(duration / (3600 * .second))h" }
        if duration % (60 * .second) == 0, duration > 0 { return "\(duration / (60 * .second))m" }
        if duration % .second == 0 { return "\(duration / .second)s" }
        return "\(duration / .millisecond)ms"
    }

    private static func text(size: Int) -> String {
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] where size % (1 << shift) == 0 && size > 0 {
            return "\(size >> shift)\(unit)"
        }
        return "\(size)B"
    }

    // MARK: Texts

    mutating func text(_ node: JSON5Node, _ key: String, expected: String = "a text") -> String? {
        guard case .string(let text) = node.value else { return mismatch(node, key, expected: expected) }
        guard !text.isEmpty, text.utf8.count <= 1024, text.unicodeScalars.allSatisfy({ !Self.isControl($0) }) else {
            fault(node.line, key, "a text may not be empty, longer than 1,024 bytes or contain control characters")
            return nil
        }
        return text
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
    }

    mutating func name(_ node: JSON5Node, _ key: String) -> String? {
        guard let text = text(node, key) else { return nil }
        guard text.utf8.count <= 128, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            fault(node.line, key, "a name is 1 to 128 visible ASCII characters without spaces")
            return nil
        }
        return text
    }

    mutating func elements(_ node: JSON5Node, _ key: String, expected: String = "a list of texts") -> [JSON5Node]? {
        guard case .array(let elements) = node.value else { return mismatch(node, key, expected: expected) }
        return elements
    }

    /// A list of texts without doubles; nil when one of them is at fault.
    mutating func texts(_ node: JSON5Node, _ key: String) -> [String]? {
        guard let elements = elements(node, key) else { return nil }
        var texts: [String] = []
        var isGood = true
        for element in elements {
            guard let text = text(element, key) else {
                isGood = false
                continue
            }
            if texts.contains(text) {
                fault(element.line, key, "\"\(text)\" stands in the list twice")
                isGood = false
            }
            texts.append(text)
        }
        return isGood ? texts : nil
    }

    // MARK: Words

    mutating func word<Word: RawRepresentable & CaseIterable>(
        _ node: JSON5Node, _ key: String, of _: Word.Type = Word.self
    ) -> Word? where Word.RawValue == String {
        if case .string(let text) = node.value, let word = Word(rawValue: text) { return word }
        let words = Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        return mismatch(node, key, expected: words)
    }

    mutating func words<Word: RawRepresentable & CaseIterable>(
        _ node: JSON5Node, _ key: String, of _: Word.Type = Word.self
    ) -> [Word]? where Word.RawValue == String {
        guard let elements = elements(node, key) else { return nil }
        var words: [Word] = []
        var isGood = !elements.isEmpty
        if elements.isEmpty { fault(node.line, key, "the list may not be empty") }
        for element in elements {
            guard let word = word(element, key, of: Word.self) else {
                isGood = false
                continue
            }
            if words.contains(where: { $0.rawValue == word.rawValue }) {
                fault(element.line, key, "\"\(word.rawValue)\" stands in the list twice")
                isGood = false
            }
            words.append(word)
        }
        return isGood ? words : nil
    }

    mutating func secret(_ node: JSON5Node, _ key: String) -> SecretReference? {
        let expected = "\"file:PATH\", \"env:NAME\" or \"credential:NAME\""
        guard case .string(let text) = node.value else { return mismatch(node, key, expected: expected) }
        guard let secret = SecretReference(text) else {
            // Not repeated: it may be the secret itself.
            fault(node.line, key, "expected \(expected); a secret never stands in the configuration")
            return nil
        }
        return secret
    }
}
