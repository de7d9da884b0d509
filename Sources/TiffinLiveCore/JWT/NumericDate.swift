/// NumericDate (RFC 7519 §2): seconds since 1970-01-01T00:00:00Z, whole or with a fraction.
enum NumericDate {
    /// The instant in nanoseconds, rounded down; what lies past the range is the end of the range. nil for anything
    /// but a finite number of zero or more: text, bool, null, negative, too great for a double.
    static func nanoseconds(_ value: JSONValue) -> Nanoseconds? {
        guard let number = value.numberValue else { return nil }
        if let seconds = number.int64 {
            guard seconds >= 0 else { return nil }
            let (product, overflow) = seconds.multipliedReportingOverflow(by: .second)
            return overflow ? .max : product
        }
        let seconds = number.double
        guard seconds.isFinite, seconds >= 0 else { return nil }
        guard seconds < 9_000_000_000 else { return .max }
        // Both conversions drop the fraction, which for numbers of zero and more is rounding down.
        let whole = Nanoseconds(seconds)
        return whole * .second + Nanoseconds((seconds - Double(whole)) * 1_000_000_000)
    }
}
