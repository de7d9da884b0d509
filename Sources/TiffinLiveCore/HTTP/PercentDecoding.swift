/// Percent-decoding (RFC 3986 §2.1), once and strictly. `+` is a plus.
enum PercentDecoding {
    /// The text of `bytes`, or nil when a percent sign is not followed by two hexadecimal digits or when the outcome
    /// is not UTF-8 (overlong forms included).
    static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.contains(ASCII.percent) else { return String(validUTF8: bytes) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            guard byte == ASCII.percent else {
                decoded.append(byte)
                index += 1
                continue
            }
            guard bytes.count - index > 2,
                let high = ASCII.hexValue(bytes[index + 1]), let low = ASCII.hexValue(bytes[index + 2])
            else { return nil }
            decoded.append(high << 4 | low)
            index += 3
        }
        return decoded.withUnsafeBytes { String(validUTF8: $0) }
    }
}
