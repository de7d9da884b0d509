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
        let date = civilDate(day: second / 86400)
        let secondOfDay = second % 86400
        append(date.year, digits: 4, to: buffer)
        buffer.append(ASCII.minus)
        append(date.month, digits: 2, to: buffer)
        buffer.append(ASCII.minus)
        append(date.day, digits: 2, to: buffer)
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

    /// The Gregorian date of a day since 1970-01-01. Years are counted from March, so that the leap day is the last of
    /// its year, in eras of 400 years (146,097 days).
    private static func civilDate(day: UInt64) -> (year: UInt64, month: UInt64, day: UInt64) {
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
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
