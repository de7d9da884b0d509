/// Reads a request head line by line as its bytes come in (RFC 9112 §2.2, §3, §5), each byte once.
///
/// The bytes stay with the caller, who shows the whole head so far at every call; what is kept here is how far it has
/// been judged. Refused at the first byte that no request could have, not at the end of the head: a TLS hello on a
/// plain port should not have to wait for a deadline.
struct RequestHeadScanner {
    /// Browsers send 20, gateways add some; hundreds are an attack on whoever has to search them.
    static let maximumFields = 256

    private(set) var line: RequestLine?
    private(set) var fieldLines: [HTTPFields.Line] = []
    private(set) var framing = FramingFields()
    private var hasSkippedEmptyLine = false
    /// All bytes before this one have been judged.
    private var position = 0
    private var lineStart = 0

    /// The length of the head once it is whole, else nil. `head` is everything so far, from the first byte on.
    mutating func scan(_ head: UnsafeRawBufferPointer) throws(HTTPError) -> Int? {
        if line == nil, lineStart < head.count { try checkFirstByte(head[lineStart]) }
        while true {
            let stop = ControlScan.first(in: head, from: position)
            guard stop < head.count else {
                position = stop
                return nil
            }
            switch head[stop] {
            case ASCII.carriageReturn:
                guard stop + 1 < head.count else {
                    position = stop
                    return nil
                }
                guard head[stop + 1] == ASCII.lineFeed else { throw .badRequest("a carriage return without line feed") }
                let start = lineStart
                position = stop + 2
                lineStart = position
                if start == stop {
                    if try endsHead() { return position }
                    if position < head.count { try checkFirstByte(head[position]) }
                } else if line == nil {
                    line = try RequestLine.read(UnsafeRawBufferPointer(rebasing: head[start..<stop]))
                } else {
                    try readField(head, start, stop)
                }
            case ASCII.tab where line != nil:
                position = stop + 1
            case ASCII.lineFeed:
                throw .badRequest("a line feed without carriage return")
            default:
                throw .badRequest("a control byte in the head")
            }
        }
    }

    /// Only a method, or the empty line that is forgiven, may begin a request.
    private func checkFirstByte(_ byte: UInt8) throws(HTTPError) {
        guard byte == ASCII.carriageReturn || ByteSet.token.contains(byte) else {
            throw .badRequest("a request that does not begin with a method")
        }
    }

    /// What an empty line means. RFC 9112 §2.2 asks to forgive one before the request line; more are a flood.
    private mutating func endsHead() throws(HTTPError) -> Bool {
        guard let line else {
            if hasSkippedEmptyLine { throw .badRequest("empty lines in place of a request") }
            hasSkippedEmptyLine = true
            return false
        }
        try framing.finish(line.version)
        return true
    }

    /// `field-name ":" OWS field-value OWS` (RFC 9112 §5): a name is a token right up to the colon, which rules out
    /// white space before it, folded lines, empty names and lines without a colon.
    private mutating func readField(_ head: UnsafeRawBufferPointer, _ start: Int, _ end: Int) throws(HTTPError) {
        let token = ByteSet.token
        var colon = start
        while colon < end, token.contains(head[colon]) { colon += 1 }
        guard colon > start, colon < end, head[colon] == ASCII.colon else {
            throw .badRequest("a malformed field line")
        }
        guard fieldLines.count < Self.maximumFields else { throw .tooManyFields }
        var valueStart = colon + 1
        var valueEnd = end
        while valueStart < valueEnd, FieldList.isWhiteSpace(head[valueStart]) { valueStart += 1 }
        while valueEnd > valueStart, FieldList.isWhiteSpace(head[valueEnd - 1]) { valueEnd -= 1 }
        if fieldLines.isEmpty { fieldLines.reserveCapacity(16) }
        fieldLines.append(
            HTTPFields.Line(
                nameStart: UInt32(truncatingIfNeeded: start), nameEnd: UInt32(truncatingIfNeeded: colon),
                valueStart: UInt32(truncatingIfNeeded: valueStart), valueEnd: UInt32(truncatingIfNeeded: valueEnd)))
        try framing.note(
            name: UnsafeRawBufferPointer(rebasing: head[start..<colon]),
            value: UnsafeRawBufferPointer(rebasing: head[valueStart..<valueEnd]))
    }
}
