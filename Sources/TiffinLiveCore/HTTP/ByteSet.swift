/// A set of ASCII bytes for the character classes of the grammars. Bytes from 0x80 on are never members.
struct ByteSet: Sendable {
    private let low: UInt64
    private let high: UInt64

    init(_ members: StaticString) {
        var low: UInt64 = 0
        var high: UInt64 = 0
        for byte in UnsafeBufferPointer(start: members.utf8Start, count: members.utf8CodeUnitCount) {
            if byte < 64 { low |= 1 << UInt64(byte) } else if byte < 128 { high |= 1 << UInt64(byte - 64) }
        }
        self.low = low
        self.high = high
    }

    func contains(_ byte: UInt8) -> Bool {
        let word = byte < 64 ? low : high
        return byte < 128 && (word &>> UInt64(byte & 63)) & 1 == 1
    }

    func containsAll(of bytes: UnsafeRawBufferPointer) -> Bool {
        for byte in bytes where !contains(byte) { return false }
        return true
    }

    /// `tchar` of RFC 9110 §5.6.2: what methods, field names and other tokens are made of.
    static let token = ByteSet(
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

    /// `pchar` of RFC 3986 §3.3 with the percent sign and the slash: what a path is made of.
    static let path = ByteSet(
        "/%-._~!$&'()*+,;=:@0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

    /// What a registered name may have here. RFC 3986 §3.2.2 also allows sub-delimiters and percent-encoding, which
    /// no resolvable host name has and which serve only to confuse the next reader of a `Host`.
    static let hostName = ByteSet(
        "-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}
