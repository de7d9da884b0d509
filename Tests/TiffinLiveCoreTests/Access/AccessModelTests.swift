import Testing

@testable import TiffinLiveCore

@Suite("Owner look-ups against a model")
struct OwnerCacheModelTests {
    @Test("every waiter is answered exactly once, never with an answer from before a change", arguments: 1...25)
    func model(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var cache = OwnerCache(capacity: 4, allowedFor: 50, deniedFor: 20)
        var truth: [String: Bool] = [:]
        // Look-ups on their way with the truth at the time of sending, and who waits.
        var sent: [OwnerLookup: Bool] = [:]
        var waiting: [UInt64: OwnerLookup] = [:]
        var nextWaiter: UInt64 = 0
        var now: Nanoseconds = 0
        let lookups = (0..<6).map {
            OwnerLookup(topic: "t\($0 / 2)", command: ["GET", "\($0)"], user: "\($0 % 2)", asksAboutUser: false)
        }
        for _ in 0..<2000 {
            now += Nanoseconds.random(in: 0...3, using: &random)
            let lookup = lookups[Int.random(in: 0..<lookups.count, using: &random)]
            let key = "\(lookup.topic)/\(lookup.command[1])"
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                if let answer = cache.answer(to: lookup, now: now) {
                    #expect(answer == truth[key, default: true])
                    continue
                }
                nextWaiter += 1
                waiting[nextWaiter] = lookup
                let isFirst = cache.wait(for: lookup, waiter: nextWaiter, now: now)
                #expect(isFirst == (sent[lookup] == nil))
                if isFirst { sent[lookup] = truth[key, default: true] }
            case 2, 3:
                guard let answer = sent[lookup] else { continue }
                let isGranted: Bool? = Int.random(in: 0..<5, using: &random) == 0 ? nil : answer
                switch cache.complete(lookup, isGranted: isGranted, now: now) {
                case .askAgain:
                    sent[lookup] = truth[key, default: true]
                case .answered(let waiters):
                    sent[lookup] = nil
                    if let isGranted { #expect(isGranted == truth[key, default: true]) }
                    #expect(Set(waiters) == Set(waiting.filter { $0.value == lookup }.keys))
                    #expect(waiters.count == Set(waiters).count)
                    for waiter in waiters { waiting[waiter] = nil }
                }
            case 4:
                truth[key] = !truth[key, default: true]
                let user = String(decoding: lookup.user, as: UTF8.self)
                cache.drop(topic: lookup.topic, user: Bool.random(using: &random) ? user : nil)
            default:
                for waiter in cache.expire(askedBefore: now - 30) {
                    let lookup = waiting.removeValue(forKey: waiter)
                    #expect(lookup != nil)
                    if let lookup { sent[lookup] = nil }
                }
            }
            #expect(cache.count <= 4)
            #expect(cache.questionCount == sent.count)
        }
        #expect(Set(cache.expire(askedBefore: .max)) == Set(waiting.keys))
    }
}

@Suite("The embedded store against a model")
struct EmbeddedStoreModelTests {
    private struct Model {
        var texts: [String: (text: String, until: Nanoseconds)] = [:]

        mutating func drop(_ now: Nanoseconds) {
            texts = texts.filter { $0.value.until > now }
        }
    }

    @Test("strings with expiry agree with a dictionary", arguments: 1...25)
    func strings(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var store = EmbeddedStore()
        var model = Model()
        var now: Nanoseconds = 0
        for step in 0..<2000 {
            now += Nanoseconds.random(in: 0...400 * .millisecond, using: &random)
            model.drop(now)
            let key = "k\(Int.random(in: 0..<6, using: &random))"
            let known = model.texts[key]
            switch Int.random(in: 0..<7, using: &random) {
            case 0:
                #expect(store.execute(["SET", key, "\(step)"], now: now) == .ok)
                model.texts[key] = ("\(step)", .max)
            case 1:
                #expect(store.execute(["SET", key, "\(step)", "EX", "2"], now: now) == .ok)
                model.texts[key] = ("\(step)", now + 2 * .second)
            case 2:
                let reply = store.execute(["SET", key, "\(step)", "EX", "3", "NX"], now: now)
                #expect(reply == (known == nil ? .ok : .null))
                if known == nil { model.texts[key] = ("\(step)", now + 3 * .second) }
            case 3:
                #expect(store.execute(["GETDEL", key], now: now) == (known.map { .text($0.text) } ?? .null))
                model.texts[key] = nil
            case 4:
                #expect(store.execute(["DEL", key], now: now) == .integer(known == nil ? 0 : 1))
                model.texts[key] = nil
            case 5:
                #expect(store.execute(["EXPIRE", key, "1"], now: now) == .integer(known == nil ? 0 : 1))
                if let known { model.texts[key] = (known.text, now + .second) }
            default:
                #expect(store.execute(["GET", key], now: now) == (known.map { .text($0.text) } ?? .null))
            }
        }
    }

    @Test("a ticket is good for exactly one of many hands (B80)", arguments: 1...10)
    func ticket(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var store = EmbeddedStore()
        for ticket in 0..<50 {
            #expect(store.execute(["SET", "ticket:\(ticket)", "v", "EX", "30", "NX"], now: 0) == .ok)
        }
        var successes: [Int: Int] = [:]
        for _ in 0..<5000 {
            let ticket = Int.random(in: 0..<50, using: &random)
            if store.execute(["GETDEL", "ticket:\(ticket)"], now: .second) == .text("v") {
                successes[ticket, default: 0] += 1
            }
        }
        #expect(successes.count == 50)
        #expect(successes.values.allSatisfy { $0 == 1 })
    }
}

@Suite("Penalties against a model")
struct SourcePenaltyModelTests {
    @Test("a source alone is served as its own bucket says", arguments: 1...15)
    func model(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let limit = RateLimit(rate: 5, burst: 4)
        var penalty = SourcePenalty(limit: limit, capacity: 64)
        var buckets = [TokenBucket](repeating: TokenBucket(), count: 8)
        var now: Nanoseconds = 0
        for _ in 0..<3000 {
            now += Nanoseconds.random(in: 0...60 * .millisecond, using: &random)
            let source = Int.random(in: 0..<8, using: &random)
            let address = IPAddress(version4: UInt32(source))
            let verdict = penalty.check(address, now: now, using: &random)
            let delay = buckets[source].delay(now: now, limit: limit)
            #expect((verdict == .allowed) == (delay == 0))
            guard verdict == .allowed else { continue }
            penalty.recordForged(address, now: now)
            buckets[source].charge(now: now, limit: limit)
        }
    }

    @Test("signature work for forged tokens stays bounded however many addresses send them")
    func work() {
        var random = SeededRandom(seed: 3)
        let limit = RateLimit(rate: 5, burst: 20)
        var penalty = SourcePenalty(limit: limit, capacity: 100)
        var work = 0
        for step in 0..<200_000 {
            let now = Nanoseconds(step) * 10 * .microsecond
            let address = IPAddress(version4: UInt32.random(in: 0..<100_000, using: &random))
            if penalty.check(address, now: now, using: &random) == .allowed {
                work += 1
                penalty.recordForged(address, now: now)
            }
        }
        // 2 seconds: of 200,000 attempts only those of the table's turnover and the shared bucket cost anything.
        #expect(work < 5_000)
        #expect(penalty.count <= 100)
    }
}
