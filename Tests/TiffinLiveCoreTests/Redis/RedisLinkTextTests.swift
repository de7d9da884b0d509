import Testing

@testable import TiffinLiveCore

@Suite("Redis: what a link says of itself")
struct RedisLinkTextTests {
    private static let faults: [(RedisLinkFault, String)] = [
        (.unresolved("x"), "unresolved"), (.unreachable("x"), "unreachable"),
        (.connectTimedOut, "connect_timed_out"), (.tls("x"), "tls"), (.closedByPeer, "closed"),
        (.broken("x"), "broken"), (.silent, "silent"), (.greetingTimedOut, "greeting_timed_out"),
        (.wrongPassword, "wrong_password"), (.passwordRequired, "password_required"), (.loading, "loading"),
        (.readOnly, "read_only"), (.primaryDown, "primary_down"), (.databaseRefused(code: "X"), "database_refused"),
        (.tooManyClients, "too_many_clients"), (.refused(code: "X"), "refused"),
        (.malformed(.lineTooLong), "malformed"), (.outOfStep, "out_of_step"), (.stopped, "stopped"),
    ]

    @Test("each kind of fault has a word of its own that a metric can take")
    func words() {
        for (fault, word) in Self.faults { #expect(fault.word == word) }
        #expect(Set(Self.faults.map(\.1)).count == Self.faults.count)
    }

    @Test("each kind has a sentence of its own, with what is known of the cause")
    func sentences() {
        #expect(Set(Self.faults.map(\.0.description)).count == Self.faults.count)
        #expect(RedisLinkFault.unresolved("no such name").description.hasSuffix(": no such name"))
        #expect(RedisLinkFault.tls("expired").description == "TLS: expired")
        #expect(RedisLinkFault.databaseRefused(code: "ERR").description.contains("(ERR)"))
        #expect(RedisLinkFault.refused(code: "BUSY").description.contains("(BUSY)"))
        #expect(RedisLinkFault.malformed(.tooDeep).description.contains("tooDeep"))
    }

    @Test(
        "only four codes concern the whole link",
        arguments: [
            ("NOAUTH", .passwordRequired), ("LOADING", .loading), ("READONLY", .readOnly),
            ("MASTERDOWN", .primaryDown), ("ERR", nil), ("", nil), ("noauth", nil), ("NOAUTHX", nil),
            ("WRONGPASS", nil), ("NOPERM", nil), ("MISCONF", nil),
        ] as [(String, RedisLinkFault?)])
    func codes(_ code: String, _ fault: RedisLinkFault?) {
        #expect(RedisLinkFault(errorCode: code) == fault)
    }

    @Test("errors of an address say what is wrong, each in its own words")
    func addressErrors() {
        let errors: [RedisURLError] = [
            .unknownScheme, .malformed, .malformedCredentials, .malformedHost, .malformedPort, .malformedDatabase,
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
    }

    @Test(
        "a replica is known by either name",
        arguments: [("replica", true), ("slave", true), ("master", false), ("", false), ("REPLICA", false)])
    func replica(_ role: String, _ isReplica: Bool) {
        let hello = RESPValue.map([.init(key: .simpleString("role"), value: .bulkString(role))])
        #expect(RedisServerInfo(hello).isReplica == isReplica)
        #expect(RedisServerInfo(hello).protocolVersion == 3)
    }

    @Test("what Redis says of itself is cut for the logs, and what it does not say is empty")
    func cut() {
        let long = String(repeating: "v", count: 1000)
        let hello = RESPValue.array([.bulkString("version"), .bulkString(long), .bulkString("mode"), .integer(1)])
        let info = RedisServerInfo(hello)
        #expect(info.version == String(repeating: "v", count: 32))
        #expect(info.mode == "" && info.role == "")
        #expect(RedisServerInfo(.simpleString("OK")).version == "")
    }

    @Test("bytes, integers and elements are found where they are, and nowhere else")
    func values() {
        #expect(RESPValue.verbatimString(format: Array("txt".utf8), [1]).bytes == [1])
        #expect(RESPValue.simpleString("a").bytes == [0x61])
        #expect(RESPValue.integer(5).bytes == nil && RESPValue.integer(5).integer == 5)
        #expect(RESPValue.bulkString("5").integer == nil && RESPValue.bulkString("5").elements == nil)
        for value: RESPValue in [.array([.null]), .set([.null]), .push([.null])] { #expect(value.elements == [.null]) }
        #expect(RESPValue.map([]).elements == nil && RESPValue.bigNumber([0x31]).bytes == nil)
        #expect(RESPValue.error("ERR", "x").bytes == nil && RESPValue.boolean(true).integer == nil)
    }

    @Test("of two entries under one key the first counts, and values are no keys", arguments: [true, false])
    func keys(_ isMap: Bool) {
        let texts = ["a", "b", "b", "1", "b", "2"]
        let entries = stride(from: 0, to: 6, by: 2).map {
            RESPValue.Entry(key: .bulkString(texts[$0]), value: .bulkString(texts[$0 + 1]))
        }
        let value = isMap ? RESPValue.map(entries) : .array(texts.map { .bulkString($0) })
        #expect(value["b"] == .bulkString("1"))
        #expect(value["1"] == nil && value["2"] == nil)
        #expect(RESPValue.array([.integer(1), .integer(2), .bulkString("k"), .null])["k"] == .null)
    }

    @Test(
        "commands that change the connection are known in any case, and others are not taken for them",
        arguments: [
            "subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe", "monitor", "reset",
            "quit", "hello", "auth", "select", "sync", "psync", "replconf", "shutdown", "multi", "exec", "discard",
        ])
    func rules(_ word: String) {
        func isTaken(_ words: String...) -> Bool { RedisCommandRule.hasOneReply(words.map { Array($0.utf8) }) }
        #expect(!isTaken(word) && !isTaken(word.uppercased(), "x"))
        #expect(isTaken(word + "x") && isTaken(String(word.dropLast())) && isTaken("GET", word))
        #expect(!isTaken("Client", "Reply", "on") && isTaken("client", "no-evict") && isTaken("client"))
        #expect(!RedisCommandRule.hasOneReply([]) && !RedisCommandRule.hasOneReply([[], Array("GET".utf8)]))
    }
}
