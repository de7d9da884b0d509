/// The values of one cookie in the `Cookie` fields of a request (RFC 6265 section 4.2.1), as browsers send them: other
/// cookies beside it, several fields where a proxy split them, a value in quotation marks. Names are compared exactly.
///
/// A browser sends a cookie twice when it was set for two paths or domains, and in no order that a server could rely on.
enum CookieField {
    /// More copies than this that differ are no accident, and each could cost a signature.
    static let maximumValues = 4

    /// The different values, sorted, so that nothing depends on the order in which they were sent. Empty ones, left behind
    /// by a log-out, count for nothing. nil: too many.
    static func values(of name: String, in fields: HTTPFields) -> [[UInt8]]? {
        var values: [[UInt8]] = []
        fields.forEachValue(of: "cookie") { field in
            for pair in field.split(separator: ASCII.semicolon) {
                guard let value = value(of: name, in: pair), !values.contains(value), values.count <= maximumValues
                else { continue }
                values.append(value)
            }
        }
        guard values.count <= maximumValues else { return nil }
        return values.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static func value(of name: String, in pair: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
        let pair = FieldList.trimmed(UnsafeRawBufferPointer(rebasing: pair))
        guard let equals = pair.firstIndex(of: ASCII.equals) else { return nil }
        let sent = FieldList.trimmed(UnsafeRawBufferPointer(rebasing: pair[..<equals]))
        guard sent.elementsEqual(name.utf8) else { return nil }
        var value = FieldList.trimmed(UnsafeRawBufferPointer(rebasing: pair[(equals + 1)...]))
        if value.count >= 2, value.first == ASCII.quotationMark, value.last == ASCII.quotationMark {
            value = UnsafeRawBufferPointer(rebasing: value[1..<(value.count - 1)])
        }
        return value.isEmpty ? nil : Array(value)
    }
}
