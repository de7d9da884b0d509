/// The trace that a request is part of, by its field `traceparent` (W3C Trace Context, sections 3.2 and 4.3). It goes into
/// logs, so that they can be found from a trace; nothing else depends on it. A class, because few connections have one: the
/// others keep an empty reference.
final class TraceContext: Sendable, Equatable {
    /// The version `00`: four hexadecimal numbers with three dashes between them.
    private static let length = 55

    private let traceHigh: UInt64
    private let traceLow: UInt64
    private let parent: UInt64

    /// Nil for whatever breaks a rule: the trace is then taken to be none, and the request is served as ever.
    init?(_ value: UnsafeRawBufferPointer) {
        guard value.count >= Self.length, value[2] == ASCII.minus, value[35] == ASCII.minus, value[52] == ASCII.minus,
            let version = Self.number(value[0..<2]), version != 0xFF,
            let high = Self.number(value[3..<19]), let low = Self.number(value[19..<35]), high != 0 || low != 0,
            let parent = Self.number(value[36..<52]), parent != 0, Self.number(value[53..<55]) != nil
        else { return nil }
        if value.count > Self.length {
            // Later versions may say more, after another dash.
            guard version > 0, value[Self.length] == ASCII.minus else { return nil }
        }
        traceHigh = high
        traceLow = low
        self.parent = parent
    }

    /// The one `traceparent` of a request; two are none.
    static func read(_ fields: HTTPFields) -> TraceContext? {
        guard fields.count(of: "traceparent") == 1 else { return nil }
        return fields.withFirst("traceparent") { TraceContext($0) } ?? nil
    }

    /// 32 hexadecimal digits.
    var traceID: String { Self.text(traceHigh) + Self.text(traceLow) }
    /// 16 hexadecimal digits: the span of whoever sent the request.
    var parentID: String { Self.text(parent) }

    static func == (left: TraceContext, right: TraceContext) -> Bool {
        left.traceHigh == right.traceHigh && left.traceLow == right.traceLow && left.parent == right.parent
    }

    /// At most 16 digits, in lower case only.
    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> UInt64? {
        var number: UInt64 = 0
        for byte in digits {
            guard let digit = ASCII.hexValue(byte), ASCII.lowercased(byte) == byte else { return nil }
            number = number << 4 | UInt64(digit)
        }
        return number
    }

    private static func text(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
