/// The store of a server without Redis: the few commands that tickets, sessions and owner look-ups need, with the answers
/// that Redis gives (contract section 3). Used by one thread; bounded in bytes; gone with the process. `now` is monotonic.
struct EmbeddedStore {
    private enum Value {
        case string([UInt8])
        case hash([[UInt8]: [UInt8]])
        case set(Set<[UInt8]>)
    }

    typealias Key = [UInt8]

    private var values: [Key: Value] = [:]
    /// When keys leave that do not stay for good.
    private var expiries = AgedTable<Key, Nanoseconds>()
    /// What keys, fields and values take, with a flat charge for each.
    private(set) var usedBytes = 0
    private let maximumBytes: Int

    private static let charge = 64
    private static let wrongType = StoreReply.error(
        "WRONGTYPE Operation against a key holding the wrong kind of value")

    init(maximumBytes: Int = 64 * 1024 * 1024) {
        self.maximumBytes = maximumBytes
    }

    /// Keys, with those that have expired but were not touched since.
    var count: Int { values.count }

    /// Whether the word names a command that changes nothing and answers with a text or an integer: what an owner look-up
    /// may use. More of them exist in Redis than here.
    static func isReadOnly(_ word: String) -> Bool {
        switch word.uppercased() {
        case "GET", "HGET", "SISMEMBER", "HEXISTS", "EXISTS", "GETBIT", "GETRANGE", "LINDEX", "ZSCORE": true
        default: false
        }
    }

    /// Whether `execute` knows the command.
    static func knows(_ word: String) -> Bool { arities[word.uppercased()] != nil }

    /// The fewest and the most words, the command among them.
    private static let arities: [String: ClosedRange<Int>] = [
        "SET": 3...6, "GET": 2...2, "GETDEL": 2...2, "DEL": 2...1024, "EXPIRE": 3...3, "HSET": 4...1024, "HGET": 3...3,
        "SADD": 3...1024, "SREM": 3...1024, "SISMEMBER": 3...3,
    ]

    mutating func execute(_ command: [String], now: Nanoseconds) -> StoreReply {
        guard let name = command.first?.uppercased(), let arity = Self.arities[name] else {
            return .error("ERR unknown command")
        }
        guard arity.contains(command.count) else {
            return .error("ERR wrong number of arguments for '\(name.lowercased())' command")
        }
        let words = command.dropFirst().map { Array($0.utf8) }
        prune(now: now, steps: 2)
        for key in name == "DEL" ? words : [words[0]] { removeIfExpired(key, now: now) }
        if name == "SET" || name == "HSET" || name == "SADD" {
            guard hasRoom(for: words) else { return .error("OOM command not allowed: the embedded store is full") }
        }
        switch name {
        case "SET": return set(words, options: command.dropFirst(3), now: now)
        case "GET": return string(words[0])
        case "GETDEL":
            let found = string(words[0])
            if case .text = found { remove(words[0]) }
            return found
        case "DEL": return .integer(Int64(words.count { remove($0) }))
        case "EXPIRE": return expire(words[0], seconds: command[2], now: now)
        case "HSET": return setFields(words[0], words.dropFirst())
        case "HGET": return field(words[0], words[1])
        case "SADD": return add(words[0], words.dropFirst())
        case "SREM": return removeMembers(words[0], words.dropFirst())
        default: return isMember(words[0], words[1])
        }
    }

    /// Drops expired keys in at most `steps` steps.
    mutating func prune(now: Nanoseconds, steps: Int) {
        for _ in 0..<max(steps, 0) {
            guard let (key, moment) = expiries.oldest else { return }
            if moment <= now { remove(key) } else { expiries.renew(key) }
        }
    }

    // MARK: - Strings and keys

    private mutating func set(_ words: [Key], options: ArraySlice<String>, now: Nanoseconds) -> StoreReply {
        var expiry: Nanoseconds?
        var onlyIfAbsent = false
        var rest = options
        while let option = rest.popFirst() {
            switch option.uppercased() {
            case "NX" where !onlyIfAbsent: onlyIfAbsent = true
            case "EX" where expiry == nil:
                guard let text = rest.popFirst() else { return .error("ERR syntax error") }
                guard let seconds = Int64(text) else { return .error("ERR value is not an integer or out of range") }
                guard seconds > 0, let moment = Self.moment(seconds, after: now) else {
                    return .error("ERR invalid expire time in 'set' command")
                }
                expiry = moment
            default: return .error("ERR syntax error")
            }
        }
        if onlyIfAbsent, values[words[0]] != nil { return .null }
        remove(words[0])
        values[words[0]] = .string(words[1])
        usedBytes += Self.size(words[0]) + Self.size(words[1])
        if let expiry { expiries.set(expiry, for: words[0]) }
        return .ok
    }

    private func string(_ key: Key) -> StoreReply {
        switch values[key] {
        case nil: .null
        case .string(let text): .text(text)
        case .hash, .set: Self.wrongType
        }
    }

    private mutating func expire(_ key: Key, seconds text: String, now: Nanoseconds) -> StoreReply {
        guard let seconds = Int64(text) else { return .error("ERR value is not an integer or out of range") }
        guard values[key] != nil else { return .integer(0) }
        guard seconds > 0 else {
            remove(key)
            return .integer(1)
        }
        guard let moment = Self.moment(seconds, after: now) else {
            return .error("ERR invalid expire time in 'expire' command")
        }
        expiries.set(moment, for: key)
        return .integer(1)
    }

    // MARK: - Hashes

    private mutating func setFields(_ key: Key, _ words: ArraySlice<Key>) -> StoreReply {
        guard words.count % 2 == 0 else { return .error("ERR wrong number of arguments for 'hset' command") }
        var fields: [Key: Key] = [:]
        switch values[key] {
        case nil: usedBytes += Self.size(key)
        case .hash(let known): fields = known
        case .string, .set: return Self.wrongType
        }
        values[key] = nil
        var added: Int64 = 0
        var rest = words
        while let field = rest.popFirst(), let value = rest.popFirst() {
            usedBytes += Self.size(value)
            if let old = fields.updateValue(value, forKey: field) {
                usedBytes -= Self.size(old)
            } else {
                usedBytes += Self.size(field)
                added += 1
            }
        }
        values[key] = .hash(fields)
        return .integer(added)
    }

    private func field(_ key: Key, _ field: Key) -> StoreReply {
        switch values[key] {
        case nil: .null
        case .hash(let fields): fields[field].map { .text($0) } ?? .null
        case .string, .set: Self.wrongType
        }
    }

    // MARK: - Sets

    private mutating func add(_ key: Key, _ words: ArraySlice<Key>) -> StoreReply {
        var members: Set<Key> = []
        switch values[key] {
        case nil: usedBytes += Self.size(key)
        case .set(let known): members = known
        case .string, .hash: return Self.wrongType
        }
        values[key] = nil
        var added: Int64 = 0
        for member in words where members.insert(member).inserted {
            usedBytes += Self.size(member)
            added += 1
        }
        values[key] = .set(members)
        return .integer(added)
    }

    private mutating func removeMembers(_ key: Key, _ words: ArraySlice<Key>) -> StoreReply {
        switch values[key] {
        case nil: return .integer(0)
        case .string, .hash: return Self.wrongType
        case .set(var members):
            values[key] = nil
            var removed: Int64 = 0
            for member in words where members.remove(member) != nil {
                usedBytes -= Self.size(member)
                removed += 1
            }
            values[key] = .set(members)
            // Redis has no empty sets.
            if members.isEmpty { remove(key) }
            return .integer(removed)
        }
    }

    private func isMember(_ key: Key, _ member: Key) -> StoreReply {
        switch values[key] {
        case nil: .integer(0)
        case .set(let members): .integer(members.contains(member) ? 1 : 0)
        case .string, .hash: Self.wrongType
        }
    }

    // MARK: - Storage

    @discardableResult
    private mutating func remove(_ key: Key) -> Bool {
        expiries.remove(key)
        guard let value = values.removeValue(forKey: key) else { return false }
        usedBytes -= Self.size(key)
        switch value {
        case .string(let text): usedBytes -= Self.size(text)
        case .hash(let fields): for (field, text) in fields { usedBytes -= Self.size(field) + Self.size(text) }
        case .set(let members): for member in members { usedBytes -= Self.size(member) }
        }
        return true
    }

    private mutating func removeIfExpired(_ key: Key, now: Nanoseconds) {
        if let moment = expiries.value(for: key), moment <= now { remove(key) }
    }

    private func hasRoom(for words: [Key]) -> Bool {
        words.reduce(usedBytes) { $0 + Self.size($1) } <= maximumBytes
    }

    private static func size(_ word: Key) -> Int { word.count + charge }

    private static func moment(_ seconds: Int64, after now: Nanoseconds) -> Nanoseconds? {
        let (span, overflow) = seconds.multipliedReportingOverflow(by: .second)
        guard !overflow else { return nil }
        let (moment, tooLate) = now.addingReportingOverflow(span)
        return tooLate ? nil : moment
    }
}
