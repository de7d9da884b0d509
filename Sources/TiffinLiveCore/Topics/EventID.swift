/// The id of a kept event: `<milliseconds>-<sequence>`, as Redis streams number their entries. Ids of one topic only grow,
/// so an id is also a position: "everything up to and including this one has been seen".
///
/// The text form is strict and canonical (no sign, no leading zeros, both parts present), so that an id has one spelling.
struct EventID: Comparable, Hashable, Sendable {
    let milliseconds: UInt64
    let sequence: UInt64

    /// Two 20-digit numbers and the hyphen.
    static let maximumBytes = 41

    init(milliseconds: UInt64, sequence: UInt64) {
        self.milliseconds = milliseconds
        self.sequence = sequence
    }

    /// Reads exactly one id; nil for anything else, also for numbers that do not fit.
    init?(utf8 bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= Self.maximumBytes,
            let hyphen = bytes.firstIndex(of: ASCII.minus),
            let milliseconds = Self.number(in: bytes[..<hyphen]),
            let sequence = Self.number(in: bytes[(hyphen + 1)...])
        else { return nil }
        self.init(milliseconds: milliseconds, sequence: sequence)
    }

    init?(_ text: String) {
        var text = text
        guard let id = text.withUTF8({ EventID(utf8: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = id
    }

    static func < (left: EventID, right: EventID) -> Bool {
        left.milliseconds != right.milliseconds
            ? left.milliseconds < right.milliseconds : left.sequence < right.sequence
    }

    func append(to buffer: ByteBuffer) {
        buffer.append(decimal: milliseconds)
        buffer.append(ASCII.minus)
        buffer.append(decimal: sequence)
    }

    private static func number(in digits: Slice<UnsafeRawBufferPointer>) -> UInt64? {
        guard let first = digits.first, first != ASCII.zero || digits.count == 1 else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            guard ASCII.isDigit(digit) else { return nil }
            let (product, tooBig) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = product.addingReportingOverflow(UInt64(digit - ASCII.zero))
            guard !tooBig, !overflow else { return nil }
            value = sum
        }
        return value
    }
}

extension EventID: CustomStringConvertible {
    var description: String { "\(milliseconds)-\(sequence)" }
}
