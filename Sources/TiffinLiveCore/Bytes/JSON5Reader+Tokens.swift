/// The lexical grammar: white space and comments, names, strings, numbers.
extension JSON5Reader {
    // MARK: White space and comments (json5.org, sections 7 and 8)

    mutating func skipSpace() throws(JSON5Error) {
        while let scalar = peek {
            if Self.isSpace(scalar) {
                advance()
            } else if scalar == "/", peek(after: 1) == "/" {
                while let next = peek, !Self.endsLine(next) { advance() }
            } else if scalar == "/", peek(after: 1) == "*" {
                try skipBlockComment()
            } else {
                return
            }
        }
    }

    private mutating func skipBlockComment() throws(JSON5Error) {
        let start = line
        advance()
        advance()
        while peek != nil {
            if peek == "*", peek(after: 1) == "/" {
                advance()
                advance()
                return
            }
            advance()
        }
        throw error("the comment that begins on line \(start) is not closed")
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\u{B}", "\u{C}", " ", "\u{A0}", "\u{FEFF}": true
        default: endsLine(scalar) || scalar.properties.generalCategory == .spaceSeparator
        }
    }

    private static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\r" || scalar == "\u{2028}" || scalar == "\u{2029}"
    }

    // MARK: Names (ECMAScript 5.1, section 7.6)

    static func beginsName(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "$" || scalar == "_" || scalar == "\\" { return true }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber: true
        default: false
        }
    }

    private static func continuesName(_ scalar: Unicode.Scalar) -> Bool {
        if beginsName(scalar) || scalar == "\u{200C}" || scalar == "\u{200D}" { return true }
        return switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: true
        default: false
        }
    }

    mutating func readName() throws(JSON5Error) -> String {
        var name = String.UnicodeScalarView()
        while let scalar = peek, Self.continuesName(scalar) {
            advance()
            guard scalar == "\\" else {
                name.append(scalar)
                continue
            }
            guard take("u") else { throw error("a key may only contain escapes of the form \\uXXXX") }
            let escaped = try readUnicodeEscape()
            guard escaped != "\\", name.isEmpty ? Self.beginsName(escaped) : Self.continuesName(escaped) else {
                throw error("an escape in a key stands for a character that needs quotes")
            }
            name.append(escaped)
        }
        return String(name)
    }

    // MARK: Strings (json5.org, section 5)

    mutating func readString() throws(JSON5Error) -> String {
        let start = line
        let quote = scalars[position]
        advance()
        var text = String.UnicodeScalarView()
        while let scalar = peek {
            if scalar == "\n" || scalar == "\r" {
                throw error("the text that begins on line \(start) has no closing quote on its line")
            }
            advance()
            if scalar == quote { return String(text) }
            if scalar == "\\" {
                if let escaped = try readEscape() { text.append(escaped) }
            } else {
                text.append(scalar)
            }
        }
        throw error("the text that begins on line \(start) is not closed")
    }

    /// What an escape stands for; nil for an escaped end of line.
    private mutating func readEscape() throws(JSON5Error) -> Unicode.Scalar? {
        guard let scalar = peek else { throw error("the text ends within an escape") }
        advance()
        switch scalar {
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "v": return "\u{B}"
        case "u": return try readUnicodeEscape()
        case "x": return Unicode.Scalar(UInt8(truncatingIfNeeded: try readHex(digits: 2)))
        case "\r":
            _ = take("\n")
            return nil
        case "\n", "\u{2028}", "\u{2029}": return nil
        case "0":
            if let next = peek, ("0"..."9").contains(next) { throw error("\\0 may not stand before a digit") }
            return "\0"
        case "1"..."9": throw error("a backslash may not stand before a digit")
        default: return scalar
        }
    }

    /// Behind `\u`: four digits, or two escapes that are a surrogate pair.
    private mutating func readUnicodeEscape() throws(JSON5Error) -> Unicode.Scalar {
        let unit = try readHex(digits: 4)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        if unit < 0xDC00, peek == "\\", peek(after: 1) == "u" {
            advance()
            advance()
            let low = try readHex(digits: 4)
            if (0xDC00...0xDFFF).contains(low),
                let scalar = Unicode.Scalar(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
            {
                return scalar
            }
        }
        throw error("a surrogate escape stands without its partner")
    }

    private mutating func readHex(digits: Int) throws(JSON5Error) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let scalar = peek, let byte = UInt8(exactly: scalar.value), let digit = ASCII.hexValue(byte) else {
                throw error("an escape needs \(digits) hexadecimal digits")
            }
            advance()
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    // MARK: Numbers (json5.org, section 6)

    mutating func readNumber() throws(JSON5Error) -> JSONNumber {
        var text = ""
        if take("-") {
            text = "-"
        } else {
            _ = take("+")
        }
        switch peek {
        case "I", "N":
            let word = try readName()
            guard word == "Infinity" || word == "NaN" else { throw error("\(word) is not a number") }
            return JSONNumber(text: text + word)
        case "0" where peek(after: 1) == "x" || peek(after: 1) == "X":
            text += try readHexadecimalNumber()
        default:
            text += try readDecimalNumber()
        }
        if let next = peek, Self.continuesName(next) {
            throw error("\(found) may not follow a number; a text such as \"30s\" needs quotes")
        }
        return JSONNumber(text: text)
    }

    private mutating func readHexadecimalNumber() throws(JSON5Error) -> String {
        advance()
        advance()
        let digits = readDigits(where: { ASCII.hexValue($0) != nil })
        guard !digits.isEmpty else { throw error("0x needs hexadecimal digits") }
        guard let value = UInt64(digits, radix: 16) else { throw error("the hexadecimal number is too large") }
        return String(value)
    }

    private mutating func readDecimalNumber() throws(JSON5Error) -> String {
        let whole = readDigits(where: ASCII.isDigit)
        var fraction = ""
        let hasPoint = take(".")
        if hasPoint { fraction = readDigits(where: ASCII.isDigit) }
        guard !(whole.isEmpty && fraction.isEmpty) else { throw error("a number needs digits") }
        guard whole.utf8.count < 2 || whole.utf8.first != ASCII.zero else {
            throw error("a number may not begin with 0")
        }
        var text = (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : "." + fraction)
        guard take("e") || take("E") else { return text }
        text += "e"
        if take("-") {
            text += "-"
        } else {
            _ = take("+")
        }
        let exponent = readDigits(where: ASCII.isDigit)
        guard !exponent.isEmpty else { throw error("an exponent needs digits") }
        return text + exponent
    }

    private mutating func readDigits(where isDigit: (UInt8) -> Bool) -> String {
        var digits = String.UnicodeScalarView()
        while let scalar = peek, let byte = UInt8(exactly: scalar.value), isDigit(byte) {
            digits.append(scalar)
            advance()
        }
        return String(digits)
    }
}
