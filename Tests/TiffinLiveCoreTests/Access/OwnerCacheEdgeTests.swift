import Testing

@testable import TiffinLiveCore

private func lookup(_ topic: String, _ user: String = "1", _ command: String = "GET") -> OwnerLookup {
    OwnerLookup(topic: topic, command: [command, topic], user: user, asksAboutUser: false)
}

private func cache(capacity: Int = 10) -> OwnerCache { OwnerCache(capacity: capacity, allowedFor: 50, deniedFor: 20) }

extension OwnerCache {
    /// Asks and is answered at once.
    fileprivate mutating func learn(_ lookup: OwnerLookup, _ isGranted: Bool, now: Nanoseconds = 0) {
        _ = wait(for: lookup, waiter: 0, now: now)
        _ = complete(lookup, isGranted: isGranted, now: now)
    }
}

@Suite("Remembered owner look-ups, at the edges")
struct OwnerCacheEdgeTests {
    @Test("the same topic asked in other words is another question")
    func words() {
        var cache = cache()
        cache.learn(lookup("a"), true)
        #expect(cache.answer(to: lookup("a", "1", "HGET"), now: 0) == nil)
        #expect(cache.answer(to: lookup("a", "2"), now: 0) == nil)
        let asking = OwnerLookup(topic: "a", command: ["GET", "a"], user: "1", asksAboutUser: true)
        #expect(cache.answer(to: asking, now: 0) == nil)
        #expect(cache.wait(for: asking, waiter: 1, now: 0) == true)
        #expect(cache.answer(to: lookup("a"), now: 0) == true)
    }

    @Test("an answer counts from its arrival, not from the question")
    func arrival() {
        var cache = cache()
        _ = cache.wait(for: lookup("a"), waiter: 1, now: 0)
        _ = cache.complete(lookup("a"), isGranted: true, now: 40)
        #expect(cache.answer(to: lookup("a"), now: 89) == true)
        #expect(cache.answer(to: lookup("a"), now: 90) == nil)
    }

    @Test("a newer answer takes the place of the older, with its own time", arguments: [true, false])
    func replaced(_ first: Bool) {
        var cache = cache()
        cache.learn(lookup("a"), first, now: 0)
        cache.learn(lookup("a"), !first, now: 10)
        #expect(cache.count == 1)
        #expect(cache.answer(to: lookup("a"), now: 10) == !first)
        let end: Nanoseconds = 10 + (first ? 20 : 50)
        #expect(cache.answer(to: lookup("a"), now: end - 1) == !first)
        #expect(cache.answer(to: lookup("a"), now: end) == nil)
    }

    @Test("only one kind may be remembered", arguments: [true, false])
    func oneKind(_ isGranted: Bool) {
        var cache = OwnerCache(allowedFor: isGranted ? 50 : 0, deniedFor: isGranted ? 0 : 50)
        cache.learn(lookup("a"), isGranted)
        cache.learn(lookup("b"), !isGranted)
        #expect(cache.answer(to: lookup("a"), now: 1) == isGranted)
        #expect(cache.answer(to: lookup("b"), now: 1) == nil)
        // What was remembered is gone when the new answer is of the kind that is not.
        cache.learn(lookup("a"), !isGranted)
        #expect(cache.answer(to: lookup("a"), now: 1) == nil)
        #expect(cache.count == 0)
    }

    @Test("a failure forgets no older answer, and answers who waited")
    func failure() {
        var cache = cache()
        cache.learn(lookup("a"), true)
        _ = cache.wait(for: lookup("a"), waiter: 7, now: 1)
        #expect(cache.complete(lookup("a"), isGranted: nil, now: 1) == .answered([7]))
        #expect(cache.answer(to: lookup("a"), now: 1) == true)
        // The topic is still known: a change of the grant finds the answer.
        cache.drop(topic: "a")
        #expect(cache.answer(to: lookup("a"), now: 1) == nil)
    }

    @Test("a question given up leaves the older answer where a change of the grant finds it")
    func givenUp() {
        var cache = cache()
        cache.learn(lookup("a"), true)
        _ = cache.wait(for: lookup("a"), waiter: 7, now: 1)
        #expect(cache.expire(askedBefore: 2) == [7])
        #expect(cache.answer(to: lookup("a"), now: 2) == true)
        cache.drop(topic: "a", user: "1")
        #expect(cache.count == 0)
    }

    @Test("a stale question may go stale again, and is asked as often as that")
    func staleAgain() {
        var cache = cache()
        _ = cache.wait(for: lookup("a"), waiter: 1, now: 0)
        for round in 1...3 {
            cache.drop(topic: "a")
            #expect(cache.wait(for: lookup("a"), waiter: UInt64(round + 1), now: 0) == false)
            #expect(cache.complete(lookup("a"), isGranted: true, now: 0) == .askAgain)
            #expect(cache.questionCount == 1)
        }
        #expect(cache.complete(lookup("a"), isGranted: true, now: 0) == .answered([1, 2, 3, 4]))
    }

    @Test("a stale question whose look-up fails is over: there is no old answer to fear")
    func staleFailure() {
        var cache = cache()
        _ = cache.wait(for: lookup("a"), waiter: 1, now: 0)
        cache.drop(topic: "a")
        #expect(cache.complete(lookup("a"), isGranted: nil, now: 1) == .answered([1]))
        #expect(cache.questionCount == 0 && cache.count == 0)
        // The next question is a new one, and not stale.
        #expect(cache.wait(for: lookup("a"), waiter: 2, now: 2) == true)
        #expect(cache.complete(lookup("a"), isGranted: true, now: 2) == .answered([2]))
    }

    @Test("a question that is asked again keeps its age, so that no stream of changes keeps it for ever")
    func ageOfStale() {
        var cache = cache()
        _ = cache.wait(for: lookup("a"), waiter: 1, now: 0)
        cache.drop(topic: "a")
        _ = cache.complete(lookup("a"), isGranted: true, now: 9)
        #expect(cache.expire(askedBefore: 1) == [1])
        #expect(cache.questionCount == 0)
    }

    @Test("a change of the grant touches neither other topics nor other users, remembered or asked")
    func others() {
        var cache = cache()
        for (topic, user) in [("a", "1"), ("a", "2"), ("b", "1")] { cache.learn(lookup(topic, user), true) }
        for (topic, user) in [("c", "1"), ("c", "2")] { _ = cache.wait(for: lookup(topic, user), waiter: 1, now: 0) }
        cache.drop(topic: "c", user: "2")
        cache.drop(topic: "a", user: "3")
        cache.drop(topic: "nothing")
        #expect(cache.count == 3)
        #expect(cache.complete(lookup("c", "1"), isGranted: true, now: 0) == .answered([1]))
        #expect(cache.complete(lookup("c", "2"), isGranted: true, now: 0) == .askAgain)
    }

    @Test("users whose ids only look equal are told apart by a change of the grant")
    func exactBytes() {
        var cache = cache()
        cache.learn(lookup("a", "caf\u{E9}"), true)
        cache.drop(topic: "a", user: "cafe\u{301}")
        #expect(cache.answer(to: lookup("a", "caf\u{E9}"), now: 0) == true)
        cache.drop(topic: "a", user: "caf\u{E9}")
        #expect(cache.answer(to: lookup("a", "caf\u{E9}"), now: 0) == nil)
    }

    @Test("two outlived answers leave with each new one, before a living one does")
    func outlived() {
        var cache = cache(capacity: 4)
        for topic in ["a", "b", "c"] { cache.learn(lookup(topic), true, now: 0) }
        cache.learn(lookup("d"), true, now: 40)
        cache.learn(lookup("e"), true, now: 50)
        #expect(cache.count == 3)
        #expect(cache.answer(to: lookup("d"), now: 50) == true)
        cache.learn(lookup("f"), true, now: 50)
        #expect(cache.count == 3)
        #expect(cache.answer(to: lookup("d"), now: 50) == true)
    }

    @Test("an answer that is renewed in a full cache drives nobody out")
    func renewed() {
        var cache = cache(capacity: 2)
        for topic in ["a", "b", "a"] { cache.learn(lookup(topic), true) }
        #expect(cache.answer(to: lookup("a"), now: 1) == true)
        #expect(cache.answer(to: lookup("b"), now: 1) == true)
        cache.learn(lookup("c"), true)
        #expect(cache.answer(to: lookup("b"), now: 1) == nil, "b is the oldest now")
        #expect(cache.answer(to: lookup("a"), now: 1) == true)
    }

    @Test("a lifetime to the end of the clock traps nothing, and no capacity is one", arguments: [0, -1, Int.min])
    func extremes(_ capacity: Int) {
        var cache = OwnerCache(capacity: capacity, allowedFor: .max, deniedFor: .min)
        cache.learn(lookup("a"), true, now: .max - 5)
        #expect(cache.answer(to: lookup("a"), now: .max - 1) == true)
        #expect(cache.answer(to: lookup("a"), now: .max) == nil)
        cache.learn(lookup("b"), true, now: .min)
        cache.learn(lookup("c"), false, now: .min)
        #expect(cache.count == 1)
        #expect(cache.expire(askedBefore: .min) == [])
    }
}
