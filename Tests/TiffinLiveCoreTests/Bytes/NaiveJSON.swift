/// A second opinion on what `JSONReader` takes: written from the grammar by recursion over scalars, slow, and sharing no
/// code with it. Tells whether a text is JSON, without building anything.
struct NaiveJSON {
    private var rest: Substring.UnicodeScalarView
    private let maximumDepth: Int

    static func isValid(_ bytes: [UInt8], maximumDepth: Int = 32) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        var naive = NaiveJSON(rest: Substring(text).unicodeScalars, maximumDepth: maximumDepth)
        guard naive.value(depth: 0) else { return false }
        naive.space()
        return naive.rest.isEmpty
    }

    private init(rest: Substring.UnicodeScalarView, maximumDepth: Int) {
        self.rest = rest
        self.maximumDepth = maximumDepth
    }

    private mutating func space() {
        rest = rest.drop { $0 == " " || $0 == "\n" || $0 == "\r" || $0 == "\t" }
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func take(word: String) -> Bool {
        word.unicodeScalars.allSatisfy { take($0) }
    }

    private mutating func value(depth: Int) -> Bool {
        space()
        switch rest.first {
        case "{": return depth < maximumDepth && object(depth: depth + 1)
        case "[": return depth < maximumDepth && array(depth: depth + 1)
        case "\"": return string() != nil
        case "t": return take(word: "true")
        case "f": return take(word: "false")
        case "n": return take(word: "null")
        default: return number()
        }
    }

    private mutating func array(depth: Int) -> Bool {
        guard take("[") else { return false }
        space()
        if take("]") { return true }
        while true {
            guard value(depth: depth) else { return false }
            space()
            if take("]") { return true }
            guard take(",") else { return false }
        }
    }

    private mutating func object(depth: Int) -> Bool {
        guard take("{") else { return false }
        space()
        if take("}") { return true }
        var names: Set<[UInt32]> = []
        while true {
            space()
            guard let name = string(), names.insert(name).inserted else { return false }
            space()
            guard take(":"), value(depth: depth) else { return false }
            space()
            if take("}") { return true }
            guard take(",") else { return false }
        }
    }

    private mutating func string() -> [UInt32]? {
        guard take("\"") else { return nil }
        var units: [UInt16] = []
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return decoded(units)
            case "\\":
                guard let unit = escape() else { return nil }
                units.append(unit)
            case "\u{0}"..<" ": return nil
            default: units.append(contentsOf: UTF16.encode(scalar).map { Array($0) } ?? [])
            }
        }
        return nil
    }

    private func decoded(_ units: [UInt16]) -> [UInt32]? {
        var text = ""
        let isBroken = transcode(units.makeIterator(), from: UTF16.self, to: UTF32.self, stoppingOnError: true) {
            text.unicodeScalars.append(Unicode.Scalar($0) ?? "?")
        }
        return isBroken ? nil : text.unicodeScalars.map(\.value)
    }

    private mutating func escape() -> UInt16? {
        switch rest.popFirst() {
        case "\"": return 0x22
        case "\\": return 0x5C
        case "/": return 0x2F
        case "b": return 0x08
        case "f": return 0x0C
        case "n": return 0x0A
        case "r": return 0x0D
        case "t": return 0x09
        case "u":
            let digits = String(rest.prefix(4))
            guard digits.utf8.count == 4, digits.unicodeScalars.allSatisfy({ $0.properties.isASCIIHexDigit }) else {
                return nil
            }
            rest = rest.dropFirst(4)
            return UInt16(digits, radix: 16)
        default: return nil
        }
    }

    private mutating func number() -> Bool {
        _ = take("-")
        if !take("0") {
            guard digits() else { return false }
        }
        if take(".") {
            guard digits() else { return false }
        }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            guard digits() else { return false }
        }
        return true
    }

    private mutating func digits() -> Bool {
        let before = rest.count
        rest = rest.drop { $0 >= "0" && $0 <= "9" }
        return rest.count < before
    }
}
