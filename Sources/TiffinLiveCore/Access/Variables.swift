/// What the variables of a pattern stand for: `{order}` of a path or a topic, `{sub}` and `{role}` of an identity.
///
/// A value is 1 to 128 letters, digits, `.`, `_` and `-`, and neither `.` nor `..` (contract section 3). That holds for
/// identities too: a `sub` of another shape, such as one with a colon in it, is a good user id, but it must never be
/// put into the name of a topic or a key, where it could name somebody else's.
struct Variables: Equatable, Sendable {
    static let maximumBytes = 128

    private var names: [String] = []
    private var values: [String] = []

    init() {}

    /// Whether `text` may stand for a variable.
    static func isValue(_ text: some StringProtocol) -> Bool {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= maximumBytes else { return false }
        var onlyDots = true
        for byte in bytes {
            guard isValueByte(byte) else { return false }
            if byte != ASCII.dot { onlyDots = false }
        }
        return !onlyDots || bytes.count > 2
    }

    static func isValueByte(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == ASCII.dot || byte == ASCII.underscore
            || byte == ASCII.minus
    }

    /// The value of a variable; nil when there is none, or none of the shape that may be expanded.
    subscript(name: String) -> String? {
        guard let index = names.firstIndex(of: name) else { return nil }
        return values[index]
    }

    /// Binds a variable when `value` has the shape; false and nothing bound when not.
    @discardableResult
    mutating func bind(_ name: String, to value: some StringProtocol) -> Bool {
        guard Self.isValue(value) else { return false }
        names.append(name)
        values.append(String(value))
        return true
    }

    /// These and `{sub}` and `{role}` of `identity`, as far as they have the shape.
    func with(_ identity: ClaimsSet) -> Variables {
        var all = self
        all.bind("sub", to: identity.user)
        all.bind("role", to: identity.role)
        return all
    }
}
