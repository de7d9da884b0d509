/// Everything that an operator can set, checked: a value of this type is one that the server can run on.
///
/// The defaults stand here and nowhere else. Durations are nanoseconds and sizes bytes. `ConfigurationLoader` fills it
/// from a JSON5 file and the overrides of the command line; `config/tiffin-live.json5` explains every key.
public struct ServerConfiguration: Sendable {
    var listen = [ListenAddress("0.0.0.0:8080")].compactMap(\.self)
    /// Health, metrics, publishing; empty = no admin listener.
    var admin = [ListenAddress("127.0.0.1:9090")].compactMap(\.self)
    /// Event loops; 0 = one for each core that the process may use.
    var threads = 0
    var proxy = Proxy()
    var tokens = Tokens()
    var expiry = Expiry()
    var heartbeat = Heartbeat()
    var browser = Browser()
    var tickets = Tickets()
    /// nil = the embedded store and broker, one server alone.
    var redis: Redis?
    var tls: TLS?
    var events = Events()
    var inbound = Inbound()
    /// In the order of the file: the first rule that fits decides.
    var topics = Topic.defaults
    var routes = Route.defaults
    var lookups = Lookups()
    var limits = Limits()
    var drain = Drain()
    var log = Log()

    struct Proxy: Sendable {
        /// Whose word about the client's address counts.
        var trusted = ["127.0.0.0/8", "::1/128"].compactMap { AddressRange($0) }
        var header: ForwardedHeader? = .xForwardedFor
        /// Every connection from a trusted address begins with a PROXY header.
        var `protocol` = false
    }

    struct Tokens: Sendable {
        /// A JWKS (RFC 7517).
        var keys = SecretReference.file("/etc/tiffin-live/keys.json")
        /// Empty = any.
        var issuers: [String] = []
        var audience: String?
        var userClaim = "sub"
        var roleClaim = "role"
        var sessionClaim = "sid"
        /// For `nbf` and `iat`; `exp` has none.
        var leeway: Nanoseconds = 5 * .second
        /// More life left than this is refused; revocations are remembered this long.
        var maximumLifetime: Nanoseconds = 3600 * .second
        var onKeyRemoval = KeyRemovalPolicy.keep
    }

    /// What becomes of connections whose token's key is taken out of the key set.
    enum KeyRemovalPolicy: String, CaseIterable, Sendable {
        /// They stay until their deadline.
        case keep
        /// They are closed with 4001, so that their apps get a new token.
        case close
    }

    struct Expiry: Sendable {
        var jitter: Nanoseconds = 60 * .second
        var warning: Nanoseconds = 120 * .second
        var maximumAge: Nanoseconds = 7200 * .second
    }

    struct Heartbeat: Sendable {
        /// 0 = no pings.
        var ping: Nanoseconds = 25 * .second
        var pong: Nanoseconds = 10 * .second
        /// 0 = no comments.
        var comment: Nanoseconds = 15 * .second
    }

    struct Browser: Sendable {
        /// Pages that may use the cookie and read answers.
        var origins: [Origin] = []
        var cookie: Cookie?

        struct Cookie: Equatable, Sendable {
            var name: String
            /// The command that turns an opaque id into an identity; nil = the cookie is a JWT.
            var session: [String]?
        }
    }

    struct Tickets: Sendable {
        var path = "/live/tickets"
        var lifetime: Nanoseconds = 30 * .second
        var prefix = "ticket:"
        var roles = ["restaurant"]
    }

    struct Redis: Equatable, Sendable {
        var url: String
        var username: String?
        var password: SecretReference?
        var tls: Bool?
        var timeout: Nanoseconds = 2 * .second
        var revocations = "revocations"
        var grants = "grants"
    }

    struct TLS: Equatable, Sendable {
        var certificate: SecretReference
        var key: SecretReference
    }

    struct Events: Sendable {
        var prefix = "events:"
        /// Events of a topic that are kept for resuming; 0 = none.
        var keep = 100
        var keepFor: Nanoseconds = 3600 * .second
    }

    struct Inbound: Sendable {
        var stream = "inbound"
        var keep = 100_000
        /// Members that only the server may fill; taken out of what a client sends.
        var identityMembers = ["user_id", "rider_id", "customer_id", "restaurant_id", "sub"]
    }

    struct Lookups: Sendable {
        var timeout: Nanoseconds = 500 * .millisecond
        /// 0 = an answer is never reused.
        var cache: Nanoseconds = 5 * .second
        var cacheDenied: Nanoseconds = 2 * .second
    }

    struct Limits: Sendable {
        var connections = 1_000_000
        /// 0 = no limit.
        var perUser = 10
        var perUserPolicy = PerUserPolicy.replace
        /// 0 = no limit.
        var perAddress = 0
        var handshake: Nanoseconds = 10 * .second
        var header = 32 << 10
        var message = 64 << 10
        var body = 16 << 10
        var outbound = 256 << 10
        var closing: Nanoseconds = 5 * .second
        var topicsPerConnection = 32
        var messages = Rate(rate: 20, burst: 40)
        var forged = Rate(rate: 5, burst: 20)
        var admissions = Rate(rate: 0, burst: 0)
    }

    /// What happens to a user's connection beyond `limits.perUser`.
    enum PerUserPolicy: String, CaseIterable, Sendable {
        case replace, refuse
    }

    struct Rate: Equatable, Sendable {
        /// Per second; 0 = no limit.
        var rate: Int
        /// At least 1 when there is a rate.
        var burst: Int
    }

    struct Drain: Sendable {
        var grace: Nanoseconds = 5 * .second
        var spread: Nanoseconds = 30 * .second
    }

    struct Log: Sendable {
        var level = LogLevel.info
        /// Equal lines within it fold into one; 0 = none do.
        var repeatWindow: Nanoseconds = 10 * .second
    }
}
