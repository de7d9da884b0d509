/// An IMF-fixdate such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7), spelled out once. A loop makes one a
/// second and hands it to every response of that second.
struct HTTPDate: Equatable, Sendable {
    private let text: [UInt8]

    /// `wall`: nanoseconds since 1970-01-01T00:00:00Z; times before that are written as that.
    init(wall: Nanoseconds) {
        let seconds = max(wall, 0) / .second
        let days = seconds / 86_400
        let date = CivilDate(day: days)
        let dayNames: StaticString = "ThuFriSatSunMonTueWed"
        let monthNames: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"
        var text: [UInt8] = []
        text.reserveCapacity(29)
        Self.append(name: Int(days % 7), of: dayNames, to: &text)
        text += [ASCII.comma, ASCII.space]
        Self.append(twoDigits: date.day, to: &text)
        text.append(ASCII.space)
        Self.append(name: date.month - 1, of: monthNames, to: &text)
        text.append(ASCII.space)
        Self.append(twoDigits: date.year / 100, to: &text)
        Self.append(twoDigits: date.year % 100, to: &text)
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

    private static func append(twoDigits value: Int, to text: inout [UInt8]) {
        text.append(ASCII.zero + UInt8(truncatingIfNeeded: value / 10 % 10))
        text.append(ASCII.zero + UInt8(truncatingIfNeeded: value % 10))
    }

    private static func append(name index: Int, of names: StaticString, to text: inout [UInt8]) {
        text += UnsafeBufferPointer(start: names.utf8Start + index * 3, count: 3)
    }
}
