/// A JSON number as it was written (RFC 8259 section 6), so that no digit is lost on the way through: identifiers
/// beyond 2^53 and amounts like `0.10` come out as they came in.
///
/// Two numbers are equal when their texts are. The text may be of any length; computing with it never traps.
package struct JSONNumber: Equatable, Sendable {
    /// In the grammar of RFC 8259; whoever makes a number by hand answers for that, because it is written as it is.
    package let text: String

    package init(text: String) {
        self.text = text
    }

    package init(_ value: some BinaryInteger) {
        text = String(value)
    }

    /// The shortest text that gives `value` again; nil for infinities and NaN, which JSON cannot write.
    package init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    /// The nearest double: an infinity when the number is too large, zero when it is too small. NaN for a text that
    /// is no number, so that every comparison with it is false.
    package var double: Double { Double(text) ?? .nan }

    /// The value when it is written as a plain integer in range: neither `1.0` nor `1e3`.
    package var int64: Int64? { Int64(text) }
}
