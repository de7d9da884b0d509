/// Reads the values of RESP2 and RESP3 out of a stream that may be cut anywhere.
///
/// Incremental and linear: every byte is looked at once, and a value that has not come whole is kept as far as it has
/// come. Memory follows the bytes received; what is declared is only checked against the limits. After an error the
/// decoder gives nothing any more. Streamed strings and aggregates (`$?`) are refused: no server sends them.
struct RESPDecoder {
    private enum State {
        case line
        /// The data of a bulk string, error or verbatim string, by its type byte.
        case data(type: UInt8, length: Int)
        case failed(RESPError)
    }

    /// Longest line that holds a number, a length or a boolean. Redis prints doubles with 17 digits, at most 24 bytes.
    private static let shortLine = 64

    let limits: RESPLimits
    private var state = State.line
    /// Of a line or of data that has not come whole; with its CR when only the LF is missing.
    private var partial: [UInt8] = []
    private var stack: [RESPAggregate] = []
    /// Of the reply that is being read.
    private var elementCount = 0
    private var byteCount = 0

    init(limits: RESPLimits = RESPLimits()) {
        self.limits = limits
    }

    /// Whether a value has begun and not ended.
    var isInsideValue: Bool {
        if case .line = state { return !partial.isEmpty || !stack.isEmpty }
        return true
    }

    /// Takes one value off the front of `input`; nil when all of it is used and more is needed.
    mutating func next(_ input: inout UnsafeRawBufferPointer) throws(RESPError) -> RESPValue? {
        do throws(RESPError) {
            while !input.isEmpty {
                let value: RESPValue?
                switch state {
                case .failed(let error): throw error
                case .line: value = try takeLine(&input)
                case .data(let type, let length): value = try takeData(&input, type, length)
                }
                if let value, let whole = add(value) { return whole }
            }
            if case .failed(let error) = state { throw error }
            return nil
        } catch {
            state = .failed(error)
            partial = []
            stack = []
            throw error
        }
    }

    // MARK: - Lines

    private mutating func takeLine(_ input: inout UnsafeRawBufferPointer) throws(RESPError) -> RESPValue? {
        let type = partial.first ?? input[0]
        let limit = 1 + (try lineLimit(type))
        if partial.last == ASCII.carriageReturn {
            guard input[0] == ASCII.lineFeed else { throw .malformedLineEnd }
            drop(1, of: &input)
            partial.removeLast()
            let line = partial
            partial = []
            return try line.withUnsafeBufferPointer { (line) throws(RESPError) in
                try read(UnsafeRawBufferPointer(line))
            }
        }
        let end = min(input.count, limit + 1 - partial.count)
        var index = 0
        while index < end, input[index] != ASCII.carriageReturn, input[index] != ASCII.lineFeed { index += 1 }
        guard partial.count + index <= limit else { throw .lineTooLong }
        if index < input.count, input[index] == ASCII.lineFeed { throw .malformedLineEnd }
        if partial.isEmpty, index + 1 < input.count {
            // The usual case: the line is whole and nothing has to be copied.
            guard input[index + 1] == ASCII.lineFeed else { throw .malformedLineEnd }
            let line = UnsafeRawBufferPointer(rebasing: input[..<index])
            drop(index + 2, of: &input)
            return try read(line)
        }
        let taken = min(index + 1, input.count)
        partial.append(contentsOf: input[..<taken])
        drop(taken, of: &input)
        return nil
    }

    private func lineLimit(_ type: UInt8) throws(RESPError) -> Int {
        switch type {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "("): return limits.line
        case UInt8(ascii: ":"), UInt8(ascii: "$"), UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "#"),
            UInt8(ascii: ","), UInt8(ascii: "!"), UInt8(ascii: "="), UInt8(ascii: "%"), UInt8(ascii: "~"),
            UInt8(ascii: ">"), UInt8(ascii: "|"):
            return RESPDecoder.shortLine
        default: throw .unknownType(type)
        }
    }

    /// A whole line without its end: a value, or the head of one that follows.
    private mutating func read(_ line: UnsafeRawBufferPointer) throws(RESPError) -> RESPValue? {
        let text = UnsafeRawBufferPointer(rebasing: line.dropFirst())
        try count(bytes: line.count)
        switch line[0] {
        case UInt8(ascii: "+"): return .simpleString([UInt8](text))
        case UInt8(ascii: "-"): return .error(RedisErrorReply(text))
        case UInt8(ascii: ":"):
            guard let value = RESPNumber.integer(text) else { throw .malformedNumber }
            return .integer(value)
        case UInt8(ascii: ","):
            guard let value = RESPNumber.double(text) else { throw .malformedNumber }
            return .double(value)
        case UInt8(ascii: "("):
            guard RESPNumber.isBigNumber(text) else { throw .malformedNumber }
            return .bigNumber([UInt8](text))
        case UInt8(ascii: "#"):
            guard text.count == 1, text[0] == UInt8(ascii: "t") || text[0] == UInt8(ascii: "f") else {
                throw .malformedBoolean
            }
            return .boolean(text[0] == UInt8(ascii: "t"))
        case UInt8(ascii: "_"):
            guard text.isEmpty else { throw .malformedNull }
            return .null
        case UInt8(ascii: "*"): return try open(.array, text)
        case UInt8(ascii: "~"): return try open(.set, text)
        case UInt8(ascii: "%"): return try open(.map, text)
        case UInt8(ascii: "|"): return try open(.attribute, text)
        case UInt8(ascii: ">"):
            guard stack.isEmpty else { throw .misplacedPush }
            return try open(.push, text)
        default: return try openData(line[0], text)
        }
    }

    private mutating func open(_ kind: RESPAggregate.Kind, _ text: UnsafeRawBufferPointer) throws(RESPError)
        -> RESPValue?
    {
        guard let length = RESPNumber.length(text) else { throw .malformedLength }
        if length < 0 {
            guard case .array = kind else { throw .malformedLength }
            return .null
        }
        var remaining = length
        switch kind {
        case .map, .attribute:
            guard length <= limits.elements else { throw .tooManyElements }
            remaining = length * 2
        case .array, .set, .push: break
        }
        guard remaining <= limits.elements - elementCount else { throw .tooManyElements }
        guard stack.count < limits.depth else { throw .tooDeep }
        elementCount += remaining
        let aggregate = RESPAggregate(kind: kind, remaining: remaining)
        if remaining == 0 { return aggregate.value }
        stack.append(aggregate)
        return nil
    }

    // MARK: - Data

    private mutating func openData(_ type: UInt8, _ text: UnsafeRawBufferPointer) throws(RESPError) -> RESPValue? {
        guard let length = RESPNumber.length(text) else { throw .malformedLength }
        if length < 0 {
            guard type == UInt8(ascii: "$") else { throw .malformedLength }
            return .null
        }
        guard length <= limits.bulk else { throw .bulkTooLong }
        if type == UInt8(ascii: "="), length < 4 { throw .malformedVerbatimString }
        try count(bytes: length)
        state = .data(type: type, length: length)
        return nil
    }

    private mutating func takeData(
        _ input: inout UnsafeRawBufferPointer, _ type: UInt8, _ length: Int
    ) throws(RESPError) -> RESPValue? {
        if partial.count < length {
            let taken = min(length - partial.count, input.count)
            partial.append(contentsOf: input[..<taken])
            drop(taken, of: &input)
        }
        guard partial.count >= length, !input.isEmpty else { return nil }
        if partial.count == length {
            guard input[0] == ASCII.carriageReturn else { throw .malformedLineEnd }
            drop(1, of: &input)
            guard !input.isEmpty else {
                partial.append(ASCII.carriageReturn)
                return nil
            }
        } else {
            partial.removeLast()
        }
        guard input[0] == ASCII.lineFeed else { throw .malformedLineEnd }
        drop(1, of: &input)
        let data = partial
        partial = []
        state = .line
        switch type {
        case UInt8(ascii: "!"): return .error(data.withUnsafeBytes { RedisErrorReply($0) })
        case UInt8(ascii: "="):
            guard data[3] == ASCII.colon else { throw .malformedVerbatimString }
            return .verbatimString(format: Array(data[..<3]), Array(data[4...]))
        default: return .bulkString(data)
        }
    }

    // MARK: - Putting together

    /// Puts a value into the aggregate that waits for it. The whole reply once nothing waits any more.
    private mutating func add(_ value: RESPValue) -> RESPValue? {
        var value = value
        while !stack.isEmpty {
            let top = stack.count - 1
            stack[top].elements.append(value)
            stack[top].remaining -= 1
            guard stack[top].remaining == 0 else { return nil }
            let aggregate = stack.removeLast()
            // The value that an attribute belongs to comes behind it.
            guard let whole = aggregate.value else { return nil }
            value = whole
        }
        elementCount = 0
        byteCount = 0
        return value
    }

    private mutating func count(bytes: Int) throws(RESPError) {
        guard bytes <= limits.reply - byteCount else { throw .replyTooLarge }
        byteCount += bytes
    }

    private func drop(_ count: Int, of input: inout UnsafeRawBufferPointer) {
        input = UnsafeRawBufferPointer(rebasing: input.dropFirst(count))
    }
}
