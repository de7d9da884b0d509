/// Writes events in the event stream format (HTML, "Server-sent events", §9.2.5), one block an event.
///
/// Whatever a publisher puts into an event, the client gets that and nothing more: line breaks of every kind cut the
/// data into `data` lines, which the client joins again with line feeds; from names and ids, where a line break cannot
/// be told, control bytes are dropped; NUL is dropped everywhere (browsers differ about it).
enum EventStreamEncoder {
    /// One event. A nil or empty `event` is the type `message`; a nil `id` leaves the client's position as it is.
    static func append(
        event: String?, id: UnsafeRawBufferPointer?, data: UnsafeRawBufferPointer, to buffer: ByteBuffer
    ) {
        if let id { append(field: "id", value: id, to: buffer) }
        if var event, !event.isEmpty {
            event.withUTF8 { append(field: "event", value: UnsafeRawBufferPointer($0), to: buffer) }
        }
        append(data: data, to: buffer)
        buffer.append(ASCII.lineFeed)
    }

    static func append(event: String?, id: String?, data: String, to buffer: ByteBuffer) {
        var data = data
        data.withUTF8 { data in
            guard var id else { return append(event: event, id: nil, data: UnsafeRawBufferPointer(data), to: buffer) }
            id.withUTF8 { id in
                append(
                    event: event, id: UnsafeRawBufferPointer(id), data: UnsafeRawBufferPointer(data), to: buffer)
            }
        }
    }

    /// The reconnection time as the first line of the block that follows: some clients take a block without data for an
    /// event.
    static func append(retryMilliseconds: Int, to buffer: ByteBuffer) {
        buffer.append("retry: ")
        buffer.append(decimal: max(retryMilliseconds, 0))
        buffer.append(ASCII.lineFeed)
    }

    /// A comment, which clients skip: the heartbeat. `comment` must be free of line breaks.
    static func append(comment: StaticString, to buffer: ByteBuffer) {
        buffer.append(": ")
        buffer.append(comment)
        buffer.append("\n\n")
    }

    private static func append(field name: StaticString, value: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        buffer.append(name)
        // The client drops one space after the colon, so that a value's own first space survives.
        buffer.append(": ")
        ControlScan.append(withoutControls: value, to: buffer)
        buffer.append(ASCII.lineFeed)
    }

    private static func append(data: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        buffer.append("data: ")
        var start = 0
        var position = 0
        while true {
            let stop = ControlScan.first(in: data, from: position)
            guard stop < data.count else { break }
            position = stop + 1
            let byte = data[stop]
            guard byte == ASCII.lineFeed || byte == ASCII.carriageReturn || byte == ASCII.null else { continue }
            buffer.append(UnsafeRawBufferPointer(rebasing: data[start..<stop]))
            if byte != ASCII.null {
                if byte == ASCII.carriageReturn, position < data.count, data[position] == ASCII.lineFeed {
                    position += 1
                }
                buffer.append("\ndata: ")
            }
            start = position
        }
        buffer.append(UnsafeRawBufferPointer(rebasing: data[start...]))
        buffer.append(ASCII.lineFeed)
    }
}
