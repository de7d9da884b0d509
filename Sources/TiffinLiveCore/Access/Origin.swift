/// A web origin (RFC 6454): scheme, host and port, compared after lower-casing and with the default port filled in. Read
/// strictly from what a browser writes into the `Origin` field; anything else (`null`, a path, a user, an escape, a dot at
/// the end, two origins) is no origin, so that no look-alike is ever repaired into one that is listed.
struct Origin: Hashable, Sendable {
    static let maximumBytes = 300

    private let isSecure: Bool
    /// In lower case; an IPv6 address with its brackets.
    private let host: [UInt8]
    private let port: UInt16

    init?(_ text: String) {
        var text = text
        guard let origin = text.withUTF8({ Origin(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = origin
    }

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= Self.maximumBytes, let colon = bytes.firstIndex(of: ASCII.colon),
            bytes.count > colon + 3, bytes[colon + 1] == ASCII.slash, bytes[colon + 2] == ASCII.slash
        else { return nil }
        let scheme = UnsafeRawBufferPointer(rebasing: bytes[..<colon])
        switch (FieldList.equals(scheme, "https"), FieldList.equals(scheme, "http")) {
        case (true, _): isSecure = true
        case (_, true): isSecure = false
        default: return nil
        }
        let authority = UnsafeRawBufferPointer(rebasing: bytes[(colon + 3)...])
        guard let hostLength = Self.hostLength(authority) else { return nil }
        host = authority[..<hostLength].map(ASCII.lowercased)
        if hostLength == authority.count {
            port = isSecure ? 443 : 80
        } else {
            guard authority[hostLength] == ASCII.colon, let port = Self.port(authority[(hostLength + 1)...]) else {
                return nil
            }
            self.port = port
        }
    }

    /// How much of the authority is a well-formed host; nil when it does not begin with one.
    private static func hostLength(_ authority: UnsafeRawBufferPointer) -> Int? {
        if authority.first == ASCII.leftBracket {
            guard let end = authority.firstIndex(of: ASCII.rightBracket), end > 1,
                authority[1..<end].allSatisfy({ ASCII.hexValue($0) != nil || $0 == ASCII.colon || $0 == ASCII.dot })
            else { return nil }
            return end + 1
        }
        var length = 0
        var labelStart = 0
        while length < authority.count, authority[length] != ASCII.colon {
            let byte = authority[length]
            if byte == ASCII.dot {
                guard length > labelStart else { return nil }
                labelStart = length + 1
            } else {
                guard ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == ASCII.minus || byte == ASCII.underscore
                else { return nil }
            }
            length += 1
        }
        // An empty label at the end is a dot there: another name to a browser.
        return length > labelStart ? length : nil
    }

    /// 1 to 65535, without the zeros in front that no browser writes.
    private static func port(_ digits: Slice<UnsafeRawBufferPointer>) -> UInt16? {
        guard let first = digits.first, first != ASCII.zero, digits.count <= 5,
            digits.allSatisfy(ASCII.isDigit)
        else { return nil }
        return UInt16(exactly: digits.reduce(0) { $0 * 10 + Int($1 - ASCII.zero) })
    }
}
