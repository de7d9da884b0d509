/// What of the configuration a session needs, in nanoseconds and bytes (config.json5: expiry, heartbeat, limits).
struct SessionSettings: Sendable {
    struct Expiry: Sendable {
        var jitter: Nanoseconds = 60 * .second
        var warning: Nanoseconds = 120 * .second
        /// 0 = no limit.
        var maximumAge: Nanoseconds = 7200 * .second
    }

    struct Heartbeat: Sendable {
        /// Silence after which a WebSocket is pinged; 0 = never.
        var ping: Nanoseconds = 25 * .second
        /// Silence after a ping that means death.
        var pong: Nanoseconds = 10 * .second
        /// Period of the comments of an event stream; 0 = none.
        var comment: Nanoseconds = 15 * .second
    }

    struct Limits: Sendable {
        var handshake: Nanoseconds = 10 * .second
        var closing: Nanoseconds = 5 * .second
        var lookup: Nanoseconds = .second / 2
        var head = 32 * 1024
        var message = 64 * 1024
        var body = 16 * 1024
        var outbound = 256 * 1024
        var topicsPerConnection = 32
        /// Messages a second from one connection.
        var messages = RateLimit(rate: 20, burst: 40)
        /// Handshakes a second of one loop.
        var admissions = RateLimit.unlimited
    }

    /// Credentials of browsers (contract section 4).
    struct Browser: Sendable {
        var origins = OriginPolicy()
        /// nil = cookies sign nobody in.
        var cookie: SessionCookie?
        /// The rules for identities that are not in a signed token.
        var policy = TokenPolicy()
    }

    struct Tickets: Sendable {
        /// The decoded segments of the path that sells them.
        var path: [String] = []
        /// Whole seconds.
        var lifetime = 30
        var roles: [String] = []
    }

    var expiry = Expiry()
    var browser = Browser()
    var tickets = Tickets()
    var heartbeat = Heartbeat()
    var limits = Limits()
    /// Top-level members of an application message that claim an identity and are taken out (contract section 8).
    var identityMembers: [String] = []
    /// Whose word about the client's address counts, and in which field.
    var forwardedHeader: ForwardedHeader?
    var trustedProxies: [AddressRange] = []
    /// Whether a connection from a trusted address begins with a PROXY header.
    var proxyProtocol = false
    var subprotocols = ["tiffin.v1"]

    func beginsWithProxyHeader(from peer: IPAddress) -> Bool {
        proxyProtocol && trustedProxies.contains { $0.contains(peer) }
    }
}
