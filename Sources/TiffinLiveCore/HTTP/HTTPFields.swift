/// The fields of a request head (RFC 9110 §5): the head's bytes, copied once, and where each name and value lies.
///
/// Text is made only of what is asked for. Names are matched without regard to case; values come without the white
/// space around them and may hold any byte from 0x80 on, but no control byte except the tab. What the values mean is
/// for the reader of each field.
package struct HTTPFields: Sendable {
    /// Offsets of one field line in the head.
    struct Line: Sendable {
        let nameStart: UInt32
        let nameEnd: UInt32
        let valueStart: UInt32
        let valueEnd: UInt32
    }

    private let head: [UInt8]
    private let lines: [Line]

    /// `lines` must lie inside `head`, as the scanner that made them guarantees.
    init(head: [UInt8], lines: [Line]) {
        self.head = head
        self.lines = lines
    }

    /// Fields made by hand, as tests need them.
    init(_ fields: [(name: String, value: String)] = []) {
        var head: [UInt8] = []
        var lines: [Line] = []
        for (name, value) in fields {
            let nameStart = UInt32(head.count)
            head += name.utf8
            let valueStart = UInt32(head.count)
            head += value.utf8
            lines.append(
                Line(
                    nameStart: nameStart, nameEnd: valueStart, valueStart: valueStart, valueEnd: UInt32(head.count)))
        }
        self.init(head: head, lines: lines)
    }

    /// How many field lines there are.
    var count: Int { lines.count }

    /// How many lines carry this name.
    func count(of name: StaticString) -> Int {
        var found = 0
        forEachValue(of: name) { _ in found += 1 }
        return found
    }

    func contains(_ name: StaticString) -> Bool {
        count(of: name) > 0
    }

    /// The value of the first line with this name; the view is valid inside `body` only.
    func withFirst<Answer>(_ name: StaticString, _ body: (UnsafeRawBufferPointer) -> Answer) -> Answer? {
        head.withUnsafeBytes { bytes in
            for line in lines where Self.matches(line, name, bytes) {
                return body(UnsafeRawBufferPointer(rebasing: bytes[Int(line.valueStart)..<Int(line.valueEnd)]))
            }
            return nil
        }
    }

    /// Every value with this name in the order sent; the views are valid inside `body` only.
    func forEachValue(of name: StaticString, _ body: (UnsafeRawBufferPointer) -> Void) {
        head.withUnsafeBytes { bytes in
            for line in lines where Self.matches(line, name, bytes) {
                body(UnsafeRawBufferPointer(rebasing: bytes[Int(line.valueStart)..<Int(line.valueEnd)]))
            }
        }
    }

    func first(_ name: StaticString) -> [UInt8]? {
        withFirst(name) { Array($0) }
    }

    /// The first value as text. Bytes that are not UTF-8 become U+FFFD.
    package func text(_ name: StaticString) -> String? {
        withFirst(name) { String(decoding: $0, as: UTF8.self) }
    }

    /// Every value as text. Bytes that are not UTF-8 become U+FFFD.
    func values(_ name: StaticString) -> [String] {
        var values: [String] = []
        forEachValue(of: name) { values.append(String(decoding: $0, as: UTF8.self)) }
        return values
    }

    /// Whether the comma-separated list (RFC 9110 §5.6.1) under this name has `token` as an element, in any case.
    /// Several lines are one list; empty elements count for nothing.
    func list(_ name: StaticString, contains token: StaticString) -> Bool {
        var found = false
        forEachValue(of: name) { value in
            FieldList.forEachElement(of: value) { element in
                if FieldList.equals(element, token) { found = true }
            }
        }
        return found
    }

    /// Every field as text, in the order sent, for tests and debugging.
    var all: [(name: String, value: String)] {
        lines.map { line in
            (
                name: String(decoding: head[Int(line.nameStart)..<Int(line.nameEnd)], as: UTF8.self),
                value: String(decoding: head[Int(line.valueStart)..<Int(line.valueEnd)], as: UTF8.self)
            )
        }
    }

    private static func matches(_ line: Line, _ name: StaticString, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard Int(line.nameEnd - line.nameStart) == name.utf8CodeUnitCount else { return false }
        return FieldList.equals(
            UnsafeRawBufferPointer(rebasing: bytes[Int(line.nameStart)..<Int(line.nameEnd)]), name)
    }
}
