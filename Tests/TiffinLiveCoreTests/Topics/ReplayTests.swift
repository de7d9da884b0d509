import Testing

@testable import TiffinLiveCore

private func event(_ sequence: UInt64?, _ name: String = "e", bytes: Int = 1) -> Event {
    Event(
        topic: "a", id: sequence.map { EventID(milliseconds: 1, sequence: $0) }, name: name,
        data: Array(repeating: 0x78, count: bytes), isJSON: false)
}

private func id(_ sequence: UInt64) -> EventID { EventID(milliseconds: 1, sequence: sequence) }

extension Replay.Outcome {
    fileprivate var names: [String]? {
        guard case .deliver(let events) = self else { return nil }
        return events.map { $0.id.map { "\($0.sequence)" } ?? $0.name }
    }
}

@Suite("The seam between history and live")
struct ReplayTests {
    @Test("what the history carried is not given again, what is newer follows")
    func seam() {
        var replay = Replay(after: id(1))
        for sequence in 3...6 { replay.received(event(UInt64(sequence))) }
        #expect(replay.completed(replayed: [event(2), event(3), event(4)]).names == ["5", "6"])
    }

    @Test("events without an id keep their place")
    func idless() {
        var replay = Replay(after: id(1))
        replay.received(event(nil, "first"))
        replay.received(event(2))
        replay.received(event(nil, "second"))
        replay.received(event(3))
        replay.received(event(nil, "third"))
        #expect(replay.completed(replayed: [event(2)]).names == ["first", "second", "3", "third"])
    }

    @Test("what the client has seen already does not wait")
    func seen() {
        var replay = Replay(after: id(5), maximumEvents: 2)
        for sequence in 1...5 { #expect(replay.received(event(UInt64(sequence))) == true) }
        replay.received(event(6))
        #expect(replay.completed(replayed: []).names == ["6"])
    }

    @Test("the position of an empty history counts too")
    func position() {
        var replay = Replay(after: nil)
        for sequence in 1...4 { replay.received(event(UInt64(sequence))) }
        #expect(replay.completed(replayed: [], position: id(2)).names == ["3", "4"])
    }

    @Test("a live event that comes twice is given once")
    func doubled() {
        var replay = Replay(after: nil)
        for sequence in [1, 2, 2, 1, 3] { replay.received(event(UInt64(sequence))) }
        #expect(replay.completed(replayed: []).names == ["1", "2", "3"])
    }

    @Test("too many waiting events or bytes end in a reset, then in a new start", arguments: [true, false])
    func overflow(byCount: Bool) {
        var replay = Replay(after: nil, maximumEvents: byCount ? 2 : 100, maximumBytes: byCount ? 1000 : 20)
        #expect(replay.received(event(1, bytes: 10)) == true)
        #expect(replay.received(event(2, bytes: 10)) == true)
        #expect(replay.received(event(3, bytes: 10)) == false)
        #expect(replay.received(event(4, bytes: 0)) == false)
        #expect(replay.completed(replayed: [event(1)]).names == nil)
        replay.received(event(5))
        #expect(replay.completed(replayed: []).names == ["5"])
    }

    @Test("history and live cut anywhere join to every event once", arguments: 1...50)
    func joined(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let newest = Int.random(in: 1...40, using: &random)
        let after = Int.random(in: 0...newest, using: &random)
        // Attached first, history read later: the live ones start no later than the history ends.
        let historyEnd = Int.random(in: after...newest, using: &random)
        let liveStart = Int.random(in: 1...(historyEnd + 1), using: &random)
        var replay = Replay(after: id(UInt64(after)))
        for sequence in liveStart..<max(newest + 1, liveStart) { replay.received(event(UInt64(sequence))) }
        let history = (after..<historyEnd).map { event(UInt64($0 + 1)) }
        let tail = replay.completed(replayed: history).names ?? ["reset"]
        let all = history.compactMap { $0.id.map { "\($0.sequence)" } } + tail
        #expect(all == (after..<newest).map { "\($0 + 1)" })
    }
}

@Suite("Repeated publish requests")
struct IdempotencyCacheTests {
    @Test("the same request gets the old answer, another body is a conflict")
    func repeated() {
        var cache = IdempotencyCache<Int>()
        #expect(cache.begin(key: "k", digest: 1, now: 0) == .new)
        #expect(cache.begin(key: "k", digest: 1, now: 1) == .underway)
        #expect(cache.begin(key: "k", digest: 2, now: 1) == .conflict)
        cache.store(answer: [7], key: "k")
        #expect(cache.begin(key: "k", digest: 1, now: 2) == .repeated(answer: [7]))
        #expect(cache.begin(key: "k", digest: 2, now: 2) == .conflict)
        #expect(cache.begin(key: "l", digest: 2, now: 2) == .new)
    }

    @Test("a failed request may be tried again")
    func forget() {
        var cache = IdempotencyCache<Int>()
        #expect(cache.begin(key: "k", digest: 1, now: 0) == .new)
        cache.forget(key: "k")
        #expect(cache.begin(key: "k", digest: 2, now: 0) == .new)
        cache.store(answer: [1], key: "unknown")
        #expect(cache.count == 1)
    }

    @Test("keys are forgotten by age and by count")
    func bounded() {
        var cache = IdempotencyCache<Int>(capacity: 3, lifetime: 100)
        for key in ["a", "b", "c", "d"] { #expect(cache.begin(key: key, digest: 1, now: 0) == .new) }
        #expect(cache.count == 3)
        #expect(cache.begin(key: "a", digest: 1, now: 1) == .new)
        #expect(cache.begin(key: "d", digest: 1, now: 99) == .underway)
        #expect(cache.begin(key: "d", digest: 2, now: 100) == .new)
        #expect(cache.begin(key: "z", digest: 2, now: .max) == .new)
        #expect(cache.count <= 2)
    }
}
