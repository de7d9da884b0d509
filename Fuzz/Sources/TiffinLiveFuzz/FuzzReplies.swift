@testable import TiffinLiveCore

/// What is made of Redis's replies and messages: the input as a message, and each value in it as a reply, in every place
/// where one could come. Whatever it is, it is refused or holds together.
enum FuzzReplies {
    private static let now: Nanoseconds = 1_764_500_000 * .second
    private static let good: [Result<RESPValue, RedisFailure>] = [
        .success(.array([.bulkString("1764500000"), .bulkString("999")])), .success(.bulkString("1764400000000")),
        .success(.array([])), .failure(.error(code: "ERR", text: "ERR no such key")),
    ]

    static func run(_ bytes: [UInt8]) {
        message(bytes)
        let values = values(bytes)
        for value in values {
            for place in 0..<4 {
                var replies = good
                replies[place] = result(value)
                reading(replies)
            }
            logOfRevocations(value)
            answer(value)
            if let text = value.bytes { message(text) }
        }
        if values.count == 4 { reading(values.map(result)) }
    }

    private static func values(_ bytes: [UInt8]) -> [RESPValue] {
        var decoder = RESPDecoder()
        return bytes.withUnsafeBytes { bytes in
            var input = bytes
            var values: [RESPValue] = []
            while let value = try? decoder.next(&input) { values.append(value) }
            return values
        }
    }

    private static func result(_ value: RESPValue) -> Result<RESPValue, RedisFailure> {
        if case .error(let error) = value { return .failure(.error(code: error.code, text: error.text)) }
        return .success(value)
    }

    /// In order, and whoever is at its position has missed nothing.
    private static func reading(_ replies: [Result<RESPValue, RedisFailure>]) {
        guard let reading = RedisHistoryReading(topic: "t", keepFor: 3600 * .second, replies: replies) else { return }
        let ids = reading.events.compactMap(\.id)
        check(ids.count == reading.events.count, "an event without an id")
        check(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 }, "out of order: \(ids)")
        check(reading.floor <= reading.position, "\(reading.floor) after \(reading.position)")
        check(ids.last ?? reading.position == reading.position, "\(ids), at \(reading.position)")
        var answers: [Resumption?] = []
        var feed = RedisTopicFeed()
        _ = feed.listen(after: reading.position.description, now: 0, wall: now) { answers.append($0) }
        let found = feed.subscribed().flatMap { feed.read(reading, number: $0, keep: 100, now: 0) }
        for (answer, resumption) in found?.answers ?? [] { answer(resumption) }
        guard answers.count == 1, case .live(let position)? = answers[0], position == reading.position else {
            return check(false, "\(answers)")
        }
    }

    private static func logOfRevocations(_ value: RESPValue) {
        guard let entries = RevocationLogEntry.page(value) else { return }
        var list = RevocationList(maximumLifetime: 3600 * .second)
        for entry in entries {
            guard let revocation = try? Revocation.read(entry.message) else { continue }
            list.insert(revocation, wall: entry.wall)
        }
        check(list.count <= entries.count, "more than there were")
        list.prune(wall: now, steps: 10)
    }

    private static func answer(_ value: RESPValue) {
        let reply = StoreReply(result(value))
        let lookUp = OwnerLookup(topic: "t", command: ["GET", "k"], user: "7001", asksAboutUser: false)
        check(!lookUp.isGranted(by: reply) || reply == .text("7001"), "granted by \(value)")
        if let id = EventID(reply: value) { check(value.bytes == Array(id.description.utf8), "two spellings of \(id)") }
    }

    /// On a topic's channel, on those of revocations and grants, in a ticket and in a session.
    private static func message(_ bytes: [UInt8]) {
        let latest = UInt64(now / .millisecond)
        let event = Event(topic: "t", message: bytes, latest: latest)
        check(event.id.map { $0.milliseconds <= latest } ?? (event.name == "message"), "\(event.name)")
        check(String(validating: event.data, as: UTF8.self) != nil, "no text")
        if let grant = Grant(bytes) { check(!grant.topic.isEmpty, "a grant of nothing") }
        if let revocation = try? Revocation.read(bytes) {
            check(
                revocation.user != nil || revocation.tokenID != nil || revocation.session != nil,
                "a revocation of nobody")
        }
        let policy = TokenPolicy(keptClaims: ["restaurants"])
        if case .sold(let claims, _)? = try? Ticket.read(bytes, policy: policy, wall: now) {
            check(claims.expiresAt > now && !claims.user.isEmpty, "a ticket of nobody")
        }
        if let claims = try? StoredIdentity.read(bytes, policy: policy, wall: now) {
            check(claims.expiresAt > now && !claims.user.isEmpty, "a session of nobody")
        }
    }
}
