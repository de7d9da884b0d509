import Testing

@testable import TiffinLiveCore

/// The backend on a loop of the test, with a Redis that answers one question oddly: the questions before and after it get
/// their own answers, and each gets one.
@Suite("Redis answers one question oddly", .serialized)
struct RedisBackendFuzzTests {
    private enum Question: CaseIterable {
        case publish, handOver, spread, lookUp, redeem, store, listen
    }

    private static let corpus: [RESPValue] = [
        .bulkString("1764500000000-0"), .integer(2), .bulkString("7001"), .simpleString(Array("OK".utf8)), .null,
        .array([.bulkString("1764500000"), .bulkString("999")]),
        .array([.array([.bulkString("5-0"), .array([.bulkString("event"), .bulkString("e")])])]),
        .map([.init(key: .bulkString("entries-added"), value: .integer(4))]),
    ]

    @Test("an odd answer is nobody else's, in three thousand rounds")
    func crossing() throws {
        let redis = try ScriptedRedis(RedisBackendHarness.healthy)
        let subject = try RedisBackendHarness(redis.url)
        var mutation = ReplyMutation(seed: 77)
        for round in 0..<3000 {
            // As text, because the script is one: what is no UTF-8 the pure tests have.
            let value = mutation.mutated(mutation.pick(Self.corpus))
            let odd = String(decoding: value.wire, as: UTF8.self)
            guard Array(odd.utf8) == value.wire else { continue }
            let question = mutation.pick(Question.allCases)
            let command = Self.command(question, mutation.pick(["TIME", "GET", "XREVRANGE", "XINFO"]))
            redis.answer(command, .text(odd))
            var echoes: [StoreReply] = []
            var answers = 0
            subject.backend.lookUp(["ECHO", "before \(round)"], now: subject.loop.now) { echoes.append($0) }
            Self.ask(question, subject, round) { isGood in
                answers += 1
                if isGood { #expect(Self.mayBeGood(question, value), "\(question): \(odd.debugDescription)") }
            }
            subject.backend.lookUp(["ECHO", "after \(round)"], now: subject.loop.now) { echoes.append($0) }
            try subject.until("the answers") { echoes.count == 2 && answers >= 1 }
            #expect(echoes == [.text("before \(round)"), .text("after \(round)")], "\(odd.debugDescription)")
            #expect(answers == 1)
            redis.answer(command, RedisBackendHarness.healthy[command])
        }
        #expect(redis.acceptedCount == 2, "an odd answer is no reason to leave")
        #expect(subject.backend.commands.pendingCount == 0)
    }

    @Test("odd messages are events, revocations and grants as far as they go, and the next ones are heard")
    func messages() throws {
        let redis = try ScriptedRedis(RedisBackendHarness.healthy)
        let subject = try RedisBackendHarness(redis.url)
        var listening = false
        subject.backend.listen("orders:1", after: nil, now: subject.loop.now) { listening = $0 != nil }
        try subject.until("the topic") { listening }
        var mutation = ReplyMutation(seed: 78)
        let good = [
            "@1764500000000-0 status\n{\"a\":1}", "@5-6 a\nb", "plain", #"{"user_id":5521,"reason":"x"}"#,
            #"{"topic":"orders:1","user":"5521"}"#, "",
        ].map { Array($0.utf8) }
        for batch in 0..<40 {
            var text = ""
            for _ in 0..<100 {
                let payload = String(
                    decoding: mutation.mutated(mutation.pick(good), with: mutation.pick(good)), as: UTF8.self)
                text += Self.message(mutation.pick(["orders:1", "revocations", "grants", "other"]), payload)
            }
            text +=
                Self.message("orders:1", "sentinel \(batch)")
                + Self.message("revocations", #"{"user_id":"s\#(batch)"}"#)
            // To the link for commands too, which has asked for none of it.
            redis.push(.text(text))
            try subject.until("the messages behind the odd ones") {
                subject.delivered.last?.data == Array("sentinel \(batch)".utf8)
                    && subject.revocations.last?.user == "s\(batch)"
            }
        }
        let ids = subject.delivered.compactMap(\.id)
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        #expect(subject.delivered.allSatisfy { $0.topic == "orders:1" })
        #expect(subject.malformed > 0)
        #expect(redis.acceptedCount == 2)
    }

    // MARK: Questions

    private static func command(_ question: Question, _ ofReading: String) -> String {
        switch question {
        case .publish, .spread: "FCALL"
        case .handOver: "XADD"
        case .lookUp: "HGET"
        case .redeem: "GETDEL"
        case .store: "SET"
        case .listen: ofReading
        }
    }

    private static func ask(
        _ question: Question, _ subject: RedisBackendHarness, _ round: Int, answer: @escaping (Bool) -> Void
    ) {
        let (backend, now) = (subject.backend, subject.loop.now)
        switch question {
        case .publish:
            let event = Publication(topic: "orders:1", name: "n", data: [0x31], isJSON: true)
            backend.publish(event, now: now) { answer($0 != nil) }
        case .handOver:
            let message = InboundMessage(
                user: "u", role: "rider", connection: 1, type: "t", ref: nil, body: [], at: now.wall)
            backend.handOver(message, answer: answer)
        case .spread: backend.spread(revocation: Array(#"{"jti":"x"}"#.utf8), answer: answer)
        case .lookUp: backend.lookUp(["HGET", "order:1", "customer_id"], now: now) { answer($0 == .text("7001")) }
        case .redeem: backend.redeem(ticket: "t", now: now) { answer($0 == .text("7001")) }
        case .store: backend.store(ticket: "t", value: [0x31], now: now) { answer($0 == .ok) }
        case .listen: backend.listen("feeds:\(round)", after: nil, now: now) { answer($0 != nil) }
        }
    }

    /// Whether that answer may be taken for a yes, or for the user of the order.
    private static func mayBeGood(_ question: Question, _ value: RESPValue) -> Bool {
        switch question {
        case .publish, .handOver: value.bytes.flatMap { EventID(String(decoding: $0, as: UTF8.self)) } != nil
        case .spread: value.integer != nil
        case .lookUp, .redeem: value.bytes == Array("7001".utf8)
        case .store: value == .simpleString(Array("OK".utf8))
        case .listen: true
        }
    }

    private static func message(_ channel: String, _ payload: String) -> String {
        ">3\r\n$7\r\nmessage\r\n$\(channel.utf8.count)\r\n\(channel)\r\n$\(payload.utf8.count)\r\n\(payload)\r\n"
    }
}
