/// Bytes as hexadecimal digits and back, for vectors as the standards print them.
enum HexText {
    /// The bytes of `text`; white space counts for nothing. Anything else that is no digit gives a wrong length, which
    /// no test passes with.
    static func bytes(_ text: String) -> [UInt8] {
        let digits = text.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    static func text(_ bytes: [UInt8]) -> String {
        bytes.map { (byte: UInt8) in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
