import Glibc
import Testing

@testable import TiffinLiveCore

/// The backend on a loop of the test, with a Redis that answers one question oddly: the questions before and after it get
/// their own answers, and each gets one.
@Suite("Redis answers one question oddly", .serialized)
struct RedisBackendFuzzTests {
    private enum Question: CaseIterable {
        case publish, handOver, spread, lookUp, redeem, store, listen
    }

    private final class Subject {
        let redis: ScriptedRedis
        let loop: EventLoop
        let backend: RedisBackend
        private(set) var delivered: [Event] = []
        private(set) var revocations: [Revocation] = []
        private(set) var malformed = 0
        private let log: Int32

        init() throws {
            redis = try ScriptedRedis(Self.healthy)
            loop = try EventLoop()
            log = open("/dev/null", O_WRONLY | O_CLOEXEC)
            let configuration = try ServerConfiguration.load(
                path: nil,
                overrides: [
                    #"tokens.keys="file:x""#, #"redis={url:"redis://127.0.0.1:\#(redis.port)",timeout:"60s"}"#,
                ])
            let settings = try #require(configuration.redis)
            backend = try RedisBackend(
                settings, link: settings.connectionSettings(), configuration: configuration, server: "test", loop: loop,
                logger: try Logger(descriptor: log, level: .error, repeatWindow: 0))
            backend.deliver = { [unowned self] in delivered.append($0) }
            backend.revocations.act = { [unowned self] revocation, _, closed in
                revocations.append(revocation)
                closed(0)
            }
            backend.revocations.malformed = { [unowned self] in malformed += 1 }
            backend.start()
            try until("a ready backend") { backend.isReady }
        }

        deinit {
            backend.stop()
            close(log)
        }

        static let healthy: [String: ScriptedRedis.Answer] = [
            "TIME": .text("*2\r\n$10\r\n1764500000\r\n$1\r\n0\r\n"), "GET": .text("$1\r\n0\r\n"),
            "XREVRANGE": .text("*0\r\n"), "XINFO": .text("-ERR no such key\r\n"), "ZRANGEBYSCORE": .text("*0\r\n"),
            "FCALL": .text("$15\r\n1764500000000-0\r\n"),
        ]

        func until(_ what: String, _ condition: () -> Bool) throws {
            let end = Clock.monotonic() + 60 * .second
            while !condition() {
                guard Clock.monotonic() < end else { throw RawClientError.timedOut(waitingFor: what) }
                loop.turn(waitingAtMost: 10 * .millisecond)
            }
        }
    }

    private static let corpus: [RESPValue] = [
        .bulkString("1764500000000-0"), .integer(2), .bulkString("7001"), .simpleString(Array("OK".utf8)), .null,
        .array([.bulkString("1764500000"), .bulkString("999")]),
        .array([.array([.bulkString("5-0"), .array([.bulkString("event"), .bulkString("e")])])]),
        .map([.init(key: .bulkString("entries-added"), value: .integer(4))]),
    ]

    @Test("an odd answer is nobody else's, in three thousand rounds")
    func crossing() throws {
        let subject = try Subject()
        var mutation = ReplyMutation(seed: 77)
        for round in 0..<3000 {
            // As text, because the script is one: what is no UTF-8 the pure tests have.
            let value = mutation.mutated(mutation.pick(Self.corpus))
            let odd = String(decoding: value.wire, as: UTF8.self)
            guard Array(odd.utf8) == value.wire else { continue }
            let question = mutation.pick(Question.allCases)
            let command = Self.command(question, mutation.pick(["TIME", "GET", "XREVRANGE", "XINFO"]))
            subject.redis.answer(command, .text(odd))
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
            subject.redis.answer(command, Subject.healthy[command])
        }
        #expect(subject.redis.acceptedCount == 2, "an odd answer is no reason to leave")
        #expect(subject.backend.commands.pendingCount == 0)
    }

    @Test("odd messages are events, revocations and grants as far as they go, and the next ones are heard")
    func messages() throws {
        let subject = try Subject()
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
            subject.redis.push(.text(text))
            try subject.until("the messages behind the odd ones") {
                subject.delivered.last?.data == Array("sentinel \(batch)".utf8)
                    && subject.revocations.last?.user == "s\(batch)"
            }
        }
        let ids = subject.delivered.compactMap(\.id)
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        #expect(subject.delivered.allSatisfy { $0.topic == "orders:1" })
        #expect(subject.malformed > 0)
        #expect(subject.redis.acceptedCount == 2)
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

    private static func ask(_ question: Question, _ subject: Subject, _ round: Int, answer: @escaping (Bool) -> Void) {
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
