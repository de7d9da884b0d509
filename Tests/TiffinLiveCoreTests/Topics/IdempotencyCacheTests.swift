import Testing

@testable import TiffinLiveCore

private typealias Cache = IdempotencyCache<Int>

extension IdempotencyCache<Int> {
    fileprivate mutating func begin(_ key: String, _ digest: Int = 1, at now: Nanoseconds = 0) -> Outcome {
        begin(key: key, digest: digest, now: now)
    }

    fileprivate mutating func store(_ answer: String, _ key: String) {
        store(answer: Array(answer.utf8), key: key)
    }
}

private func repeated(_ answer: String) -> Cache.Outcome { .repeated(answer: Array(answer.utf8)) }

@Suite("Repeated publish requests")
struct IdempotencyCacheTests {
    @Test("a request is new, then under way, then answered as before")
    func life() {
        var cache = Cache()
        #expect(cache.begin("k") == .new)
        #expect(cache.begin("k") == .underway)
        cache.store("one", "k")
        #expect(cache.begin("k") == repeated("one"))
        #expect(cache.begin("k") == repeated("one"))
        #expect(cache.count == 1)
    }

    @Test("another body under the same key is a conflict, answered or not, and changes nothing")
    func conflict() {
        var cache = Cache()
        _ = cache.begin("k", 1)
        #expect(cache.begin("k", 2) == .conflict)
        cache.store("one", "k")
        #expect(cache.begin("k", 2) == .conflict)
        #expect(cache.begin("k", 1) == repeated("one"))
    }

    @Test("a request that failed is new again, also with another body")
    func forget() {
        var cache = Cache()
        _ = cache.begin("k", 1)
        cache.forget(key: "k")
        #expect(cache.count == 0)
        #expect(cache.begin("k", 2) == .new)
        #expect(cache.begin("k", 1) == .conflict)
        cache.forget(key: "never seen")
        #expect(cache.count == 1)
    }

    @Test("an answer to what is not under way is not kept")
    func strayAnswer() {
        var cache = Cache()
        cache.store("one", "k")
        #expect(cache.count == 0)
        #expect(cache.begin("k") == .new)
    }

    @Test("an entry lasts its lifetime from the first request on, to the nanosecond")
    func lifetime() {
        var cache = Cache(lifetime: 10)
        #expect(cache.begin("k", at: 5) == .new)
        cache.store("one", "k")
        // Asking again does not make it younger.
        #expect(cache.begin("k", at: 14) == repeated("one"))
        #expect(cache.begin("k", 2, at: 15) == .new)
        #expect(cache.begin("k", 2, at: 24) == .underway)
        #expect(cache.begin("k", 2, at: 25) == .new)
    }

    @Test("an aged entry that is not the oldest of the table is new all the same")
    func agedBehindOthers() {
        var cache = Cache(capacity: 100, lifetime: 10)
        for number in 0..<10 { _ = cache.begin("k\(number)", at: 0) }
        for number in 0..<10 { cache.store("old", "k\(number)") }
        // Two of the ten leave with this request; the asked one must not answer from the grave.
        #expect(cache.begin("k9", 7, at: 10) == .new)
        #expect(cache.count == 8)
        #expect(cache.begin("k9", 7, at: 11) == .underway)
    }

    @Test("an answer that comes after its entry has been replaced belongs to the new request")
    func lateAnswer() {
        var cache = Cache(lifetime: 10)
        _ = cache.begin("k", 1, at: 0)
        _ = cache.begin("k", 2, at: 10)
        cache.store("late", "k")
        #expect(cache.begin("k", 2, at: 11) == repeated("late"))
        #expect(cache.begin("k", 1, at: 11) == .conflict)
    }

    @Test("no more entries than the capacity: the oldest request gives way", arguments: [1, 2, 7])
    func capacity(of capacity: Int) {
        var cache = Cache(capacity: capacity)
        for number in 0..<50 {
            #expect(cache.begin("k\(number)") == .new)
            #expect(cache.count == min(number + 1, capacity))
        }
        #expect(cache.begin("k49") == .underway)
        #expect(cache.begin("k\(50 - capacity)") == .underway)
        #expect(cache.begin("k\(49 - capacity)") == .new)
    }

    @Test("an aged entry that is begun anew in a full table drives nobody out")
    func renewedInFullTable() {
        var cache = Cache(capacity: 4, lifetime: 10)
        for number in 0..<4 { _ = cache.begin("k\(number)", at: 0) }
        // k0 and k1 age out; k3 takes its own place.
        #expect(cache.begin("k3", at: 10) == .new)
        #expect(cache.count == 2)
        #expect(cache.begin("k4", at: 10) == .new)
        #expect(cache.begin("k5", at: 10) == .new)
        #expect(cache.begin("k3", at: 11) == .underway)
        #expect(cache.begin("k4", at: 11) == .underway)
        #expect(cache.begin("k5", at: 11) == .underway)
    }

    @Test("a capacity of nothing is one entry", arguments: [0, -1, Int.min])
    func noCapacity(_ capacity: Int) {
        var cache = Cache(capacity: capacity)
        #expect(cache.begin("a") == .new)
        #expect(cache.begin("a") == .underway)
        #expect(cache.begin("b") == .new)
        #expect(cache.begin("a") == .new)
    }

    @Test("keys are bytes: texts that only look equal are two requests")
    func exactBytes() {
        var cache = Cache()
        _ = cache.begin("caf\u{E9}", 1)
        #expect(cache.begin("cafe\u{301}", 2) == .new)
        #expect(cache.begin("", 3) == .new)
        #expect(cache.count == 3)
    }

    @Test("an answer may be empty, and is an answer")
    func emptyAnswer() {
        var cache = Cache()
        _ = cache.begin("k")
        cache.store("", "k")
        #expect(cache.begin("k") == .repeated(answer: []))
    }

    @Test("ends of the clock and of lifetimes trap nothing", arguments: [Nanoseconds.min, -1, 0, .max])
    func extremes(now: Nanoseconds) {
        for lifetime in [Nanoseconds.min, 0, 1, .max] {
            var cache = Cache(capacity: 3, lifetime: lifetime)
            for key in ["a", "b", "a", "c", "d"] { _ = cache.begin(key, at: now) }
            #expect(cache.count <= 3)
        }
        var lasting = Cache(lifetime: .max)
        _ = lasting.begin("k", at: 0)
        #expect(lasting.begin("k", at: .max - 1) == .underway)
    }

    @Test("any mixture of calls agrees with a list", arguments: 1...20)
    func model(seed: Int) {
        struct Known {
            var key: String
            var digest: Int
            var answer: String?
            var began: Nanoseconds
        }
        var random = SeededRandom(seed: UInt64(seed))
        let lifetime: Nanoseconds = 40
        var cache = Cache(capacity: 1000, lifetime: lifetime)
        var model: [Known] = []
        var now: Nanoseconds = 0
        for step in 0..<2000 {
            now += Nanoseconds.random(in: 0...3, using: &random)
            model.removeAll { now >= $0.began + lifetime }
            let key = "k\(Int.random(in: 0..<6, using: &random))"
            let digest = Int.random(in: 0..<2, using: &random)
            let position = model.firstIndex { $0.key == key }
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                cache.forget(key: key)
                if let position { model.remove(at: position) }
            case 1 where position != nil:
                cache.store("\(step)", key)
                if let position { model[position].answer = "\(step)" }
            default:
                let outcome = cache.begin(key, digest, at: now)
                guard let position else {
                    #expect(outcome == .new)
                    model.append(Known(key: key, digest: digest, answer: nil, began: now))
                    continue
                }
                let known = model[position]
                let expected = known.digest != digest ? .conflict : known.answer.map(repeated) ?? .underway
                #expect(outcome == expected)
            }
        }
    }
}
