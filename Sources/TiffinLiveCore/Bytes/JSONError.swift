/// Why a text is no JSON that `JSONReader` takes. Holds nothing of the text itself, so it may be logged.
package struct JSONError: Error, Equatable, Sendable {
    /// One rule of RFC 8259, or one of the stricter ones of this reader.
    package enum Problem: String, Sendable {
        case invalidUTF8 = "not UTF-8"
        case byteOrderMark = "byte order mark"
        case unexpectedEnd = "ends too early"
        case expectedValue = "expected a value"
        case expectedName = "expected a member name in quotes"
        case expectedColon = "expected a colon"
        case expectedCommaOrBracket = "expected a comma or a closing bracket"
        case expectedCommaOrBrace = "expected a comma or a closing brace"
        case trailingBytes = "something follows the value"
        case invalidNumber = "not a JSON number"
        case controlCharacter = "control character in a string"
        case invalidEscape = "unknown escape in a string"
        case loneSurrogate = "half a surrogate pair in a string"
        case duplicateName = "member name given twice"
        case tooDeep = "nested too deep"
    }

    /// Bytes before the place where the problem was seen.
    package let offset: Int
    package let problem: Problem

    package var message: String { problem.rawValue }
}

extension JSONError: CustomStringConvertible {
    package var description: String { "\(message) at byte \(offset)" }
}
