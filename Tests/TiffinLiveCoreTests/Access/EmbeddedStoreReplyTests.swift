import Testing

@testable import TiffinLiveCore

extension EmbeddedStore {
    fileprivate mutating func run(_ line: String, now: Nanoseconds = 0) -> StoreReply {
        execute(line.split(separator: " ").map(String.init), now: now)
    }
}

@Suite("Replies of the embedded store, word by word")
struct EmbeddedStoreReplyTests {
    @Test(
        "an error says what Redis says of it",
        arguments: [
            ("NOPE", "ERR unknown command"), ("GET", "ERR wrong number of arguments for 'get' command"),
            ("get a b", "ERR wrong number of arguments for 'get' command"),
            ("SET a 1 EX", "ERR syntax error"), ("SET a 1 XX", "ERR syntax error"),
            ("SET a 1 NX NX", "ERR syntax error"),
            ("SET a 1 EX 5 EX", "ERR syntax error"), ("SET a 1 EX ten", "ERR value is not an integer or out of range"),
            ("SET a 1 EX 9223372036854775808", "ERR value is not an integer or out of range"),
            ("SET a 1 EX 0", "ERR invalid expire time in 'set' command"),
            ("SET a 1 EX -5", "ERR invalid expire time in 'set' command"),
            ("SET a 1 EX 9223372037", "ERR invalid expire time in 'set' command"),
            ("SET a 1 NX EX 5 NX", "ERR wrong number of arguments for 'set' command"),
            ("EXPIRE s x", "ERR value is not an integer or out of range"),
            ("EXPIRE gone x", "ERR value is not an integer or out of range"),
            ("EXPIRE s 9223372037", "ERR invalid expire time in 'expire' command"),
            ("HSET h a", "ERR wrong number of arguments for 'hset' command"),
            ("HSET h a b c", "ERR wrong number of arguments for 'hset' command"),
            ("HGET s f", "WRONGTYPE Operation against a key holding the wrong kind of value"),
        ])
    func errors(_ line: String, _ text: String) {
        var store = EmbeddedStore()
        _ = store.run("SET s 1")
        let used = store.usedBytes
        #expect(store.run(line) == .error(text))
        #expect(store.usedBytes == used && store.count == 1)
        #expect(store.run("GET s") == .text("1"))
    }

    @Test("options of SET come in any order and in any case")
    func options() {
        var store = EmbeddedStore()
        #expect(store.run("set a 1 ex 10 nx") == .ok)
        #expect(store.run("SET a 2 nX eX 10") == .null)
        #expect(store.run("GET a", now: 10 * .second - 1) == .text("1"))
        #expect(store.run("GET a", now: 10 * .second) == .null)
    }

    @Test("a refused SET NX leaves value and time as they are")
    func onlyIfAbsent() {
        var store = EmbeddedStore()
        _ = store.run("SET a 1 EX 10")
        #expect(store.run("SET a 2 NX EX 1000", now: 5 * .second) == .null)
        #expect(store.run("GET a", now: 5 * .second) == .text("1"))
        #expect(store.run("GET a", now: 10 * .second) == .null)
        _ = store.run("HSET h f v")
        #expect(store.run("SET h x NX") == .null, "a key of any kind is in the way")
        #expect(store.run("HGET h f") == .text("v"))
    }

    @Test("SET over a key of any kind takes its place, and its bytes are given back", arguments: ["HSET", "SADD"])
    func overwrites(_ command: String) {
        var store = EmbeddedStore()
        _ = store.run("SET a 1")
        let used = store.usedBytes
        _ = store.run("DEL a")
        _ = store.execute([command, "a", "one", "two", "three", "four"], now: 0)
        #expect(store.usedBytes > used)
        #expect(store.run("SET a 1") == .ok)
        #expect(store.usedBytes == used)
    }

    @Test("a key, field or value is charged with its bytes and 64 more")
    func charges() {
        var store = EmbeddedStore()
        func run(_ line: String, _ bytes: Int) {
            _ = store.run(line)
            #expect(store.usedBytes == bytes, "\(line)")
        }
        run("SET key value", 3 + 5 + 2 * 64)
        run("SET key v", 3 + 1 + 2 * 64)
        run("DEL key", 0)
        run("HSET h f 12 g 3", 1 + 1 + 2 + 1 + 1 + 5 * 64)
        run("HSET h f 1 g 3", 1 + 1 + 1 + 1 + 1 + 5 * 64)
        run("HSET h k 1 k 22", 1 + 1 + 1 + 1 + 1 + 1 + 2 + 7 * 64)
        run("DEL h", 0)
        run("SADD s one two one", 1 + 3 + 3 + 3 * 64)
        run("SREM s one nine", 1 + 3 + 2 * 64)
        run("SREM s two", 0)
        run("SET t v EX 5", 1 + 1 + 2 * 64)
        run("EXPIRE t 0", 0)
    }

    @Test("a write is taken up to the last byte of room, and refused with one more")
    func room() {
        let size = 1 + 5 + 2 * 64
        var exact = EmbeddedStore(maximumBytes: size)
        #expect(exact.run("SET k 12345") == .ok)
        #expect(exact.run("DEL k") == .integer(1))
        let oom = StoreReply.error("OOM command not allowed: the embedded store is full")
        #expect(exact.run("SET k 123456") == oom)
        for line in ["SET k 123456", "HSET k f 123456", "SADD k 123456"] {
            #expect(exact.run(line) == oom, "\(line)")
            #expect(exact.count == 0)
        }
        // What takes nothing is always served.
        #expect(exact.run("SET k 12345") == .ok)
        for line in ["GET k", "EXPIRE k 5", "SREM x y", "SISMEMBER x y", "HGET x y"] {
            #expect(exact.run(line) != oom, "\(line)")
        }
        #expect(exact.run("GETDEL k") == .text("12345"))
    }

    @Test("room that an expired key took is given back to the very write that asks for it")
    func roomOfTheExpired() {
        var store = EmbeddedStore(maximumBytes: 265)
        #expect(store.run("SET k 12345 EX 1") == .ok)
        #expect(store.run("SET k 12345") != .ok)
        #expect(store.run("SET k 12345", now: .second) == .ok)
    }

    @Test("HSET and SADD leave the time of a key as it is, and DEL takes it away")
    func timeOfAggregates() {
        var store = EmbeddedStore()
        for (make, more, ask) in [("HSET k f 1", "HSET k g 1", "HGET k g"), ("SADD k f", "SADD k g", "SISMEMBER k g")] {
            _ = store.run(make)
            #expect(store.run("EXPIRE k 10") == .integer(1))
            _ = store.run(more, now: 9 * .second)
            #expect(store.run(ask, now: 10 * .second - 1) != .null)
            _ = store.run(ask, now: 10 * .second)
            #expect(store.count == 0)
            _ = store.run(make)
            _ = store.run("EXPIRE k 10")
            _ = store.run("DEL k")
            _ = store.run(make)
            #expect(store.run("DEL k", now: 100 * .second) == .integer(1))
        }
    }

    @Test("EXPIRE takes the place of the time that was, sooner or later, and a time below one ends the key")
    func expire() {
        var store = EmbeddedStore()
        _ = store.run("SET a 1 EX 10")
        #expect(store.run("EXPIRE a 100") == .integer(1))
        #expect(store.run("GET a", now: 50 * .second) == .text("1"))
        #expect(store.run("EXPIRE a 1", now: 50 * .second) == .integer(1))
        #expect(store.run("GET a", now: 51 * .second) == .null)
        _ = store.run("SET a 1")
        #expect(store.run("EXPIRE a -9223372036854775808") == .integer(1))
        #expect(store.run("GET a") == .null)
        #expect(store.run("EXPIRE a 0") == .integer(0))
    }

    @Test("DEL counts the keys that were there, each once, and no expired one")
    func del() {
        var store = EmbeddedStore()
        for line in ["SET a 1", "SET b 1 EX 1", "HSET c f v", "SADD d m"] { _ = store.run(line) }
        #expect(store.run("DEL a b c d e a", now: .second) == .integer(3))
        #expect(store.count == 0 && store.usedBytes == 0)
    }

    @Test("DEL counts no expired key, wherever it stands among the words")
    func delExpired() {
        var store = EmbeddedStore()
        for number in 0..<10 { _ = store.run("SET k\(number) v EX 1") }
        _ = store.run("SET forever v")
        // Two leave before any command: k9 is not among them.
        #expect(store.run("DEL forever k8 k9", now: .second) == .integer(1))
        #expect(store.count == 6)
    }

    @Test("an expired key leaves with any command, two at a time, and never one that lives")
    func leaves() {
        var store = EmbeddedStore()
        for number in 0..<10 { _ = store.run("SET k\(number) v EX 1") }
        _ = store.run("SET forever v")
        _ = store.run("GET other", now: 2 * .second)
        #expect(store.count == 9)
        store.prune(now: 2 * .second, steps: 0)
        store.prune(now: 2 * .second, steps: -1)
        #expect(store.count == 9)
        store.prune(now: 2 * .second, steps: 100)
        #expect(store.count == 1)
    }

    @Test("a key is dropped at the very nanosecond of its end, not before")
    func pruneMoment() {
        var store = EmbeddedStore()
        _ = store.run("SET k v EX 1")
        store.prune(now: .second - 1, steps: 1)
        #expect(store.count == 1)
        store.prune(now: .second, steps: 1)
        #expect(store.count == 0 && store.usedBytes == 0)
    }

    @Test(
        "a command has at most 1,024 words, and one of as many is taken whole",
        arguments: [("DEL", 1023, 1), ("HSET", 1022, 511), ("SADD", 1022, 1022), ("SREM", 1022, 0)]
            as [(String, Int, Int64)])
    func words(_ command: String, _ count: Int, _ reply: Int64) {
        var store = EmbeddedStore()
        _ = store.run("SET 0 v")
        // DEL has keys only, the others a key and then their words.
        let words = (command == "DEL" ? [command] : [command, "k"]) + (0..<count).map { "\($0)" }
        #expect(words.count == 1024)
        #expect(store.execute(words, now: 0) == .integer(reply))
        let error = StoreReply.error("ERR wrong number of arguments for '\(command.lowercased())' command")
        #expect(store.execute(words + ["x"], now: 0) == error)
        #expect(store.execute(words + ["x", "y"], now: 0) == error)
    }

    @Test("words are bytes, also empty ones and those that only look equal")
    func bytes() {
        var store = EmbeddedStore()
        #expect(store.execute(["SET", "", ""], now: 0) == .ok)
        #expect(store.execute(["GET", ""], now: 0) == .text(""))
        _ = store.execute(["SADD", "s", "caf\u{E9}"], now: 0)
        #expect(store.execute(["SISMEMBER", "s", "cafe\u{301}"], now: 0) == .integer(0))
        #expect(store.execute(["SISMEMBER", "s", "caf\u{E9}"], now: 0) == .integer(1))
    }

    @Test(
        "the read-only commands are these nine, in any case",
        arguments: ["GET", "HGET", "SISMEMBER", "HEXISTS", "EXISTS", "GETBIT", "GETRANGE", "LINDEX", "ZSCORE"])
    func readOnly(_ word: String) {
        #expect(EmbeddedStore.isReadOnly(word) && EmbeddedStore.isReadOnly(word.lowercased()))
        #expect(!EmbeddedStore.isReadOnly(word + " ") && !EmbeddedStore.isReadOnly(word + "S"))
    }
}
