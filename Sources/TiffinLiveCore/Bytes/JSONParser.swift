/// The nesting of JSON (RFC 8259 sections 2, 4 and 5) as a machine with its own stack: the native one does not grow
/// with the depth of the text. With or without building a tree it goes the same way, so both refuse the same texts.
struct JSONParser {
    /// What may come next.
    private enum Expectation {
        case value
        case valueOrEndOfArray
        case name
        case nameOrEndOfObject
        case commaOrEnd
        case endOfText
    }

    /// An array or object that is open.
    private struct Frame {
        let isObject: Bool
        /// Where its values begin in `tree`.
        let firstValue: Int
        /// Where its names begin in `names`.
        let firstName: Int
    }

    private let maximumDepth: Int
    private var scanner: JSONScanner
    private var frames: [Frame] = []
    private var names = JSONNameStack()
    private var tree: JSONTreeBuilder?

    /// `bytes` are UTF-8.
    init(_ bytes: UnsafeRawBufferPointer, maximumDepth: Int, buildsTree: Bool) {
        scanner = JSONScanner(bytes)
        self.maximumDepth = maximumDepth
        tree = buildsTree ? JSONTreeBuilder() : nil
    }

    /// The value of the text, once `run` has succeeded and a tree was asked for.
    mutating func takeRoot() -> JSONValue {
        tree?.takeRoot() ?? .null
    }

    /// Reads one value and sees that nothing follows it.
    mutating func run() throws(JSONError) {
        var expected = Expectation.value
        while true {
            guard let byte = scanner.nextByte() else {
                if expected == .endOfText { return }
                throw scanner.error(.unexpectedEnd)
            }
            switch expected {
            case .value:
                expected = try takeValue(byte)
            case .valueOrEndOfArray:
                expected = byte == ASCII.rightBracket ? try close() : try takeValue(byte)
            case .name:
                expected = try takeName(byte)
            case .nameOrEndOfObject:
                expected = byte == ASCII.rightBrace ? try close() : try takeName(byte)
            case .commaOrEnd:
                expected = try takeCommaOrEnd(byte)
            case .endOfText:
                throw scanner.error(.trailingBytes)
            }
        }
    }

    private var expectedAfterValue: Expectation { frames.isEmpty ? .endOfText : .commaOrEnd }

    private mutating func takeValue(_ byte: UInt8) throws(JSONError) -> Expectation {
        switch byte {
        case ASCII.leftBrace:
            return try open(isObject: true)
        case ASCII.leftBracket:
            return try open(isObject: false)
        case ASCII.quotationMark:
            let token = try scanner.takeString()
            if tree != nil { tree?.add(.string(scanner.text(token))) }
        case ASCII.minus, ASCII.zero...ASCII.nine:
            let range = try scanner.takeNumber()
            if tree != nil { tree?.add(.number(JSONNumber(text: scanner.text(range)))) }
        case UInt8(ascii: "t"):
            try scanner.take("true")
            tree?.add(.bool(true))
        case UInt8(ascii: "f"):
            try scanner.take("false")
            tree?.add(.bool(false))
        case UInt8(ascii: "n"):
            try scanner.take("null")
            tree?.add(.null)
        case 0xEF where scanner.isAtByteOrderMark:
            throw scanner.error(.byteOrderMark)
        default:
            throw scanner.error(.expectedValue)
        }
        return expectedAfterValue
    }

    private mutating func open(isObject: Bool) throws(JSONError) -> Expectation {
        guard frames.count < maximumDepth else { throw scanner.error(.tooDeep) }
        frames.append(Frame(isObject: isObject, firstValue: tree?.mark ?? 0, firstName: names.count))
        scanner.advance()
        return isObject ? .nameOrEndOfObject : .valueOrEndOfArray
    }

    /// Takes a name and the colon behind it.
    private mutating func takeName(_ byte: UInt8) throws(JSONError) -> Expectation {
        guard byte == ASCII.quotationMark else { throw scanner.error(.expectedName) }
        let token = try scanner.takeString()
        names.push(token, of: scanner)
        if tree != nil { tree?.add(name: scanner.text(token)) }
        guard let colon = scanner.nextByte() else { throw scanner.error(.unexpectedEnd) }
        guard colon == ASCII.colon else { throw scanner.error(.expectedColon) }
        scanner.advance()
        return .value
    }

    private mutating func takeCommaOrEnd(_ byte: UInt8) throws(JSONError) -> Expectation {
        let isObject = frames.last?.isObject ?? false
        switch byte {
        case ASCII.comma:
            scanner.advance()
            return isObject ? .name : .value
        case ASCII.rightBrace where isObject, ASCII.rightBracket where !isObject:
            return try close()
        default:
            throw scanner.error(isObject ? .expectedCommaOrBrace : .expectedCommaOrBracket)
        }
    }

    private mutating func close() throws(JSONError) -> Expectation {
        scanner.advance()
        guard let frame = frames.popLast() else { return .endOfText }
        if frame.isObject {
            if let position = names.pop(to: frame.firstName, text: scanner.bytes) {
                throw JSONError(offset: position, problem: .duplicateName)
            }
            tree?.closeObject(from: frame.firstValue)
        } else {
            tree?.closeArray(from: frame.firstValue)
        }
        return expectedAfterValue
    }
}
