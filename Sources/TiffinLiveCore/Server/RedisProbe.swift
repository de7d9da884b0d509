/// A command that shows whether Redis allows a user to do something, without doing it. Redis looks at the rights before it
/// looks at the arguments, so a command whose arguments can never be right is refused for want of rights or for its
/// arguments, and changes nothing either way. The others read, or name what nobody has.
struct RedisProbe: Equatable, Sendable {
    /// Stands for a name in keys and topics; nobody has it.
    static let nobody = "tiffin-live-doctor"

    let command: [String]
    /// The rule that gives the right, as `ACL SETUSER` takes it.
    let rule: String

    init(_ command: [String], rule: String) {
        self.command = command
        self.rule = rule
    }

    enum Verdict: Equatable {
        case allowed
        case denied
        /// Allowed, and still Redis does not do it.
        case broken(String)
        /// There was no answer.
        case unanswered
    }

    static func verdict(_ reply: Result<RESPValue, RedisFailure>) -> Verdict {
        switch reply {
        case .success: return .allowed
        case .failure(.unavailable), .failure(.lost), .failure(.timedOut): return .unanswered
        case .failure(.error(let code, let text)):
            switch code {
            case "NOPERM": return .denied
            case "OOM": return .broken("is out of memory: raise maxmemory")
            case "MISCONF": return .broken("cannot save to disk and so takes no writes: see its log")
            case "NOREPLICAS": return .broken("takes no writes without its replicas (min-replicas-to-write)")
            case "READONLY": return .broken("is a replica and takes no writes: redis.url must lead to the primary")
            case "BUSY": return .broken("is busy with a script: SCRIPT KILL or FUNCTION KILL ends it")
            default:
                let isUnknown = text.hasPrefix("ERR unknown command") || text.hasPrefix("ERR unknown subcommand")
                return isUnknown ? .broken("does not know a command that is needed: version 7.0 or later is") : .allowed
            }
        }
    }

    /// One for each kind of command that a server with this configuration sends, and that the functions run for it.
    static func all(_ configuration: ServerConfiguration) -> [RedisProbe] {
        guard let redis = configuration.redis else { return [] }
        let events = configuration.events.prefix
        let log = redis.revocations + ":log"
        let receipts = redis.revocations + ":receipts"
        let inbound = configuration.inbound.stream
        var probes = [
            RedisProbe(["TIME"], rule: "+time"), RedisProbe(["GET", events], rule: "+get ~\(events)*"),
            RedisProbe(["SET", events, "0", "NX", "XX"], rule: "+set ~\(events)*"),
            RedisProbe(["XADD", inbound, "0-0", "a", "b"], rule: "+xadd ~\(inbound)"),
            RedisProbe(["ZADD", log, "NX", "XX", "0", "a"], rule: "+zadd ~\(log)"),
            RedisProbe(["ZRANGEBYSCORE", log, "x", "y"], rule: "+zrangebyscore ~\(log)"),
            RedisProbe(["ZREMRANGEBYSCORE", log, "x", "y"], rule: "+zremrangebyscore ~\(log)"),
            RedisProbe(["XADD", receipts, "0-0", "a", "b"], rule: "+xadd ~\(receipts)"),
            RedisProbe(["FCALL", "tiffin_publish", "1", events], rule: "+fcall ~\(events)*"),
        ]
        for topic in configuration.topics {
            let name = example(topic.template)
            let key = events + name
            probes += [
                RedisProbe(["XREVRANGE", key, "x", "y"], rule: "+xrevrange ~\(events)*"),
                RedisProbe(["XINFO", "STREAM", key, "x"], rule: "+xinfo|stream ~\(events)*"),
                RedisProbe(["XADD", key, "0-0", "a", "b"], rule: "+xadd ~\(events)*"),
                RedisProbe(["XTRIM", key, "MAXLEN", "x"], rule: "+xtrim ~\(events)*"),
                RedisProbe(["EXPIRE", key, "x"], rule: "+expire ~\(events)*"),
            ]
            // What is published goes out: only where nobody can listen.
            if name != topic.template {
                probes.append(RedisProbe(["PUBLISH", name, ""], rule: "+publish &\(pattern(topic.template))"))
            }
            if let command = topic.owner.first {
                probes.append(
                    RedisProbe(topic.owner.map(example), rule: "+\(command.lowercased()) \(keys(topic.owner))"))
            }
        }
        if configuration.routes.contains(where: { $0.credentials.contains(.ticket) }) {
            let tickets = configuration.tickets.prefix
            probes += [
                RedisProbe(["SET", tickets + nobody, "0", "NX", "XX"], rule: "+set ~\(tickets)*"),
                RedisProbe(["GETDEL", tickets + nobody], rule: "+getdel ~\(tickets)*"),
            ]
        }
        if let session = configuration.browser.cookie?.session, let command = session.first {
            probes.append(RedisProbe(session.map(example), rule: "+\(command.lowercased()) \(keys(session))"))
        }
        return probes
    }

    /// Every channel that a server with this configuration may listen to, with the rule that gives it.
    static func channels(_ configuration: ServerConfiguration) -> [(name: String, rule: String)] {
        guard let redis = configuration.redis else { return [] }
        return [redis.revocations, redis.grants].map { ($0, "&\($0)") }
            + configuration.topics.map { (example($0.template), "&\(pattern($0.template))") }
    }

    /// `template` with every variable filled in.
    static func example(_ template: String) -> String { filled(template, nobody) }

    private static func pattern(_ template: String) -> String { filled(template, "*") }

    /// The key of a look-up: its second word.
    private static func keys(_ words: [String]) -> String { words.count > 1 ? "~\(pattern(words[1]))" : "" }

    private static func filled(_ template: String, _ value: String) -> String {
        guard let parts = try? Template(template).parts else { return template }
        return parts.map { part in
            switch part {
            case .literal(let text): text
            case .variable: value
            }
        }.joined()
    }
}
