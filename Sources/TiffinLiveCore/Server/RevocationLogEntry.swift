/// One entry of the log of revocations in Redis, a sorted set with the time as score (contract section 7.7).
struct RevocationLogEntry: Equatable {
    let message: [UInt8]
    /// When it was said, wall clock; later than any when the score is no time.
    let milliseconds: Int64

    var wall: Nanoseconds { milliseconds.clampedMultiplying(by: .millisecond) }

    /// The entries in a reply to ZRANGEBYSCORE WITHSCORES: pairs in RESP3, members and scores in turn in RESP2. nil when
    /// it is no such reply: an entry that cannot be read must not be skipped, since it may be the one that matters.
    static func page(_ reply: RESPValue) -> [RevocationLogEntry]? {
        guard case .array(let elements) = reply else { return nil }
        let isPaired = elements.allSatisfy { $0.elements?.count == 2 }
        let flat = isPaired ? elements.flatMap { $0.elements ?? [] } : elements
        guard flat.count.isMultiple(of: 2) else { return nil }
        var entries: [RevocationLogEntry] = []
        for index in stride(from: 0, to: flat.count, by: 2) {
            guard let message = flat[index].bytes, let score = number(flat[index + 1]) else { return nil }
            entries.append(RevocationLogEntry(message: message, milliseconds: Int64(exactly: score.rounded()) ?? .max))
        }
        return entries
    }

    private static func number(_ value: RESPValue) -> Double? {
        if case .double(let value) = value { return value }
        return value.bytes.flatMap { Double(String(decoding: $0, as: UTF8.self)) }
    }
}
