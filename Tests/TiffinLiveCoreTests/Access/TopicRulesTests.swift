import Testing

@testable import TiffinLiveCore

private func rules() throws -> TopicRules {
    TopicRules([
        try TopicRule(
            shape: TopicShape("riders:{rider}"), role: "rider",
            claims: [TopicRule.Claim(source: .init(name: "sub"), value: Template("{rider}"))]),
        try TopicRule(
            shape: TopicShape("orders:{order}"), role: "customer",
            owner: [Template("HGET"), Template("order:{order}"), Template("customer_id")]),
        try TopicRule(
            shape: TopicShape("restaurants:{restaurant}"), role: "restaurant",
            claims: [TopicRule.Claim(source: .init(name: "restaurants"), value: Template("{restaurant}"))]),
        try TopicRule(
            shape: TopicShape("rooms:{room}"),
            claims: [TopicRule.Claim(source: .init(name: "tenant"), value: Template("t1"))],
            owner: [Template("SISMEMBER"), Template("room:{room}"), Template("{sub}")]),
        try TopicRule(shape: TopicShape("rooms:special")),
        try TopicRule(shape: TopicShape("empty:{x}")),
        try TopicRule(shape: TopicShape("news:{role2}"), role: "rider"),
    ])
}

@Suite("Who may have a topic")
struct TopicRulesTests {
    @Test("a claim must equal the variable")
    func claimEquals() throws {
        let rules = try rules()
        #expect(rules.decide(topic: "riders:5521", identity: identity("5521")) == .allowed)
        #expect(rules.decide(topic: "riders:5522", identity: identity("5521")) == .denied)
        #expect(rules.decide(topic: "riders:5521", identity: identity("5521", role: "customer")) == .denied)
        #expect(rules.decide(topic: "riders:5521", identity: identity("5521", role: "")) == .denied)
    }

    @Test("a claim may be an array that contains the variable")
    func claimContains() throws {
        let rules = try rules()
        let owner = identity("9", role: "restaurant", extra: ["restaurants": ["87", "88"]])
        #expect(rules.decide(topic: "restaurants:88", identity: owner) == .allowed)
        #expect(rules.decide(topic: "restaurants:8", identity: owner) == .denied)
        #expect(rules.decide(topic: "restaurants:88", identity: identity("88", role: "restaurant")) == .denied)
        #expect(rules.keptClaims == ["restaurants", "tenant"])
    }

    @Test("an owner look-up becomes a command with its variables filled in")
    func owner() throws {
        let decision = try rules().decide(topic: "orders:123", identity: identity("7001", role: "customer"))
        let expected = OwnerLookup(
            topic: "orders:123", command: ["HGET", "order:123", "customer_id"], user: "7001", asksAboutUser: false)
        #expect(decision == .lookUp(expected))
        #expect(try rules().decide(topic: "orders:123", identity: identity("7001")) == .denied)
    }

    @Test("with a claim and an owner both must hold")
    func both() throws {
        let rules = try rules()
        #expect(rules.decide(topic: "rooms:1", identity: identity("5521")) == .denied)
        let member = identity("5521", extra: ["tenant": ["t1"]])
        let lookup = OwnerLookup(
            topic: "rooms:1", command: ["SISMEMBER", "room:1", "5521"], user: "5521", asksAboutUser: true)
        #expect(rules.decide(topic: "rooms:1", identity: member) == .lookUp(lookup))
    }

    @Test(
        "a user whose id has another shape is never put into a command", arguments: ["a b", "a:b", "*", "..", "x\r\ny"])
    func badUser(user: String) throws {
        let member = identity(user, extra: ["tenant": ["t1"]])
        #expect(try rules().decide(topic: "rooms:1", identity: member) == .denied)
    }

    @Test("the first rule with the shape decides, and one that demands nothing denies")
    func firstMatch() throws {
        let rules = try rules()
        #expect(rules.decide(topic: "rooms:special", identity: identity()) == .denied)
        #expect(rules.decide(topic: "empty:1", identity: identity()) == .denied)
        #expect(rules.decide(topic: "news:1", identity: identity()) == .allowed)
        #expect(rules.decide(topic: "news:1", identity: identity(role: "customer")) == .denied)
    }

    @Test(
        "names that try to be something else are denied (B49)",
        arguments: [
            "", "riders", "riders:", "riders:*", "riders:5521*", "RIDERS:5521", "riders:5521/../5522", "riders%3A5521",
            "riders:5521\u{0}", "riders:5521 ", " riders:5521", "riders:5521:5521", "riders:..", "riders:.", "*",
            "riders:5521\n", "xriders:5521", "riders:５５２１", "nothing:1", "orders:{order}",
            "riders:5521" + String(repeating: "1", count: 10_000), "riders:5521\u{301}",
        ])
    func denied(topic: String) throws {
        #expect(try rules().decide(topic: topic, identity: identity("5521")) == .denied)
    }

    @Test("user ids that only look equal are different users")
    func exactBytes() throws {
        let rule = try TopicRule(
            shape: TopicShape("x:{x}"),
            claims: [TopicRule.Claim(source: .extra("name"), value: Template("caf\u{E9}"))])
        let rules = TopicRules([rule])
        #expect(rules.decide(topic: "x:1", identity: identity(extra: ["name": ["caf\u{E9}"]])) == .allowed)
        #expect(rules.decide(topic: "x:1", identity: identity(extra: ["name": ["cafe\u{301}"]])) == .denied)
    }

    @Test("claims are found under the names that the configuration gives them")
    func claimNames() {
        let source = TopicRule.ClaimSource(name: "uid", userClaim: "uid", roleClaim: "r", sessionClaim: "s")
        #expect(source == .user)
        #expect(TopicRule.ClaimSource(name: "sub", userClaim: "uid") == .extra("sub"))
        #expect(TopicRule.ClaimSource(name: "role").holds("rider", in: identity()))
        #expect(TopicRule.ClaimSource(name: "sid").holds("s1", in: identity(session: "s1")))
        #expect(!TopicRule.ClaimSource(name: "sid").holds("s1", in: identity()))
    }

    @Test("variables in the middle of a name end where they must")
    func shapes() throws {
        let shape = try TopicShape("a:{x}/b:{y}:c")
        let found = try #require(shape.match("a:1.2/b:3:c"))
        #expect(found["x"] == "1.2")
        #expect(found["y"] == "3")
        for other in ["a:1/b:3", "a:/b:3:c", "a:1/b:3:cc", "a:1/b:3:", "a:1:b:3:c"] {
            #expect(shape.match(other) == nil)
        }
        #expect(try TopicShape("fixed").match("fixed") != nil)
        #expect(try TopicShape("fixed").match("fixed2") == nil)
    }

    @Test(
        "refuses shapes that leave open where a variable ends, and reserved or doubled names",
        arguments: ["{a}{b}", "{a}x", "a{b}-{c}", "{sub}", "x:{role}", "{a}:{a}", "", "{", "x:{a", "x:{}"])
    func badShapes(text: String) {
        #expect(throws: PatternError.self) { try TopicShape(text) }
    }

    @Test(
        "refuses look-ups that write or whose command is a variable",
        arguments: [
            ["SET", "a:{x}", "1"], ["{x}", "a"], ["GET"], ["EVAL", "x", "0"], ["DEL", "{x}"], ["GETDEL", "{x}"], [],
            ["HGET", "{y}", "f"], ["HGET", "1", "2", "3", "4", "5", "6", "7", "8"],
        ])
    func badLookups(words: [String]) throws {
        let shape = try TopicShape("t:{x}")
        let owner = try words.map { try Template($0) }
        #expect(throws: PatternError.self) { try TopicRule(shape: shape, owner: owner) }
    }
}

@Suite("Answers to owner look-ups")
struct OwnerLookupTests {
    private let plain = OwnerLookup(topic: "t", command: ["HGET", "k", "f"], user: "7001", asksAboutUser: false)
    private let asking = OwnerLookup(
        topic: "t", command: ["SISMEMBER", "k", "7001"], user: "7001", asksAboutUser: true)

    @Test("a text must equal the user")
    func text() {
        #expect(plain.isGranted(by: .text("7001")))
        for other in ["", "7002", "7001 ", "07001", "1"] { #expect(!plain.isGranted(by: .text(other))) }
        #expect(!plain.isGranted(by: .text([0xFF])))
    }

    @Test("an integer must be 1, and only counts when the question names the user")
    func integer() {
        #expect(asking.isGranted(by: .integer(1)))
        for other: Int64 in [0, 2, -1, 7001, .max] { #expect(!asking.isGranted(by: .integer(other))) }
        #expect(!plain.isGranted(by: .integer(1)))
    }

    @Test("nothing else grants, and errors are no answers")
    func others() {
        for reply: StoreReply in [.null, .ok, .error("WRONGTYPE")] {
            #expect(!plain.isGranted(by: reply))
            #expect(!asking.isGranted(by: reply))
        }
        #expect(OwnerLookup.isAnswer(.null))
        #expect(OwnerLookup.isAnswer(.text("x")))
        #expect(OwnerLookup.isAnswer(.integer(0)))
        #expect(!OwnerLookup.isAnswer(.ok))
        #expect(!OwnerLookup.isAnswer(.error("x")))
    }
}

@Suite("Remembered owner look-ups")
struct OwnerCacheTests {
    private func lookup(_ topic: String, _ user: String = "1") -> OwnerLookup {
        OwnerLookup(topic: topic, command: ["GET", topic], user: user, asksAboutUser: false)
    }

    private func cache(capacity: Int = 10) -> OwnerCache {
        OwnerCache(capacity: capacity, allowedFor: 5 * .second, deniedFor: 2 * .second)
    }

    @Test("many that ask the same are answered by one question")
    func coalescing() {
        var cache = cache()
        #expect(cache.wait(for: lookup("a"), waiter: 1, now: 0) == true)
        #expect(cache.wait(for: lookup("a"), waiter: 2, now: 0) == false)
        #expect(cache.wait(for: lookup("a", "2"), waiter: 3, now: 0) == true)
        #expect(cache.complete(lookup("a"), isGranted: true, now: 1) == .answered([1, 2]))
        #expect(cache.complete(lookup("a"), isGranted: true, now: 1) == .answered([]))
        #expect(cache.answer(to: lookup("a"), now: 2) == true)
        #expect(cache.answer(to: lookup("a", "2"), now: 2) == nil)
    }

    @Test("answers last their time, denials a shorter one, failures not at all")
    func lifetimes() {
        var cache = cache()
        for (topic, isGranted) in [("a", true), ("b", false), ("c", nil)] {
            _ = cache.wait(for: lookup(topic), waiter: 1, now: 0)
            #expect(cache.complete(lookup(topic), isGranted: isGranted, now: 0) == .answered([1]))
        }
        #expect(cache.answer(to: lookup("a"), now: 5 * .second - 1) == true)
        #expect(cache.answer(to: lookup("a"), now: 5 * .second) == nil)
        #expect(cache.answer(to: lookup("b"), now: 2 * .second - 1) == false)
        #expect(cache.answer(to: lookup("b"), now: 2 * .second) == nil)
        #expect(cache.answer(to: lookup("c"), now: 0) == nil)
    }

    @Test("a lifetime of 0 remembers nothing")
    func noMemory() {
        var cache = OwnerCache(allowedFor: 0, deniedFor: 0)
        _ = cache.wait(for: lookup("a"), waiter: 1, now: 0)
        _ = cache.complete(lookup("a"), isGranted: true, now: 0)
        #expect(cache.answer(to: lookup("a"), now: 0) == nil)
        #expect(cache.count == 0)
    }

    @Test("a changed grant drops the answers about the topic, for one user or for all")
    func drop() {
        var cache = cache()
        for (topic, user) in [("a", "1"), ("a", "2"), ("b", "1")] {
            _ = cache.wait(for: lookup(topic, user), waiter: 1, now: 0)
            _ = cache.complete(lookup(topic, user), isGranted: true, now: 0)
        }
        cache.drop(topic: "a", user: "1")
        #expect(cache.answer(to: lookup("a", "1"), now: 0) == nil)
        #expect(cache.answer(to: lookup("a", "2"), now: 0) == true)
        cache.drop(topic: "a")
        #expect(cache.answer(to: lookup("a", "2"), now: 0) == nil)
        #expect(cache.answer(to: lookup("b", "1"), now: 0) == true)
        cache.dropAll()
        #expect(cache.count == 0)
    }

    @Test("an answer that was on its way when the grant changed is asked for again")
    func stale() {
        var cache = cache()
        _ = cache.wait(for: lookup("a"), waiter: 1, now: 0)
        _ = cache.wait(for: lookup("b"), waiter: 2, now: 0)
        cache.drop(topic: "a", user: "other")
        cache.drop(topic: "a", user: "1")
        #expect(cache.complete(lookup("b"), isGranted: true, now: 1) == .answered([2]))
        #expect(cache.complete(lookup("a"), isGranted: true, now: 1) == .askAgain)
        #expect(cache.answer(to: lookup("a"), now: 1) == nil)
        #expect(cache.complete(lookup("a"), isGranted: false, now: 2) == .answered([1]))
        #expect(cache.answer(to: lookup("a"), now: 2) == false)
        _ = cache.wait(for: lookup("c"), waiter: 3, now: 3)
        cache.dropAll()
        #expect(cache.complete(lookup("c"), isGranted: true, now: 4) == .askAgain)
        #expect(cache.complete(lookup("c"), isGranted: nil, now: 4) == .answered([3]))
    }

    @Test("questions that stay without an answer are given up in the order of asking")
    func expiry() {
        var cache = cache()
        _ = cache.wait(for: lookup("a"), waiter: 1, now: 0)
        _ = cache.wait(for: lookup("b"), waiter: 2, now: 10)
        _ = cache.wait(for: lookup("a"), waiter: 3, now: 10)
        #expect(cache.expire(askedBefore: 10) == [1, 3])
        #expect(cache.complete(lookup("a"), isGranted: true, now: 11) == .answered([]))
        #expect(cache.answer(to: lookup("a"), now: 11) == nil)
        #expect(cache.questionCount == 1)
        #expect(cache.expire(askedBefore: 11) == [2])
        #expect(cache.expire(askedBefore: .max) == [])
    }

    @Test("no more answers are kept than there is room for")
    func bounded() {
        var cache = cache(capacity: 3)
        for number in 0..<50 {
            _ = cache.wait(for: lookup("\(number)"), waiter: 1, now: 0)
            _ = cache.complete(lookup("\(number)"), isGranted: true, now: 0)
        }
        #expect(cache.count == 3)
        #expect(cache.answer(to: lookup("49"), now: 1) == true)
        #expect(cache.answer(to: lookup("46"), now: 1) == nil)
    }
}
