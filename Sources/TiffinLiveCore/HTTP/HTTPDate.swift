/// An IMF-fixdate such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7), spelled out once. A loop makes one a
/// second and hands it to every response of that second.
struct HTTPDate: Equatable, Sendable {
    private let text: [UInt8]

    /// `wall`: nanoseconds since 1970-01-01T00:00:00Z; times before that are written as that.
    init(wall: Nanoseconds) {
        let seconds = max(wall, 0) / .second
        let days = seconds / 86_400
        let (year, month, day) = Self.date(days: days)
        let dayNames: StaticString = "ThuFriSatSunMonTueWed"
        let monthNames: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"
        var text: [UInt8] = []
        text.reserveCapacity(29)
        Self.append(name: Int(days % 7), of: dayNames, to: &text)
        text += [ASCII.comma, ASCII.space]
        Self.append(twoDigits: day, to: &text)
        text.append(ASCII.space)
        Self.append(name: month - 1, of: monthNames, to: &text)
        text.append(ASCII.space)
        Self.append(twoDigits: year / 100, to: &text)
        Self.append(twoDigits: year % 100, to: &text)
        text.append(ASCII.space)
        Self.append(twoDigits: Int(seconds / 3600 % 24), to: &text)
        text.append(ASCII.colon)
        Self.append(twoDigits: Int(seconds / 60 % 60), to: &text)
        text.append(ASCII.colon)
        Self.append(twoDigits: Int(seconds % 60), to: &text)
        text += " GMT".utf8
        self.text = text
    }

    func append(to buffer: ByteBuffer) {
        buffer.append(text)
    }

    /// The civil date of a day number, by eras of 400 years that begin on 1 March, so that the leap day comes last.
    private static func date(days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (Int(year), Int(month), Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1))
    }

    private static func append(twoDigits value: Int, to text: inout [UInt8]) {
        text.append(ASCII.zero + UInt8(truncatingIfNeeded: value / 10 % 10))
        text.append(ASCII.zero + UInt8(truncatingIfNeeded: value % 10))
    }

    private static func append(name index: Int, of names: StaticString, to text: inout [UInt8]) {
        text += UnsafeBufferPointer(start: names.utf8Start + index * 3, count: 3)
    }
}
