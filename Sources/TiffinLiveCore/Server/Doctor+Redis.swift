/// Redis: the link, the clock, and whether everything that the server does there is allowed and safe.
extension Doctor {
    /// Tickets that are looked at.
    private static let ticketSample = 20

    mutating func examineRedis() {
        guard let redis = configuration.redis else {
            return ok("redis", "none is configured: one server alone, with the embedded store")
        }
        if let password = redis.password {
            do {
                _ = try password.read()
            } catch {
                fault("redis.password", error.message)
            }
            examineAccess("redis.password", password)
        }
        do {
            let link = try redis.connectionSettings()
            let interview = try RedisInterview(link)
            switch interview.begin() {
            case .failure(let reason): fault("redis", "Redis \(reason): \(Self.advice(reason))")
            case .success(let server): examine(server, interview)
            }
        } catch {
            fault("redis", "\(error)")
        }
    }

    private mutating func examine(_ server: RedisServerInfo, _ interview: RedisInterview) {
        examineVersion(server)
        examineClock(interview)
        let mayLoad = RedisProbe.verdict(interview.ask("FUNCTION", "LOAD", RedisProbe.nobody)) == .allowed
        examineFunctions(interview, mayLoad: mayLoad)
        examineRights(interview)
        examineMemory(interview)
        examinePersistence(interview)
        examineTickets(interview)
    }

    // MARK: The server

    mutating func examineVersion(_ server: RedisServerInfo) {
        let subject = "redis version"
        if server.mode == "cluster" {
            fault(subject, "this is a node of Redis Cluster, which is not spoken: use a primary with replicas")
        }
        if server.isTooOld {
            let version = server.version.isEmpty ? "before 6.0" : server.version
            fault(subject, "\(version) is too old: \(RedisServerInfo.neededVersion) or later is needed")
        } else if server.version.isEmpty {
            unknown(subject, "Redis does not say it; \(RedisServerInfo.neededVersion) or later is needed")
        } else {
            ok(subject, server.version)
        }
    }

    private mutating func examineClock(_ interview: RedisInterview) {
        let before = Clock.now().wall
        let reply = interview.ask("TIME")
        let after = Clock.now().wall
        guard case .success(let value) = reply, let time = RedisHistoryReading.milliseconds(value) else {
            return unknown("redis clock", "Redis did not tell its time")
        }
        let middle = before / 2 + after / 2
        let difference = Nanoseconds(clamping: time).clampedMultiplying(by: .millisecond).clampedAdding(-middle)
        examineClock(difference: difference, uncertainty: (after - before) / 2)
    }

    /// - Parameter difference: how far the clock of Redis is ahead.
    mutating func examineClock(difference: Nanoseconds, uncertainty: Nanoseconds) {
        let allowed = max(configuration.tokens.leeway, .second)
        // The least number has no counterpart above 0, and Redis may say anything.
        let distance = abs(max(difference, -.max))
        let text = "\(distance / .millisecond) ms \(difference < 0 ? "behind" : "ahead of") this machine's"
        guard distance - uncertainty > allowed else { return ok("redis clock", text) }
        fault("redis clock", "\(text): let both be set by NTP (`timedatectl`); tokens and event ids go by them")
    }

    // MARK: Functions and rights

    private mutating func examineFunctions(_ interview: RedisInterview, mayLoad: Bool) {
        let events = configuration.events
        let text = RedisFunctionLibrary.text(
            prefix: events.prefix, keep: events.keep, seconds: Int(events.keepFor / .second))
        var isOurs: Bool?
        let listed = interview.ask("FUNCTION", "LIST", "LIBRARYNAME", "tiffin_live", "WITHCODE")
        if case .success(let value) = listed, let code = value.elements?.first?["library_code"]?.bytes {
            isOurs = code.elementsEqual(text.utf8)
        }
        switch interview.ask("FCALL", "tiffin_version", "0") {
        case .success(.integer(let version)): examineFunctions(version: version, isOurs: isOurs, mayLoad: mayLoad)
        case .failure(.error(_, let text)) where text.contains("Function not found"):
            // The first ones had no version.
            examineFunctions(version: isOurs == nil ? nil : 0, isOurs: isOurs, mayLoad: mayLoad)
        case .success, .failure: unknown("redis functions", "Redis does not let this user call them")
        }
    }

    /// - Parameters:
    ///   - version: nil when the library is missing.
    ///   - isOurs: whether its text is this server's, with its settings; nil when it cannot be seen.
    mutating func examineFunctions(version: Int64?, isOurs: Bool?, mayLoad: Bool) {
        let subject = "redis functions"
        let byHand = "load config/redis/tiffin_live.lua by hand (`redis-cli -x FUNCTION LOAD REPLACE`)"
        guard let version else {
            if mayLoad { return ok(subject, "none yet; a server loads them when it starts") }
            return fault(subject, "the library tiffin_live is missing: \(byHand), or allow +function|load")
        }
        let name = "tiffin_live, version \(version)"
        if version > RedisFunctionLibrary.version {
            ok(subject, "\(name), is newer than this server's, which leaves it")
        } else if version < RedisFunctionLibrary.version {
            guard !mayLoad else { return ok(subject, "\(name), is older; a server replaces it when it starts") }
            fault(subject, "\(name), is older than this server's: \(byHand)")
        } else if isOurs == false {
            guard !mayLoad else { return ok(subject, "\(name), has other settings; a server that starts replaces it") }
            fault(subject, "\(name), has other settings than this server: \(byHand) with yours in its first lines")
        } else {
            ok(subject, name)
        }
    }

    private mutating func examineRights(_ interview: RedisInterview) {
        var missing: [String] = []
        var troubles: Set<String> = []
        let probes = RedisProbe.all(configuration)
        for probe in probes {
            switch RedisProbe.verdict(interview.ask(probe.command)) {
            case .allowed: break
            case .denied: missing.append(probe.rule)
            case .broken(let text): troubles.insert(text)
            case .unanswered: troubles.insert("does not answer within redis.timeout")
            }
        }
        let channels = RedisProbe.channels(configuration)
        switch interview.refused(of: channels.map(\.name)) {
        case .failure(let reason): troubles.insert("\(reason)")
        case .success(let refused): missing += channels.filter { refused.contains($0.name) }.map(\.rule)
        }
        for text in troubles.sorted() { fault("redis", "Redis \(text)") }
        if !missing.isEmpty {
            let user = configuration.redis?.username ?? "default"
            var named: Set<Substring> = []
            let rules = missing.flatMap { $0.split(separator: " ") }.filter { named.insert($0).inserted }
            fault("redis rights", "some are missing: ACL SETUSER \(user) \(rules.joined(separator: " "))")
        } else if troubles.isEmpty {
            ok("redis rights", "\(probes.count) commands and \(channels.count) channels are allowed")
        }
    }

    // MARK: What may be lost

    private mutating func examineMemory(_ interview: RedisInterview) {
        let subject = "redis memory"
        guard let info = Self.information(interview.ask("INFO", "memory")) else {
            return unknown(subject, "not allowed to look (+info); maxmemory-policy must be noeviction")
        }
        let policy = info["maxmemory_policy"] ?? ""
        if policy == "noeviction" || info["maxmemory"] == "0" {
            ok(subject, "nothing is evicted (maxmemory-policy \(policy), maxmemory \(info["maxmemory"] ?? "?"))")
        } else {
            fault(
                subject,
                "maxmemory-policy \(policy) may throw tickets, kept events and revocations away: set noeviction")
        }
    }

    private mutating func examinePersistence(_ interview: RedisInterview) {
        let subject = "redis persistence"
        guard let info = Self.information(interview.ask("INFO", "persistence")) else {
            return unknown(subject, "not allowed to look (+info); appendonly should be yes")
        }
        if info["aof_enabled"] == "1" {
            guard info["aof_last_write_status"] == "ok" else {
                return fault(subject, "the append-only file could not be written: see the log of Redis")
            }
            ok(subject, "append-only file")
        } else if case .success(let value) = interview.ask("CONFIG", "GET", "save"),
            value["save"]?.bytes?.isEmpty == false
        {
            ok(subject, "snapshots only: a crash loses what came after the last one; appendonly yes loses less")
        } else {
            fault(subject, "a restart of Redis forgets revocations and kept events: set appendonly yes")
        }
    }

    private mutating func examineTickets(_ interview: RedisInterview) {
        guard configuration.routes.contains(where: { $0.credentials.contains(.ticket) }) else { return }
        let subject = "redis tickets"
        let prefix = configuration.tickets.prefix
        guard case .success(let value) = interview.ask("SCAN", "0", "MATCH", prefix + "*", "COUNT", "1000"),
            let keys = value.elements?.last?.elements
        else { return unknown(subject, "not allowed to look (+scan +pttl)") }
        var lasting = 0
        let sample = keys.prefix(Self.ticketSample).compactMap(\.bytes)
        for key in sample {
            let name = String(decoding: key, as: UTF8.self)
            if case .success(.integer(-1)) = interview.ask("PTTL", name) { lasting += 1 }
        }
        if lasting > 0 {
            fault(
                subject,
                "\(lasting) of \(sample.count) keys \(prefix)* never expire: whoever writes tickets must give them EX")
        } else {
            ok(subject, "\(sample.count) looked at, all of them expire")
        }
    }

    // MARK: Parts

    /// The lines of INFO.
    private static func information(_ reply: Result<RESPValue, RedisFailure>) -> [String: String]? {
        guard case .success(let value) = reply, let bytes = value.bytes else { return nil }
        var fields: [String: String] = [:]
        for line in bytes.split(whereSeparator: { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn }) {
            guard let colon = line.firstIndex(of: ASCII.colon) else { continue }
            fields[String(decoding: line[..<colon], as: UTF8.self)] = String(
                decoding: line[(colon + 1)...], as: UTF8.self)
        }
        return fields
    }

    static func advice(_ fault: RedisLinkFault) -> String {
        switch fault {
        case .unresolved: "check the name in redis.url"
        case .unreachable, .connectTimedOut:
            "is it running there, and is this machine let through? Check redis.url"
        case .tls: "check the certificate of Redis, and redis:// against rediss:// in redis.url"
        case .wrongPassword: "check redis.username and redis.password"
        case .passwordRequired: "set redis.password"
        case .readOnly, .primaryDown: "redis.url must lead to the primary"
        case .databaseRefused: "check the number at the end of redis.url"
        case .tooManyClients: "raise maxclients; each server needs two"
        case .loading: "try again when it is done"
        case .closedByPeer, .broken, .silent, .greetingTimedOut, .malformed, .outOfStep:
            "is it Redis that listens there? Check redis.url, and redis:// against rediss://"
        case .refused, .stopped, .moved: "see the log of Redis"
        }
    }
}
