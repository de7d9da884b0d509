import Testing

@testable import TiffinLiveCore

/// `doctor` with a Redis of the test's own, healthy and faulty.
@Suite("Doctor and Redis", .enabled(if: RedisServer.isInstalled))
struct DoctorRedisTests {
    /// One that loses nothing.
    private static func durable(_ more: [String] = [], password: String? = nil) throws -> RedisServer {
        try RedisServer(["appendonly yes"] + more, password: password)
    }

    /// The rules that docs/redis.md has for a server.
    private static func documentedRules() throws -> [String] {
        let text = try ProjectFile.text("docs/redis.md").replacing(" \\\n", with: " ")
        let line = text.split(separator: "\n").first { $0.hasPrefix("ACL SETUSER tiffin-live ") } ?? ""
        return line.split(separator: " ").map { $0.hasPrefix(">") ? ">secret" : String($0) }
    }

    private static func signedIn(_ harness: DoctorHarness, _ redis: RedisServer) throws -> String {
        let file = try harness.write("secret\n", to: "password")
        return DoctorHarness.redis(redis, #",username:"tiffin-live",password:"file:\#(file)""#)
    }

    @Test("a healthy Redis is told line by line, and nothing in it is changed")
    func healthy() throws {
        let harness = try DoctorHarness()
        let redis = try Self.durable()
        try redis.command("SET", "ticket:a", "88", "EX", "30")
        try redis.command("XADD", "inbound", "*", "user", "1")
        try redis.command("XADD", "events:orders:1", "*", "event", "status", "data", "1")
        let before = try redis.command("DEBUG", "DIGEST")
        let lines = try harness.examine([DoctorHarness.redis(redis)])
        #expect(lines.allSatisfy { $0.hasPrefix("ok       ") }, "\(lines)")
        for subject in ["version", "clock", "functions", "rights", "memory", "persistence", "tickets"] {
            #expect(lines.contains { $0.hasPrefix("ok       redis \(subject): ") }, "\(subject)")
        }
        #expect(try redis.command("DEBUG", "DIGEST") == before)
        #expect(try redis.command("FUNCTION", "LIST").elements?.isEmpty == true)
    }

    @Test("the documented rights are enough, and what they do not let be seen is unknown and no fault")
    func documentedRights() throws {
        let harness = try DoctorHarness()
        let redis = try Self.durable()
        let tickets = ["~ticket:*", "+set", "+getdel"]
        #expect(try redis.command(Self.documentedRules() + tickets).bytes == Array("OK".utf8))
        let lines = try harness.examine([Self.signedIn(harness, redis)])
        #expect(DoctorHarness.faults(of: lines) == [])
        #expect(lines.contains { $0.hasPrefix("ok       redis rights: ") })
        #expect(lines.contains { $0.hasPrefix("unknown  redis memory: ") })
        // Without those of tickets they are named.
        try redis.command(Self.documentedRules() + ["reset"])
        try redis.command(Self.documentedRules())
        let faults = try harness.faults([Self.signedIn(harness, redis)])
        #expect(faults.count == 1)
        #expect(faults.first?.hasSuffix("ACL SETUSER tiffin-live +set ~ticket:* +getdel") == true)
    }

    @Test(
        "a right that is missing is named as the rule that gives it",
        arguments: [
            ("-hget", "+hget ~order:*"), ("-xadd", "+xadd ~inbound"), ("-xtrim", "+xtrim ~events:*"),
            ("-publish", "+publish &riders:*"), ("-fcall", "+fcall ~events:*"), ("-zadd", "+zadd ~revocations:log"),
            ("-getdel", "+getdel ~ticket:*"), ("-time", "+time"), ("-xinfo", "+xinfo|stream ~events:*"),
            ("-expire", "+expire ~events:*"), ("-xrevrange", "+xrevrange ~events:*"),
            ("-zremrangebyscore", "+zremrangebyscore ~revocations:log"),
        ])
    func missingRight(taken: String, rule: String) throws {
        let harness = try DoctorHarness()
        let redis = try Self.durable()
        try redis.command(["ACL", "SETUSER", "tiffin-live", "on", ">secret", "~*", "&*", "+@all", taken])
        let faults = try harness.faults([Self.signedIn(harness, redis)])
        let named = try #require(faults.first { $0.hasPrefix("redis rights: ") }).split(separator: " ")
        for word in rule.split(separator: " ") { #expect(named.contains(word), "\(faults)") }
    }

    @Test("a channel that is refused is named")
    func missingChannel() throws {
        let harness = try DoctorHarness()
        let redis = try Self.durable()
        try redis.command([
            "ACL", "SETUSER", "tiffin-live", "on", ">secret", "~*", "resetchannels", "&riders:*", "&grants",
            "&orders:*", "+@all",
        ])
        let faults = try harness.faults([Self.signedIn(harness, redis)])
        #expect(faults.count == 1)
        #expect(faults.first?.hasSuffix(" tiffin-live +publish &restaurants:* &revocations") == true, "\(faults)")
    }

    @Test("functions that are missing or others are a fault only where the server may not load its own")
    func functions() throws {
        let harness = try DoctorHarness()
        let redis = try Self.durable()
        try redis.command(["ACL", "SETUSER", "tiffin-live", "on", ">secret", "~*", "&*", "+@all", "-function|load"])
        let settings = [try Self.signedIn(harness, redis)]
        func faults() throws -> [String] { try harness.faults(settings).filter { $0.hasPrefix("redis functions: ") } }
        #expect(try faults().first?.contains("the library tiffin_live is missing") == true)
        try redis.command(
            "FUNCTION", "LOAD", RedisFunctionLibrary.text(prefix: "events:", keep: 7, seconds: 3600))
        #expect(try faults().first?.contains("version 1, has other settings") == true)
        #expect(try harness.faults([DoctorHarness.redis(redis)]) == [])
        let library = RedisFunctionLibrary.source
        for (version, words) in [("0", "version 0, is older"), ("2", nil), ("1", nil)] as [(String, String?)] {
            try redis.command(
                "FUNCTION", "LOAD", "REPLACE",
                library.replacing("local VERSION = 1\n", with: "local VERSION = \(version)\n"))
            #expect(try faults().count == (words == nil ? 0 : 1))
            if let words { #expect(try faults().first?.contains(words) == true) }
        }
        #expect(try harness.faults(settings) == [])
    }

    @Test("a wrong password, none, and a file that is missing are told apart, and no password is shown")
    func passwords() throws {
        let harness = try DoctorHarness()
        let redis = try Self.durable(password: "correct")
        #expect(
            try harness.faults([DoctorHarness.redis(redis)]) == [
                "redis: Redis asks for a password: set redis.password"
            ])
        let file = try harness.write("guessed", to: "password")
        let wrong = try harness.examine([DoctorHarness.redis(redis, #",password:"file:\#(file)""#)])
        #expect(
            DoctorHarness.faults(of: wrong) == [
                "redis: Redis refused the user or the password: check redis.username and redis.password"
            ])
        #expect(!wrong.joined().contains("guessed"))
        let missing = try harness.faults([DoctorHarness.redis(redis, #",password:"file:\#(file).none""#)])
        #expect(missing.first?.contains("\(file).none") == true)
        try harness.write("correct\n", to: "password", mode: 0o644)
        let open = try harness.faults([DoctorHarness.redis(redis, #",password:"file:\#(file)""#)])
        #expect(open.count == 1)
        #expect(open.first?.hasPrefix("redis.password: everybody on this machine may use \(file)") == true)
    }

    @Test("a Redis that is away, or that is something else, is told with what to look at")
    func away() throws {
        let harness = try DoctorHarness()
        let redis = try RedisServer(starts: false)
        let away = try harness.faults([DoctorHarness.redis(redis)])
        #expect(away.count == 1)
        #expect(away.first?.hasPrefix("redis: Redis cannot be reached: Connection refused: ") == true)
        let server = try LiveServer()
        let other = try harness.faults(["redis={url:\"redis://127.0.0.1:\(server.port)\"}"])
        #expect(other.first?.contains("is it Redis that listens there?") == true)
    }

    @Test("a replica is a fault")
    func replica() throws {
        let harness = try DoctorHarness()
        let primary = try RedisServer()
        let replica = try RedisServer(["replicaof 127.0.0.1 \(primary.port)"])
        #expect(
            try harness.faults([DoctorHarness.redis(replica)]) == [
                "redis: Redis is a replica and takes no writes: redis.url must lead to the primary"
            ])
    }

    @Test("a Redis that may throw keys away, keeps nothing, or holds tickets for ever is a fault")
    func losses() throws {
        let harness = try DoctorHarness()
        let redis = try RedisServer(["maxmemory 100mb", "maxmemory-policy allkeys-lru"])
        try redis.command("SET", "ticket:for-ever", "88")
        let faults = try harness.faults([DoctorHarness.redis(redis)])
        #expect(faults.count == 3)
        #expect(faults.contains { $0.hasPrefix("redis memory: maxmemory-policy allkeys-lru ") })
        #expect(faults.contains { $0.hasSuffix("set appendonly yes") })
        #expect(faults.contains { $0.hasPrefix("redis tickets: 1 of 1 keys ticket:* never expire") })
        try redis.command("CONFIG", "SET", "save", "60 1")
        try redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
        try redis.command("DEL", "ticket:for-ever")
        #expect(try harness.faults([DoctorHarness.redis(redis)]) == [])
    }

    @Test("a Redis without memory left is told so once, and not as a lack of rights")
    func outOfMemory() throws {
        let harness = try DoctorHarness()
        let redis = try Self.durable()
        try redis.command("CONFIG", "SET", "maxmemory", "1")
        let faults = try harness.faults([DoctorHarness.redis(redis)])
        #expect(faults.contains("redis: Redis is out of memory: raise maxmemory"))
        #expect(!faults.contains { $0.hasPrefix("redis rights") })
    }
}
