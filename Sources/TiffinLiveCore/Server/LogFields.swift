/// Writes one log line (contract section 11) into a buffer: a JSON object with `at`, `level` and `event` first, then the
/// fields that the event adds. Field names are part of the program, values may come from anywhere: they are escaped and
/// cut, so that a line is always one JSON object on one line.
struct LogFields {
    /// Bytes of a text that are kept; a cut is marked by an ellipsis.
    static let longestText = 256
    /// Elements of a list that are kept.
    static let longestList = 32

    private let buffer: ByteBuffer

    /// Writes the beginning of the line.
    init(to buffer: ByteBuffer, level: LogLevel, event: LogEvent, wall: Nanoseconds) {
        self.buffer = buffer
        buffer.append("{\"at\":\"" as StaticString)
        LogTimestamp.append(wall: wall, to: buffer)
        buffer.append("\",\"level\":\"" as StaticString)
        buffer.append(level.name)
        buffer.append("\",\"event\":\"" as StaticString)
        buffer.append(event.rawValue)
        buffer.append(ASCII.quotationMark)
    }

    /// Writes the end of the line.
    func finish() {
        buffer.append("}\n" as StaticString)
    }

    /// Writes fields that were written before, with their leading comma.
    func add(encoded fields: [UInt8]) {
        buffer.append(fields)
    }

    // MARK: Fields

    /// A nil value adds no field.
    func add(_ name: StaticString, _ text: String?) {
        guard var text, begin(name) else { return }
        text.withUTF8 { append(text: UnsafeRawBufferPointer($0)) }
    }

    /// Bytes from outside, which need not be UTF-8.
    func add(_ name: StaticString, bytes: UnsafeRawBufferPointer) {
        guard begin(name) else { return }
        append(text: bytes)
    }

    func add(_ name: StaticString, _ number: some FixedWidthInteger) {
        guard begin(name) else { return }
        if number < 0 { buffer.append(ASCII.minus) }
        buffer.append(decimal: UInt64(clamping: number.magnitude))
    }

    func add(_ name: StaticString, _ flag: Bool) {
        guard begin(name) else { return }
        buffer.append(flag ? "true" : "false" as StaticString)
    }

    /// A span, in milliseconds with microseconds behind the point.
    func add(_ name: StaticString, milliseconds span: Nanoseconds) {
        guard begin(name) else { return }
        let microseconds = span.magnitude / 1000
        if span < 0, microseconds > 0 { buffer.append(ASCII.minus) }
        buffer.append(decimal: microseconds / 1000)
        buffer.append(ASCII.dot)
        let fraction = microseconds % 1000
        buffer.append(ASCII.zero + UInt8(truncatingIfNeeded: fraction / 100))
        buffer.append(ASCII.zero + UInt8(truncatingIfNeeded: fraction / 10 % 10))
        buffer.append(ASCII.zero + UInt8(truncatingIfNeeded: fraction % 10))
    }

    /// An instant, as in `at`.
    func add(_ name: StaticString, wall: Nanoseconds) {
        guard begin(name) else { return }
        buffer.append(ASCII.quotationMark)
        LogTimestamp.append(wall: wall, to: buffer)
        buffer.append(ASCII.quotationMark)
    }

    func add(_ name: StaticString, _ texts: [String]) {
        guard begin(name) else { return }
        buffer.append(ASCII.leftBracket)
        for (index, text) in texts.prefix(Self.longestList).enumerated() {
            if index > 0 { buffer.append(ASCII.comma) }
            var text = text
            text.withUTF8 { append(text: UnsafeRawBufferPointer($0)) }
        }
        if texts.count > Self.longestList { buffer.append(",\"…\"" as StaticString) }
        buffer.append(ASCII.rightBracket)
    }

    // MARK: Parts

    /// Writes the name; false for the fixed ones, which no field may override.
    private func begin(_ name: StaticString) -> Bool {
        switch name.description {
        case "at", "level", "event": return false
        default: break
        }
        buffer.append(",\"" as StaticString)
        buffer.append(name)
        buffer.append("\":" as StaticString)
        return true
    }

    private func append(text: UnsafeRawBufferPointer) {
        guard text.count > Self.longestText else {
            JSONWriter.append(string: text, to: buffer)
            return
        }
        var end = Self.longestText
        // Not within a character: its later bytes are 10xxxxxx.
        while end > Self.longestText - 3, text[end] & 0xC0 == 0x80 { end -= 1 }
        JSONWriter.append(string: UnsafeRawBufferPointer(rebasing: text[..<end]), to: buffer)
        buffer.truncate(to: buffer.count - 1)
        buffer.append("…\"" as StaticString)
    }
}
