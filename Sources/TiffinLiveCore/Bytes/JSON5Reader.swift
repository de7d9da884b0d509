/// Reads a JSON5 text (json5.org, 1.0.0): JSON with comments, trailing commas, bare names, single quotes, hexadecimal
/// numbers and the like. For the configuration file and its overrides; what comes from the network is read by
/// `JSONReader`, which is stricter and faster.
///
/// Stricter than json5.org in three points: the text is UTF-8, a name may stand in an object only once, and a lone
/// surrogate escape is refused. Nesting is limited to 32.
struct JSON5Reader {
    static let maximumDepth = 32

    /// The tree of `bytes`. A doubled name is an error.
    static func read(_ bytes: [UInt8]) throws(JSON5Error) -> JSON5Node {
        var doubled: [JSON5Error] = []
        let node = try read(bytes, doubled: &doubled)
        if let first = doubled.first { throw first }
        return node
    }

    /// The tree of `bytes`, of doubled names the first. The others are reported in `doubled`, so that a person can be
    /// told about all of them at once.
    static func read(_ bytes: [UInt8], doubled: inout [JSON5Error]) throws(JSON5Error) -> JSON5Node {
        var reader = try JSON5Reader(bytes)
        let node = try reader.readText()
        doubled = reader.doubled
        return node
    }

    var scalars: [Unicode.Scalar]
    var position = 0
    var line = 1
    private var path: [String] = []
    private var doubled: [JSON5Error] = []

    private init(_ bytes: [UInt8]) throws(JSON5Error) {
        scalars = []
        scalars.reserveCapacity(bytes.count)
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var lines = 1
        decoding: while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar):
                scalars.append(scalar)
                if scalar == "\n" { lines += 1 }
            case .emptyInput:
                break decoding
            case .error:
                throw JSON5Error(line: lines, message: "the text is not UTF-8")
            }
        }
    }

    // MARK: Values

    private mutating func readText() throws(JSON5Error) -> JSON5Node {
        try skipSpace()
        let node = try readValue(depth: 0)
        try skipSpace()
        guard position == scalars.count else {
            throw error("expected the end of the text instead of \(found)")
        }
        return node
    }

    private mutating func readValue(depth: Int) throws(JSON5Error) -> JSON5Node {
        let start = line
        guard let scalar = peek else { throw error("expected a value instead of the end of the text") }
        switch scalar {
        case "{":
            return JSON5Node(line: start, value: .object(try readMembers(depth: depth + 1)))
        case "[":
            return JSON5Node(line: start, value: .array(try readElements(depth: depth + 1)))
        case "\"", "'":
            return JSON5Node(line: start, value: .string(try readString()))
        case "0"..."9", "+", "-", ".":
            return JSON5Node(line: start, value: .number(try readNumber()))
        default:
            return JSON5Node(line: start, value: try readWord())
        }
    }

    private mutating func readWord() throws(JSON5Error) -> JSON5Node.Value {
        guard let scalar = peek, Self.beginsName(scalar) else {
            throw error("expected a value instead of \(found)")
        }
        let word = try readName()
        switch word {
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "Infinity", "NaN": return .number(JSONNumber(text: word))
        default: throw error("\(word) is not a value; a text needs quotes")
        }
    }

    private mutating func readElements(depth: Int) throws(JSON5Error) -> [JSON5Node] {
        try checkDepth(depth)
        let start = line
        advance()
        var elements: [JSON5Node] = []
        while true {
            try skipSpace()
            if take("]") { return elements }
            if peek == nil { throw error("the list that begins on line \(start) is not closed") }
            elements.append(try readValue(depth: depth))
            try skipSpace()
            if take("]") { return elements }
            guard take(",") else { throw error("expected a comma or ] instead of \(found)") }
        }
    }

    private mutating func readMembers(depth: Int) throws(JSON5Error) -> [JSON5Node.Member] {
        try checkDepth(depth)
        let start = line
        advance()
        var members: [JSON5Node.Member] = []
        var lines: [String: Int] = [:]
        while true {
            try skipSpace()
            if take("}") { return members }
            if peek == nil { throw error("the object that begins on line \(start) is not closed") }
            let nameLine = line
            let name = try readMemberName()
            try skipSpace()
            guard take(":") else { throw error("expected a colon after \(name) instead of \(found)") }
            try skipSpace()
            path.append(name)
            let value = try readValue(depth: depth)
            if let first = lines[name] {
                doubled.append(
                    JSON5Error(
                        line: nameLine, key: Self.dotted(path),
                        message: "the key is given twice, first on line \(first); remove one of the two"))
            } else {
                lines[name] = nameLine
                members.append(JSON5Node.Member(name: name, line: nameLine, value: value))
            }
            path.removeLast()
            try skipSpace()
            if take("}") { return members }
            guard take(",") else { throw error("expected a comma or } instead of \(found)") }
        }
    }

    private mutating func readMemberName() throws(JSON5Error) -> String {
        switch peek {
        case "\"", "'":
            return try readString()
        case .some(let scalar) where Self.beginsName(scalar):
            return try readName()
        default:
            throw error("expected a key instead of \(found)")
        }
    }

    private func checkDepth(_ depth: Int) throws(JSON5Error) {
        guard depth <= Self.maximumDepth else {
            throw error("the text is nested deeper than \(Self.maximumDepth) levels")
        }
    }

    // MARK: Scalars

    var peek: Unicode.Scalar? {
        position < scalars.count ? scalars[position] : nil
    }

    func peek(after distance: Int) -> Unicode.Scalar? {
        position + distance < scalars.count ? scalars[position + distance] : nil
    }

    /// Steps over one scalar and counts lines: LF, CR LF and a lone CR end one.
    mutating func advance() {
        let scalar = scalars[position]
        position += 1
        if scalar == "\n" || (scalar == "\r" && peek != "\n") { line += 1 }
    }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        advance()
        return true
    }

    /// The present scalar as it is named in a message.
    var found: String {
        guard let scalar = peek else { return "the end of the text" }
        return scalar.properties.generalCategory == .control ? "a control character" : "\u{201C}\(scalar)\u{201D}"
    }

    func error(_ message: String) -> JSON5Error {
        JSON5Error(line: line, key: path.isEmpty ? nil : Self.dotted(path), message: message)
    }

    /// `path` joined by dots; a name that is more than letters, digits, `_` and `-` stands in quotes.
    static func dotted(_ path: [String]) -> String {
        path.map { name in
            let plain = name.utf8.allSatisfy {
                ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == ASCII.underscore || $0 == ASCII.minus
            }
            return plain && !name.isEmpty ? name : "\"\(name)\""
        }.joined(separator: ".")
    }
}
