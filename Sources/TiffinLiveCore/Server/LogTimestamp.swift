/// The instant of a log line: RFC 3339, UTC, milliseconds, as in `2025-11-24T15:06:40.000Z`.
enum LogTimestamp {
    /// Appends `wall`, nanoseconds since 1970. Instants before are moved to it.
    static func text(wall: Nanoseconds) -> String {
        let buffer = ByteBuffer(capacity: 32)
        append(wall: wall, to: buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    static func append(wall: Nanoseconds, to buffer: ByteBuffer) {
        let milliseconds = UInt64(max(wall, 0)) / 1_000_000
        let second = milliseconds / 1000
        let date = CivilDate(day: Int64(second / 86400))
        let secondOfDay = second % 86400
        append(UInt64(date.year), digits: 4, to: buffer)
        buffer.append(ASCII.minus)
        append(UInt64(date.month), digits: 2, to: buffer)
        buffer.append(ASCII.minus)
        append(UInt64(date.day), digits: 2, to: buffer)
        buffer.append(UInt8(ascii: "T"))
        append(secondOfDay / 3600, digits: 2, to: buffer)
        buffer.append(ASCII.colon)
        append(secondOfDay / 60 % 60, digits: 2, to: buffer)
        buffer.append(ASCII.colon)
        append(secondOfDay % 60, digits: 2, to: buffer)
        buffer.append(ASCII.dot)
        append(milliseconds % 1000, digits: 3, to: buffer)
        buffer.append(UInt8(ascii: "Z"))
    }

    private static func append(_ value: UInt64, digits: Int, to buffer: ByteBuffer) {
        var divisor: UInt64 = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            buffer.append(ASCII.zero + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }
}
