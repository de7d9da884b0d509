import Testing

@testable import TiffinLiveCore

/// Whatever Redis says in place of a reply or a message, whoever interprets it refuses it or takes it for something that
/// holds together; nothing traps. `Fuzz` has the same as the target `replies`.
@Suite("Redis says odd things")
struct RedisReplyFuzzTests {
    private static let now: Nanoseconds = 1_764_500_000 * .second

    /// Replies that are good: of a topic's reading, the log of revocations, functions, look-ups, tickets, sessions.
    private static let time: RESPValue = .array([.bulkString("1764500000"), .bulkString("999")])
    private static let began: RESPValue = .bulkString("1764400000000")
    private static let range: RESPValue = .array(
        (0..<4).map { number in
            let fields: [RESPValue] = ["event", "status", "data", #"{"n":1}"#].map { .bulkString($0) }
            return .array([.bulkString("\(1_764_499_999_000 - number)-\(number)"), .array(fields)])
        })
    private static let information: RESPValue = .map([
        .init(key: .bulkString("last-generated-id"), value: .bulkString("1764499999000-0")),
        .init(key: .bulkString("entries-added"), value: .integer(4)),
    ])
    private static let log: RESPValue = .array(
        (0..<3).map { .array([.bulkString(#"{"user_id":\#($0),"reason":"x"}"#), .double(1_764_499_999_000)]) })
    private static let oldLog: RESPValue = .array([.bulkString(#"{"jti":"j1"}"#), .bulkString("1764499999000")])
    private static let sold =
        #"{"sub":"u1","role":"restaurant","iat":1764499000,"exp":1764500900,"path":"/a","claims":{"a":["88"]}}"#
    private static let corpus: [RESPValue] = [
        time, began, range, information, log, oldLog, .bulkString("1764500000000-0"), .integer(2),
        .bulkString("tiffin_live"), .bulkString("7001"), .bulkString("88"), .bulkString(sold),
        .bulkString(#"{"sub":7001,"role":"restaurant","exp":1764500900.5,"restaurants":["88"]}"#),
    ]

    @Test("a mutated reply is refused or holds together, in every place where it could come", arguments: 0..<8)
    func replies(_ seed: UInt64) {
        var mutation = ReplyMutation(seed: seed)
        for _ in 0..<2500 {
            let value = mutation.mutated(mutation.pick(Self.corpus))
            var replies = [Self.time, Self.began, Self.range, Self.information].map { Self.result($0) }
            replies[mutation.pick([0, 1, 2, 3])] = Self.result(mutation.mutated(value))
            Self.check(replies)
            Self.check(mutation.mutated(mutation.pick([Self.log, Self.oldLog])))
            Self.check(value)
        }
    }

    @Test(
        "a mutated message is an event, a revocation or a grant as far as it goes, and ids only grow", arguments: 0..<4)
    func messages(_ seed: UInt64) {
        let corpus = [
            "@1764500000000-0 status\n{\"a\":1}", "@5-6 a\nb\r\nc", "plain \u{1F37D} data", "{\"a\":[1,2]}",
            #"{"user_id":5521,"reason":"suspended"}"#, #"{"jti":"j","issued_before":1764500000.25}"#,
            #"{"topic":"orders:1","user":"5521"}"#, "",
        ].map { Array($0.utf8) }
        var mutation = ReplyMutation(seed: 100 + seed)
        var topic = FeedUnderTest.open(at: 0)
        var last = EventID(milliseconds: 0, sequence: 0)
        let latest = UInt64(Self.now / .millisecond)
        for _ in 0..<5000 {
            let message = mutation.mutated(mutation.pick(corpus), with: mutation.pick(corpus))
            let event = Event(topic: "t", message: message, latest: latest)
            #expect(event.id.map { $0.milliseconds <= latest } ?? true)
            #expect(event.id != nil || event.name == "message")
            #expect(String(validating: event.data, as: UTF8.self) != nil)
            if let delivered = topic.feed.received(event, keep: 10), let id = delivered.id {
                #expect(id > last)
                last = id
            }
            Self.check(.bulkString(message))
        }
        // Nothing of that made it deaf to what comes without an id.
        #expect(topic.feed.received(FeedUnderTest.event(nil), keep: 10) != nil)
    }

    /// Bytes, not values: what is no protocol ends the link.
    @Test("mutated bytes give every command one outcome at most, in order, and the rest is lost", arguments: 0..<4)
    func bytes(_ seed: UInt64) {
        var mutation = ReplyMutation(seed: 200 + seed)
        for _ in 0..<1000 {
            let script = ScriptedSession.ready()
            let good = (0..<6).map { _ in mutation.pick(Self.corpus) }
            for tag in 0..<6 { #expect(script.send("GET \(tag)", tag: tag)) }
            var wire = good.flatMap(\.wire)
            let intact = good[..<3].flatMap(\.wire).count
            wire.replaceSubrange(intact..., with: mutation.mutated(Array(wire[intact...]), with: wire))
            script.hear(wire)
            script.disconnect()
            let log = script.takeLog()
            let replies = log.filter { !$0.hasPrefix("failed") }
            #expect(replies.map { $0.prefix(2) } == (0..<6).map { "\($0):" })
            // Those that came whole are what they were.
            for tag in 0..<3 {
                let text = good[tag].bytes.map { String(decoding: $0, as: UTF8.self) } ?? "\(good[tag])"
                #expect(replies[tag] == "\(tag): \(text)")
            }
        }
    }

    // MARK: What must hold

    private static func result(_ value: RESPValue) -> Result<RESPValue, RedisFailure> {
        if case .error(let error) = value { return .failure(.error(code: error.code, text: error.text)) }
        return .success(value)
    }

    /// A reading, if it is one: in order, and whoever is at its position has missed nothing.
    private static func check(_ replies: [Result<RESPValue, RedisFailure>]) {
        guard let reading = RedisHistoryReading(topic: "t", keepFor: 3600 * .second, replies: replies) else { return }
        let ids = reading.events.compactMap(\.id)
        #expect(ids.count == reading.events.count)
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        #expect(reading.floor <= reading.position)
        #expect(ids.last.map { $0 == reading.position } ?? true)
        var answers: [Resumption?] = []
        var feed = RedisTopicFeed()
        for after in [reading.position.description, ids.first?.description] {
            _ = feed.listen(after: after, now: 0, wall: now) { answers.append($0) }
        }
        guard let number = feed.subscribed(), let found = feed.read(reading, number: number, keep: 100, now: 0) else {
            Issue.record("no reading")
            return
        }
        for (answer, resumption) in found.answers { answer(resumption) }
        guard answers.count == 2, case .live(let position)? = answers[0] else {
            Issue.record("\(answers)")
            return
        }
        #expect(position == reading.position)
    }

    private static func check(_ value: RESPValue) {
        if let entries = RevocationLogEntry.page(value) {
            var list = RevocationList(maximumLifetime: 3600 * .second)
            for entry in entries {
                guard let revocation = try? Revocation.read(entry.message) else { continue }
                list.insert(revocation, wall: entry.wall)
            }
            #expect(list.count <= entries.count)
            list.prune(wall: now, steps: 10)
        }
        let reply = StoreReply(result(value))
        let lookUp = OwnerLookup(topic: "t", command: ["GET", "k"], user: "7001", asksAboutUser: false)
        #expect(!lookUp.isGranted(by: reply) || reply == .text("7001"))
        #expect(OwnerLookup.isAnswer(reply) || !lookUp.isGranted(by: reply))
        if let id = EventID(reply: value) { #expect(value.bytes == Array(id.description.utf8)) }
        guard let bytes = value.bytes else { return }
        let policy = TokenPolicy(keptClaims: ["restaurants"])
        if case .sold(let claims, _)? = try? Ticket.read(bytes, policy: policy, wall: now) {
            #expect(claims.expiresAt > now && !claims.user.isEmpty)
        }
        if let claims = try? StoredIdentity.read(bytes, policy: policy, wall: now) {
            #expect(claims.expiresAt > now && !claims.user.isEmpty)
        }
        if let grant = Grant(bytes) { #expect(!grant.topic.isEmpty) }
        if let revocation = try? Revocation.read(bytes) {
            #expect(revocation.user != nil || revocation.tokenID != nil || revocation.session != nil)
        }
    }
}
