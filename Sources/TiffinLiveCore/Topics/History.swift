/// The kept events of one topic: a ring of the newest ones, limited by count and age, that knows up to where it has
/// forgotten. Ids ascend; the broker sees to that.
struct History {
    private var ring: [Event?] = []
    private var head = 0
    private(set) var count = 0
    /// Everything up to and including this id may be missing; everything after it is here.
    private(set) var forgottenThrough: EventID

    /// - Parameter floor: Up to where events of the topic may have existed before this history began.
    init(floor: EventID) {
        forgottenThrough = floor
    }

    var isEmpty: Bool { count == 0 }

    var lastID: EventID? { count == 0 ? nil : ring[slot(count - 1)]?.id }

    /// Adds the newest event and drops what exceeds `keep`.
    mutating func append(_ event: Event, keep: Int) {
        while count >= max(keep, 1) { removeFirst() }
        if count == ring.count { grow(keep: max(keep, 1)) }
        ring[slot(count)] = event
        count += 1
    }

    /// Drops up to `steps` events that are older than `oldest` milliseconds; true when more are left to drop.
    @discardableResult
    mutating func removeEvents(before oldest: UInt64, steps: Int) -> Bool {
        for _ in 0..<max(steps, 0) {
            guard isAged(before: oldest) else { return false }
            removeFirst()
        }
        return isAged(before: oldest)
    }

    /// The events after `id`, or nil when some of them may be missing.
    func events(after id: EventID) -> [Event]? {
        guard id >= forgottenThrough else { return nil }
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if let candidate = ring[slot(middle)]?.id, candidate > id { high = middle } else { low = middle + 1 }
        }
        return (low..<count).compactMap { ring[slot($0)] }
    }

    private func isAged(before oldest: UInt64) -> Bool {
        guard count > 0, let id = ring[head]?.id else { return false }
        return id.milliseconds < oldest
    }

    private mutating func removeFirst() {
        guard count > 0 else { return }
        if let id = ring[head]?.id, id > forgottenThrough { forgottenThrough = id }
        ring[head] = nil
        head = head + 1 == ring.count ? 0 : head + 1
        count -= 1
    }

    private mutating func grow(keep: Int) {
        var grown: [Event?] = (0..<count).map { ring[slot($0)] }
        let capacity = min(max(4, count * 2), max(keep, count + 1))
        grown.append(contentsOf: repeatElement(nil, count: capacity - count))
        ring = grown
        head = 0
    }

    private func slot(_ offset: Int) -> Int {
        let index = head + offset
        return index >= ring.count ? index - ring.count : index
    }
}
