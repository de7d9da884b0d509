/// What one key of the configuration may hold and where it goes.
///
/// Ranges keep a slip of the pen from stopping the service: 0 is allowed where it means "off".
enum ConfigurationSetting: Sendable {
    typealias Path<Value> = WritableKeyPath<ServerConfiguration, Value> & Sendable

    case duration(any Path<Nanoseconds>, ClosedRange<Nanoseconds>)
    case size(any Path<Int>, ClosedRange<Int>)
    case integer(any Path<Int>, ClosedRange<Int>)
    /// A name in Redis or in a token: visible ASCII.
    case name(any Path<String>)
    case texts(any Path<[String]>)
    case custom(ConfigurationField, @Sendable (inout ConfigurationLoader, JSON5Node, String) -> Void)

    private static let hour: Nanoseconds = 3600 * .second
    private static let anyTime: ClosedRange<Nanoseconds> = 0...hour
    private static let realTime: ClosedRange<Nanoseconds> = .millisecond...hour
    private static let rate = 0...10_000_000

    /// Every key. One that is only the beginning of others is an object.
    static let all: [String: ConfigurationSetting] = [
        "listen": .custom(.init(\.listen)) { $0.readListen($1, $2) },
        "admin": .custom(.init(\.admin)) { $0.readAdmin($1, $2) },
        "threads": .integer(\.threads, 0...256),
        "tls": .custom(.init(\.tls)) { $0.readTLS($1, $2) },
        "proxy.trusted": .custom(.init(\.proxy.trusted)) { $0.readTrusted($1, $2) },
        "proxy.header": .custom(.init(\.proxy.header)) { $0.readForwardedHeader($1, $2) },
        "proxy.protocol": .custom(.init(\.proxy.protocol)) { $0.readProxyProtocol($1, $2) },

        "tokens.keys": .custom(.init(\.tokens.keys)) { $0.readKeys($1, $2) },
        "tokens.issuer": .custom(.init(\.tokens.issuers)) { $0.readIssuer($1, $2) },
        "tokens.audience": .custom(.init(\.tokens.audience)) { $0.readAudience($1, $2) },
        "tokens.onKeyRemoval": .custom(.init(\.tokens.onKeyRemoval)) { $0.readKeyRemoval($1, $2) },
        "tokens.claims.user": .name(\.tokens.userClaim),
        "tokens.claims.role": .name(\.tokens.roleClaim),
        "tokens.claims.session": .name(\.tokens.sessionClaim),
        "tokens.leeway": .duration(\.tokens.leeway, 0...300 * .second),
        "tokens.maxLifetime": .duration(\.tokens.maximumLifetime, .second...720 * hour),

        "expiry.jitter": .duration(\.expiry.jitter, anyTime),
        "expiry.warning": .duration(\.expiry.warning, 0...24 * hour),
        "expiry.maxAge": .duration(\.expiry.maximumAge, 0...720 * hour),
        "heartbeat.ping": .duration(\.heartbeat.ping, anyTime),
        "heartbeat.pong": .duration(\.heartbeat.pong, realTime),
        "heartbeat.comment": .duration(\.heartbeat.comment, anyTime),

        "browser.origins": .custom(.init(\.browser.origins)) { $0.readOrigins($1, $2) },
        "browser.cookie": .custom(.init(\.browser.cookie)) { $0.readCookie($1, $2) },
        "tickets.path": .custom(.init(\.tickets.path)) { $0.readTicketPath($1, $2) },
        "tickets.lifetime": .duration(\.tickets.lifetime, .second...hour),
        "tickets.prefix": .name(\.tickets.prefix),
        "tickets.roles": .texts(\.tickets.roles),

        "redis": .custom(.init(\.redis)) { $0.readRedis($1, $2) },
        "events.prefix": .name(\.events.prefix),
        "events.keep": .integer(\.events.keep, 0...1_000_000),
        "events.keepFor": .duration(\.events.keepFor, 0...720 * hour),
        "inbound.stream": .name(\.inbound.stream),
        "inbound.keep": .integer(\.inbound.keep, 1...100_000_000),
        "inbound.identityMembers": .texts(\.inbound.identityMembers),

        "topics": .custom(.init(\.topics)) { $0.readTopics($1, $2) },
        "routes": .custom(.init(\.routes)) { $0.readRoutes($1, $2) },
        "lookups.timeout": .duration(\.lookups.timeout, realTime),
        "lookups.cache": .duration(\.lookups.cache, anyTime),
        "lookups.cacheDenied": .duration(\.lookups.cacheDenied, anyTime),

        "limits.connections": .integer(\.limits.connections, 1...100_000_000),
        "limits.perUser": .integer(\.limits.perUser, 0...1_000_000),
        "limits.perUserPolicy": .custom(.init(\.limits.perUserPolicy)) { $0.readPerUserPolicy($1, $2) },
        "limits.perAddress": .integer(\.limits.perAddress, 0...100_000_000),
        "limits.handshake": .duration(\.limits.handshake, realTime),
        "limits.header": .size(\.limits.header, 1 << 10...1 << 20),
        "limits.message": .size(\.limits.message, 128...64 << 20),
        "limits.body": .size(\.limits.body, 1 << 10...64 << 20),
        "limits.outbound": .size(\.limits.outbound, 1 << 10...1 << 30),
        "limits.closing": .duration(\.limits.closing, realTime),
        "limits.topicsPerConnection": .integer(\.limits.topicsPerConnection, 1...10_000),
        "limits.messages.rate": .integer(\.limits.messages.rate, rate),
        "limits.messages.burst": .integer(\.limits.messages.burst, rate),
        "limits.forged.rate": .integer(\.limits.forged.rate, rate),
        "limits.forged.burst": .integer(\.limits.forged.burst, rate),
        "limits.admissions.rate": .integer(\.limits.admissions.rate, rate),
        "limits.admissions.burst": .integer(\.limits.admissions.burst, rate),

        "drain.grace": .duration(\.drain.grace, anyTime),
        "drain.spread": .duration(\.drain.spread, anyTime),
        "log.level": .custom(.init(\.log.level)) { $0.readLogLevel($1, $2) },
        "log.repeat": .duration(\.log.repeatWindow, anyTime),
    ]

    /// Where the value goes.
    var field: ConfigurationField {
        switch self {
        case .duration(let path, _): ConfigurationField(path)
        case .size(let path, _), .integer(let path, _): ConfigurationField(path)
        case .name(let path): ConfigurationField(path)
        case .texts(let path): ConfigurationField(path)
        case .custom(let field, _): field
        }
    }

    /// Keys that a running server cannot change: what is bound or sized by them, and what it shares with others by name.
    private static let fixed: Set<String> = [
        "listen", "admin", "threads", "redis", "tokens.maxLifetime", "tickets.lifetime", "tickets.prefix",
        "events.prefix", "events.keep", "events.keepFor", "inbound.stream", "inbound.keep",
    ]

    /// Whether another value of the key takes effect with the next start only.
    static func needsRestart(_ key: String, from old: ServerConfiguration, to new: ServerConfiguration) -> Bool {
        switch key {
        // Open connections stay as they are: from TLS to other TLS is a new certificate.
        case "tls": (old.tls == nil) != (new.tls == nil)
        // Only counted when there is a limit.
        case "limits.perAddress": (old.limits.perAddress == 0) != (new.limits.perAddress == 0)
        default: fixed.contains(key)
        }
    }

    /// The names that may stand in the object `prefix` ("" is the file itself), in alphabetical order.
    static func names(below prefix: String) -> [String] {
        let beginning = prefix.isEmpty ? "" : prefix + "."
        let names = all.keys.compactMap { key -> String? in
            guard key.hasPrefix(beginning) else { return nil }
            return key.dropFirst(beginning.count).split(separator: ".").first.map(String.init)
        }
        return Set(names).sorted()
    }
}
