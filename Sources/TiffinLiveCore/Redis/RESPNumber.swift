/// Numbers as RESP writes them: an optional sign and digits, nothing else.
enum RESPNumber {
    static func integer(_ text: UnsafeRawBufferPointer) -> Int64? {
        var digits = text[...]
        let isNegative = digits.first == ASCII.minus
        if isNegative || digits.first == 0x2B { digits = digits.dropFirst() }
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard ASCII.isDigit(digit) else { return nil }
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            // Downwards, since the lowest number has no positive counterpart.
            let (next, overflowToo) = tens.subtractingReportingOverflow(Int64(digit &- ASCII.zero))
            guard !overflow, !overflowToo else { return nil }
            value = next
        }
        guard !isNegative else { return value }
        return value == .min ? nil : -value
    }

    /// A length or count; -1 stands for null.
    static func length(_ text: UnsafeRawBufferPointer) -> Int? {
        guard let value = integer(text), text.first != 0x2B, value >= -1, text.first != ASCII.minus || value == -1
        else { return nil }
        return Int(exactly: value)
    }

    static func double(_ text: UnsafeRawBufferPointer) -> Double? {
        switch String(decoding: text, as: UTF8.self) {
        case "inf", "+inf": return .infinity
        case "-inf": return -.infinity
        case "nan", "-nan": return .nan
        case let text:
            // The initialiser also takes hexadecimal and names of its own.
            let isPlain = text.utf8.allSatisfy {
                ASCII.isDigit($0) || [ASCII.minus, 0x2B, ASCII.dot, 0x65, 0x45].contains($0)
            }
            return isPlain ? Double(text) : nil
        }
    }

    static func isBigNumber(_ text: UnsafeRawBufferPointer) -> Bool {
        var digits = text[...]
        if digits.first == ASCII.minus || digits.first == 0x2B { digits = digits.dropFirst() }
        return !digits.isEmpty && digits.allSatisfy(ASCII.isDigit)
    }
}
