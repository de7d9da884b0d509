/// Answers to publish requests that carried an `Idempotency-Key`, so that a publisher may repeat a request whose answer it
/// did not see: the same key and body get the old answer, the same key with another body is a conflict.
/// Bounded by count and age. The digest of the body is computed by the caller.
struct IdempotencyCache<Digest: Equatable> {
    enum Outcome: Equatable {
        /// Not seen: do it, then `store` the answer.
        case new
        /// Done before: answer this.
        case repeated(answer: [UInt8])
        /// Another body came with this key.
        case conflict
        /// The first request with this key has not been answered yet.
        case underway
    }

    private struct Entry {
        let digest: Digest
        var answer: [UInt8]?
        let began: Nanoseconds
    }

    /// Longer keys are for the caller to refuse.
    static var maximumKeyBytes: Int { 256 }

    private var entries = AgedTable<[UInt8], Entry>()
    private let capacity: Int
    private let lifetime: Nanoseconds

    init(capacity: Int = 10_000, lifetime: Nanoseconds = 24 * 3600 * .second) {
        self.capacity = max(capacity, 1)
        self.lifetime = lifetime
    }

    var count: Int { entries.count }

    /// Looks a request up; a new one is noted as under way. `now` is monotonic.
    mutating func begin(key: String, digest: Digest, now: Nanoseconds) -> Outcome {
        removeAged(now: now)
        let key = Array(key.utf8)
        if let entry = entries.value(for: key), !isAged(entry, now: now) {
            guard entry.digest == digest else { return .conflict }
            guard let answer = entry.answer else { return .underway }
            return .repeated(answer: answer)
        }
        if entries.count >= capacity, entries.value(for: key) == nil { entries.removeOldest() }
        entries.set(Entry(digest: digest, answer: nil, began: now), for: key)
        return .new
    }

    /// Keeps the answer of a request that `begin` called new.
    mutating func store(answer: [UInt8], key: String) {
        _ = entries.update(Array(key.utf8)) { $0.answer = answer }
    }

    /// The request failed: the next one with this key is new again.
    mutating func forget(key: String) {
        entries.remove(Array(key.utf8))
    }

    private func isAged(_ entry: Entry, now: Nanoseconds) -> Bool {
        now >= entry.began.clampedAdding(lifetime)
    }

    /// Two a request: more than can come in.
    private mutating func removeAged(now: Nanoseconds) {
        for _ in 0..<2 {
            guard let entry = entries.oldest?.value, isAged(entry, now: now) else { return }
            entries.removeOldest()
        }
    }
}
