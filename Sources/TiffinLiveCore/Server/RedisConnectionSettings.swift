/// Where a connection to Redis goes and how hard it tries.
struct RedisConnectionSettings: Sendable {
    var endpoint: RedisURL.Endpoint
    /// Nil for a connection without TLS.
    var tls: TLSContext?
    var session = RedisSettings()
    /// For one address: connecting and the handshake of TLS.
    var connectTimeout: Nanoseconds = 5 * .second
    /// For looking up the name.
    var resolveTimeout: Nanoseconds = 15 * .second
    /// Who looks it up, anew for every attempt.
    var resolver: NameResolution.Resolver = NameResolution.system
    var backoff = ReconnectBackoff()

    init(endpoint: RedisURL.Endpoint) {
        self.endpoint = endpoint
    }

    /// With `rediss://`, trusts `authorities`.
    init(_ url: RedisURL, trusting authorities: TLSContext.Authorities = .system) throws(TLSSetupError) {
        endpoint = url.endpoint
        session.credentials = RedisCredentials(user: url.user, password: url.password)
        session.database = url.database
        if url.usesTLS { tls = try TLSContext.client(trusting: authorities) }
    }
}
