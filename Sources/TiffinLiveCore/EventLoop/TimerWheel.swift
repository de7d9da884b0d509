/// A hashed timing wheel (Varghese and Lauck, scheme 6): one deadline for each index, linked through the entries
/// themselves, so that arming and disarming are O(1) and allocate nothing.
///
/// A tick is 2^22 ns (4.2 ms). A deadline is rounded up to a tick: it never fires early, and at most a tick late.
/// A rotation is 34 s; an entry further away stays in its bucket and is looked at once a rotation. Moving a deadline
/// later only stores it: the entry finds its bucket when the old one comes round. Reads no clock and calls nobody:
/// `advance` gathers what is due, `popExpired` hands it out.
struct TimerWheel: ~Copyable {
    static let tickShift: Nanoseconds = 22
    static let bucketCount = 8192
    private static let none = UInt32.max
    /// Pseudo bucket: due, not handed out yet.
    private static let expired = UInt16(bucketCount)
    private static let disarmed = UInt16.max

    /// `next` ends with `none`; `previous` of the first entry is the last one, so that a list needs no tail.
    private struct Entry {
        var deadline: Nanoseconds = .max
        var next = TimerWheel.none
        var previous = TimerWheel.none
        var bucket = TimerWheel.disarmed
    }

    private var entries: UnsafeMutablePointer<Entry>
    private var capacity = 0
    private let heads: UnsafeMutablePointer<UInt32>
    /// A bit for each bucket that is not empty.
    private let occupied: UnsafeMutablePointer<UInt64>
    private var currentTick: Int64
    /// Entries that are due and were not handed out yet.
    private(set) var expiredCount = 0
    private(set) var armedCount = 0

    init(now: Nanoseconds) {
        entries = .allocate(capacity: 0)
        heads = .allocate(capacity: TimerWheel.bucketCount + 1)
        heads.initialize(repeating: TimerWheel.none, count: TimerWheel.bucketCount + 1)
        occupied = .allocate(capacity: TimerWheel.bucketCount / 64)
        occupied.initialize(repeating: 0, count: TimerWheel.bucketCount / 64)
        currentTick = now >> TimerWheel.tickShift
    }

    deinit {
        entries.deallocate()
        heads.deallocate()
        occupied.deallocate()
    }

    /// Makes room for the indices below `newCapacity`.
    mutating func reserve(_ newCapacity: Int) {
        guard newCapacity > capacity else { return }
        let grown = UnsafeMutablePointer<Entry>.allocate(capacity: newCapacity)
        grown.moveInitialize(from: entries, count: capacity)
        (grown + capacity).initialize(repeating: Entry(), count: newCapacity - capacity)
        entries.deallocate()
        entries = grown
        capacity = newCapacity
    }

    /// Sets the deadline of `index`, whether or not it has one.
    mutating func arm(_ index: UInt32, at deadline: Nanoseconds) {
        precondition(index < capacity)
        let entry = entries + Int(index)
        let bucket = entry.pointee.bucket
        if bucket < TimerWheel.expired, deadline >= entry.pointee.deadline {
            entry.pointee.deadline = deadline
            return
        }
        if bucket != TimerWheel.disarmed { unlink(index) } else { armedCount += 1 }
        entry.pointee.deadline = deadline
        link(index, to: self.bucket(for: deadline))
    }

    mutating func disarm(_ index: UInt32) {
        precondition(index < capacity)
        guard entries[Int(index)].bucket != TimerWheel.disarmed else { return }
        unlink(index)
        entries[Int(index)].bucket = TimerWheel.disarmed
        armedCount -= 1
    }

    func isArmed(_ index: UInt32) -> Bool {
        index < capacity && entries[Int(index)].bucket != TimerWheel.disarmed
    }

    /// Gathers every entry whose deadline has passed at `now`. A clock that goes back changes nothing.
    mutating func advance(to now: Nanoseconds) {
        let newTick = now >> TimerWheel.tickShift
        guard newTick > currentTick else { return }
        let firstTick = currentTick + 1
        currentTick = newTick
        var remaining = min(newTick - firstTick + 1, Int64(TimerWheel.bucketCount))
        var tick = newTick - remaining + 1
        while remaining > 0, let distance = distanceToOccupied(from: tick, limit: remaining) {
            tick += distance
            visit(TimerWheel.bucket(ofTick: tick))
            tick += 1
            remaining -= distance + 1
        }
    }

    /// The next entry that is due, disarmed; in the order of ticks, within a tick in the order of linking.
    mutating func popExpired() -> UInt32? {
        let index = heads[Int(TimerWheel.expired)]
        guard index != TimerWheel.none else { return nil }
        disarm(index)
        return index
    }

    /// A moment before which `advance` has nothing to do: at or before the earliest deadline's tick. `.min` when
    /// entries are due already, `.max` when nothing is armed. Looks no further than `horizon` from now.
    func nextExpiry(horizon: Nanoseconds = .max) -> Nanoseconds {
        if expiredCount > 0 { return .min }
        let limit = min(max(horizon >> TimerWheel.tickShift, 0) + 1, Int64(TimerWheel.bucketCount))
        guard let distance = distanceToOccupied(from: currentTick + 1, limit: limit) else { return .max }
        return (currentTick + 1 + distance) << TimerWheel.tickShift
    }

    // MARK: - Buckets

    /// The first tick at whose beginning `deadline` has passed.
    private static func tick(for deadline: Nanoseconds) -> Int64 {
        let whole = deadline >> tickShift
        return whole << tickShift == deadline ? whole : whole + 1
    }

    private static func bucket(ofTick tick: Int64) -> UInt16 {
        UInt16(truncatingIfNeeded: tick & Int64(bucketCount - 1))
    }

    private func bucket(for deadline: Nanoseconds) -> UInt16 {
        let tick = TimerWheel.tick(for: deadline)
        return tick <= currentTick ? TimerWheel.expired : TimerWheel.bucket(ofTick: tick)
    }

    /// Moves every entry of a bucket that came round to where it belongs now: the due list, or the bucket of a
    /// deadline that was moved later.
    private mutating func visit(_ bucket: UInt16) {
        var index = heads[Int(bucket)]
        while index != TimerWheel.none {
            let next = entries[Int(index)].next
            let target = self.bucket(for: entries[Int(index)].deadline)
            if target != bucket {
                unlink(index)
                link(index, to: target)
            }
            index = next
        }
    }

    /// How many ticks after `tick` the first one with a bucket in use comes, if less than `limit`.
    private func distanceToOccupied(from tick: Int64, limit: Int64) -> Int64? {
        var distance: Int64 = 0
        while distance < limit {
            let bucket = Int(TimerWheel.bucket(ofTick: tick + distance))
            let word = occupied[bucket >> 6] >> UInt64(bucket & 63)
            if word != 0 {
                distance += Int64(word.trailingZeroBitCount)
                return distance < limit ? distance : nil
            }
            distance += Int64(64 - (bucket & 63))
        }
        return nil
    }

    // MARK: - Lists

    private mutating func link(_ index: UInt32, to bucket: UInt16) {
        let entry = entries + Int(index)
        entry.pointee.bucket = bucket
        entry.pointee.next = TimerWheel.none
        let head = heads[Int(bucket)]
        if head == TimerWheel.none {
            entry.pointee.previous = index
            heads[Int(bucket)] = index
            if bucket < TimerWheel.expired { occupied[Int(bucket) >> 6] |= 1 << UInt64(bucket & 63) }
        } else {
            let last = entries[Int(head)].previous
            entry.pointee.previous = last
            entries[Int(last)].next = index
            entries[Int(head)].previous = index
        }
        if bucket == TimerWheel.expired { expiredCount += 1 }
    }

    private mutating func unlink(_ index: UInt32) {
        let entry = entries[Int(index)]
        let bucket = Int(entry.bucket)
        if heads[bucket] == index {
            heads[bucket] = entry.next
            if entry.next != TimerWheel.none {
                entries[Int(entry.next)].previous = entry.previous
            } else if entry.bucket < TimerWheel.expired {
                occupied[bucket >> 6] &= ~(1 << UInt64(bucket & 63))
            }
        } else {
            entries[Int(entry.previous)].next = entry.next
            if entry.next != TimerWheel.none {
                entries[Int(entry.next)].previous = entry.previous
            } else {
                entries[Int(heads[bucket])].previous = entry.previous
            }
        }
        if entry.bucket == TimerWheel.expired { expiredCount -= 1 }
    }
}
