/// A bounded table from the digest of a token to what is known about it. Eight-way associative: a look-up and an
/// insert touch eight slots and never more, and the table neither grows nor moves.
///
/// Only SHA-256 digests are keys, so their bits can be taken as they are: whoever grinds tokens into one set can drive
/// out seven neighbours, nothing else.
struct TokenCache<Value: Sendable>: Sendable {
    private struct Slot: Sendable {
        var digest = SHA256Digest(word0: 0, word1: 0, word2: 0, word3: 0)
        /// Wall clock: from then on the entry is dead weight.
        var until: Nanoseconds = .min
        var value: Value?
    }

    private static var ways: Int { 8 }

    /// Entries that fit: the asked capacity rounded down to a power of two, but at least one set; 0 caches nothing.
    let capacity: Int
    private(set) var count = 0
    /// Made at the first insert.
    private var slots: ContiguousArray<Slot> = []
    private var nextVictim = 0

    init(capacity: Int) {
        guard capacity > 0 else {
            self.capacity = 0
            return
        }
        var sets = 1
        // 2^24 entries are 800 MB; nobody means more.
        while sets * 2 * Self.ways <= min(capacity, 1 << 24) { sets *= 2 }
        self.capacity = sets * Self.ways
    }

    subscript(digest: SHA256Digest) -> Value? {
        guard let index = index(of: digest) else { return nil }
        return slots[index].value
    }

    /// The value unless it is outlived.
    func value(for digest: SHA256Digest, wall: Nanoseconds) -> Value? {
        guard let index = index(of: digest), wall < slots[index].until else { return nil }
        return slots[index].value
    }

    /// Remembers `value`, in place of what the digest had before, else of a free or outlived slot of its set, else of
    /// each of the set in turn.
    mutating func insert(_ value: Value, for digest: SHA256Digest, until: Nanoseconds, wall: Nanoseconds) {
        guard capacity > 0, until > wall else { return }
        if slots.isEmpty { slots = ContiguousArray(repeating: Slot(), count: capacity) }
        let target = index(of: digest) ?? freeIndex(for: digest, wall: wall)
        if slots[target].value == nil { count += 1 }
        slots[target] = Slot(digest: digest, until: until, value: value)
    }

    mutating func remove(_ digest: SHA256Digest) {
        guard let index = index(of: digest) else { return }
        slots[index] = Slot()
        count -= 1
    }

    private func firstIndex(for digest: SHA256Digest) -> Int {
        // Both are powers of two, so this is the digest modulo the number of sets.
        Int(truncatingIfNeeded: digest.word0) & (capacity - Self.ways)
    }

    private func index(of digest: SHA256Digest) -> Int? {
        guard !slots.isEmpty else { return nil }
        let first = firstIndex(for: digest)
        for index in first..<(first + Self.ways) where slots[index].value != nil && slots[index].digest == digest {
            return index
        }
        return nil
    }

    private mutating func freeIndex(for digest: SHA256Digest, wall: Nanoseconds) -> Int {
        let first = firstIndex(for: digest)
        for index in first..<(first + Self.ways) where slots[index].value == nil || slots[index].until <= wall {
            return index
        }
        nextVictim = (nextVictim + 1) % Self.ways
        return first + nextVictim
    }
}
