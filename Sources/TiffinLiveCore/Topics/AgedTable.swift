/// A dictionary that knows the order in which its entries were last set, so that whoever must stay bounded can drop the
/// oldest in O(1). Entries are linked through one array; setting a key again makes it the newest.
struct AgedTable<Key: Hashable, Value> {
    fileprivate struct Slot {
        var entry: (key: Key, value: Value)?
        var older: Int
        var newer: Int
    }

    private var index: [Key: Int] = [:]
    private var slots: [Slot] = []
    private var free: [Int] = []
    private var oldestSlot = -1
    private var newestSlot = -1

    var count: Int { index.count }
    var isEmpty: Bool { index.isEmpty }

    /// The entry that was set longest ago.
    var oldest: (key: Key, value: Value)? { oldestSlot < 0 ? nil : slots[oldestSlot].entry }

    func value(for key: Key) -> Value? {
        guard let slot = index[key] else { return nil }
        return slots[slot].entry?.value
    }

    /// Changes a value in place and leaves its age as it is; nil when there is none.
    mutating func update<Result>(_ key: Key, _ change: (inout Value) -> Result) -> Result? {
        guard let slot = index[key] else { return nil }
        guard var entry = slots[slot].entry else { return nil }
        // Out of the slot for the change, so that an array in it is not copied.
        slots[slot].entry = nil
        let result = change(&entry.value)
        slots[slot].entry = entry
        return result
    }

    /// Changes every value in place.
    mutating func updateAll(_ change: (Key, inout Value) -> Void) {
        for slot in slots.indices {
            guard var entry = slots[slot].entry else { continue }
            slots[slot].entry = nil
            change(entry.key, &entry.value)
            slots[slot].entry = entry
        }
    }

    /// Sets a value and makes it the newest.
    mutating func set(_ value: Value, for key: Key) {
        if let slot = index[key] {
            slots[slot].entry = (key, value)
            unlink(slot)
            linkAsNewest(slot)
            return
        }
        let slot: Int
        if let reused = free.popLast() {
            slot = reused
            slots[slot].entry = (key, value)
        } else {
            slot = slots.count
            slots.append(Slot(entry: (key, value), older: -1, newer: -1))
        }
        index[key] = slot
        linkAsNewest(slot)
    }

    /// Makes an entry the newest.
    mutating func renew(_ key: Key) {
        guard let slot = index[key] else { return }
        unlink(slot)
        linkAsNewest(slot)
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let slot = index.removeValue(forKey: key) else { return nil }
        let value = slots[slot].entry?.value
        slots[slot].entry = nil
        unlink(slot)
        free.append(slot)
        return value
    }

    @discardableResult
    mutating func removeOldest() -> (key: Key, value: Value)? {
        guard let oldest else { return nil }
        remove(oldest.key)
        return oldest
    }

    mutating func removeAll() {
        self = AgedTable()
    }

    private mutating func unlink(_ slot: Int) {
        let (older, newer) = (slots[slot].older, slots[slot].newer)
        if older >= 0 { slots[older].newer = newer } else { oldestSlot = newer }
        if newer >= 0 { slots[newer].older = older } else { newestSlot = older }
    }

    private mutating func linkAsNewest(_ slot: Int) {
        slots[slot].older = newestSlot
        slots[slot].newer = -1
        if newestSlot >= 0 { slots[newestSlot].newer = slot } else { oldestSlot = slot }
        newestSlot = slot
    }
}

extension AgedTable: Sendable where Key: Sendable, Value: Sendable {}
extension AgedTable.Slot: Sendable where Key: Sendable, Value: Sendable {}
