import Testing

@testable import TiffinLiveCore

extension EmbeddedStore {
    fileprivate mutating func run(_ words: String..., now: Nanoseconds = 0) -> StoreReply { execute(words, now: now) }
}

@Suite("The embedded store answers as Redis does")
struct EmbeddedStoreTests {
    @Test("strings")
    func strings() {
        var store = EmbeddedStore()
        #expect(store.run("GET", "a") == .null)
        #expect(store.run("SET", "a", "1") == .ok)
        #expect(store.run("get", "a") == .text("1"))
        #expect(store.run("SET", "a", "2", "NX") == .null)
        #expect(store.run("GETDEL", "a") == .text("1"))
        #expect(store.run("GETDEL", "a") == .null)
        #expect(store.run("SET", "a", "2", "NX") == .ok)
        #expect(store.run("DEL", "a", "b", "a") == .integer(1))
        #expect(store.count == 0)
    }

    @Test("hashes")
    func hashes() {
        var store = EmbeddedStore()
        #expect(store.run("HSET", "order:123", "customer_id", "7001", "state", "new") == .integer(2))
        #expect(store.run("HSET", "order:123", "customer_id", "7002", "x", "y", "x", "z") == .integer(1))
        #expect(store.run("HGET", "order:123", "customer_id") == .text("7002"))
        #expect(store.run("HGET", "order:123", "x") == .text("z"))
        #expect(store.run("HGET", "order:123", "nothing") == .null)
        #expect(store.run("HGET", "order:124", "customer_id") == .null)
        guard case .error = store.run("HSET", "order:123", "a", "b", "c") else {
            Issue.record("taken")
            return
        }
    }

    @Test("sets")
    func sets() {
        var store = EmbeddedStore()
        #expect(store.run("SADD", "s", "a", "b", "a") == .integer(2))
        #expect(store.run("SISMEMBER", "s", "a") == .integer(1))
        #expect(store.run("SISMEMBER", "s", "c") == .integer(0))
        #expect(store.run("SISMEMBER", "t", "a") == .integer(0))
        #expect(store.run("SREM", "s", "a", "c") == .integer(1))
        #expect(store.run("SREM", "s", "b") == .integer(1))
        #expect(store.run("SREM", "s", "b") == .integer(0))
        #expect(store.count == 0)
    }

    @Test("a key of another kind is an error and stays as it is")
    func wrongType() {
        var store = EmbeddedStore()
        _ = store.run("SET", "string", "1")
        _ = store.run("HSET", "hash", "f", "1")
        _ = store.run("SADD", "set", "1")
        let wrong = [
            ["HSET", "string", "f", "1"], ["HGET", "set", "f"], ["SADD", "hash", "1"], ["SREM", "string", "1"],
            ["SISMEMBER", "hash", "1"], ["GET", "set"], ["GETDEL", "hash"], ["SADD", "string", "x"],
            ["HSET", "set", "a", "b"],
        ]
        for command in wrong {
            guard case .error(let text) = store.execute(command, now: 0), text.hasPrefix("WRONGTYPE") else {
                Issue.record("\(command)")
                continue
            }
        }
        #expect(store.run("GET", "string") == .text("1"))
        #expect(store.run("HGET", "hash", "f") == .text("1"))
        #expect(store.run("SISMEMBER", "set", "1") == .integer(1))
        #expect(store.run("SET", "set", "now a string") == .ok)
        #expect(store.run("GET", "set") == .text("now a string"))
    }

    @Test("keys expire on time, and setting them anew takes the time away")
    func expiry() {
        var store = EmbeddedStore()
        #expect(store.run("SET", "t", "v", "EX", "30", "NX", now: 5) == .ok)
        #expect(store.run("GET", "t", now: 30 * .second + 4) == .text("v"))
        #expect(store.run("SET", "t", "w", "nx", "ex", "1", now: 30 * .second + 4) == .null)
        #expect(store.run("GET", "t", now: 30 * .second + 5) == .null)
        #expect(store.run("EXPIRE", "t", "1", now: 0) == .integer(0))
        _ = store.run("SET", "t", "v", "EX", "1", now: 0)
        _ = store.run("SET", "t", "v", now: 0)
        #expect(store.run("GET", "t", now: 10 * .second) == .text("v"))
        #expect(store.run("EXPIRE", "t", "2", now: 10 * .second) == .integer(1))
        #expect(store.run("GETDEL", "t", now: 12 * .second) == .null)
        _ = store.run("HSET", "h", "f", "v", now: 0)
        #expect(store.run("EXPIRE", "h", "0", now: 0) == .integer(1))
        #expect(store.run("HGET", "h", "f", now: 0) == .null)
    }

    @Test("an expired key of another kind is no longer in the way")
    func expiredKind() {
        var store = EmbeddedStore()
        _ = store.run("SET", "k", "v", "EX", "1", now: 0)
        #expect(store.run("SADD", "k", "m", now: .second) == .integer(1))
        #expect(store.run("DEL", "k", now: 100 * .second) == .integer(1))
    }

    @Test(
        "refuses what is no command",
        arguments: [
            [], ["FLUSHALL"], ["GET"], ["GET", "a", "b"], ["SET", "a"], ["SET", "a", "b", "EX"],
            ["SET", "a", "b", "EX", "0"],
            ["SET", "a", "b", "EX", "-1"], ["SET", "a", "b", "EX", "x"],
            ["SET", "a", "b", "EX", "9223372036854775807"],
            ["SET", "a", "b", "NX", "NX"], ["SET", "a", "b", "XX"], ["SET", "a", "b", "EX", "1", "EX", "1"], ["DEL"],
            ["EXPIRE", "a"], ["HSET", "a", "b"], ["HGET", "a"], ["SADD", "a"], ["SREM", "a"], ["SISMEMBER", "a"], [""],
            ["EXPIRE", "known", "x"], ["EXPIRE", "known", "9223372036854775807"],
        ])
    func refuses(command: [String]) {
        var store = EmbeddedStore()
        _ = store.run("SET", "known", "v")
        guard case .error = store.execute(command, now: 0) else {
            Issue.record("\(command) was taken")
            return
        }
        #expect(store.count == 1)
    }

    @Test("memory is bounded, and comes back in full")
    func bounded() {
        var store = EmbeddedStore(maximumBytes: 10_000)
        var stored = 0
        while case .ok = store.run("SET", "key\(stored)", "value") { stored += 1 }
        #expect(stored > 10 && stored < 100)
        guard case .error(let text) = store.run("SADD", "s", "m") else { return }
        #expect(text.hasPrefix("OOM"))
        for number in 0..<stored { _ = store.run("DEL", "key\(number)") }
        #expect(store.usedBytes == 0)
    }

    @Test("keys that nobody asks for again leave by themselves")
    func prune() {
        var store = EmbeddedStore()
        _ = store.run("SET", "forever", "v")
        for number in 0..<100 { _ = store.run("SET", "t\(number)", "v", "EX", number % 2 == 0 ? "1" : "1000") }
        for _ in 0..<100 { store.prune(now: 2 * .second, steps: 2) }
        #expect(store.count == 51)
        for _ in 0..<50 { store.prune(now: 2000 * .second, steps: 2) }
        #expect(store.count == 1)
    }

    @Test("its accounts are right after any mixture of commands", arguments: 1...20)
    func accounts(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var store = EmbeddedStore()
        var now: Nanoseconds = 0
        let commands: [[String]] = [
            ["SET", "K", "V"], ["SET", "K", "V", "EX", "1"], ["GET", "K"], ["GETDEL", "K"], ["DEL", "K"],
            ["EXPIRE", "K", "1"],
            ["HSET", "K", "M", "V"], ["HGET", "K", "M"], ["SADD", "K", "M"], ["SREM", "K", "M"],
            ["SISMEMBER", "K", "M"],
        ]
        for _ in 0..<2000 {
            now += Nanoseconds.random(in: 0..<300 * .millisecond, using: &random)
            let command = commands[Int.random(in: 0..<commands.count, using: &random)].enumerated().map { index, word in
                switch word {
                case "K": "k\(Int.random(in: 0..<5, using: &random))"
                case "M": "m\(Int.random(in: 0..<5, using: &random))"
                case "V": String(repeating: "v", count: Int.random(in: 0..<9, using: &random))
                default: word
                }
            }
            _ = store.execute(command, now: now)
            #expect(store.usedBytes >= store.count * 64)
        }
        for key in 0..<5 { _ = store.run("DEL", "k\(key)", now: now) }
        #expect(store.usedBytes == 0)
        #expect(store.count == 0)
    }

    @Test("knows which commands only read")
    func readOnly() {
        for word in ["GET", "hget", "SISMEMBER", "EXISTS"] { #expect(EmbeddedStore.isReadOnly(word)) }
        for word in ["SET", "GETDEL", "DEL", "EXPIRE", "HSET", "EVAL", "FCALL", "KEYS", ""] {
            #expect(!EmbeddedStore.isReadOnly(word))
        }
        #expect(EmbeddedStore.knows("getdel"))
        #expect(!EmbeddedStore.knows("EXISTS"))
    }
}
