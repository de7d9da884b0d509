/// The `event` of every log line: what happened. The log reference of the operations manual is made of these comments.
enum LogEvent: String, CaseIterable, Sendable {
    // MARK: The server

    /// The process has read its configuration and sets itself up.
    case starting
    /// All listeners are bound; `listen` and `admin` are the addresses really bound.
    case listening
    /// An orderly shutdown has been asked for, by SIGTERM or SIGINT.
    case stopping
    /// The last line of an orderly run.
    case stopped
    /// A key set is in force, with the number of `keys`.
    case keysLoaded = "keys_loaded"
    /// A key set cannot be used, and why; the one before stays in force.
    case keysRefused = "keys_refused"
    /// A certificate is in force for new connections; `ends` is when it expires.
    case certificateLoaded = "certificate_loaded"
    /// A certificate or its key cannot be used, and why; the one before stays in force.
    case certificateRefused = "certificate_refused"
    /// The configuration was read again: which keys `changed`, and which take effect with a `restart` only.
    case configurationReloaded = "configuration_reloaded"
    /// A configuration that was read again is at fault, and where; nothing of it is in force.
    case configurationRefused = "configuration_refused"
    /// systemd passes sockets that no address asks for; they were closed.
    case socketUnused = "socket_unused"
    /// The wall clock moved against the monotonic clock; all deadlines were looked at again.
    case clockStepped = "clock_stepped"
    /// Log lines were lost because standard output did not take them fast enough; `lines` says how many.
    case logDropped = "log_dropped"
    /// A loop could not go on; the server stops.
    case workerFailed = "worker_failed"

    // MARK: Connections

    /// A session was admitted.
    case connectionOpened = "connection_opened"
    /// A session is over: `reason`, `code`, duration and counts.
    case connectionClosed = "connection_closed"
    /// A handshake was answered with an error.
    case handshakeRefused = "handshake_refused"
    /// A connection from a trusted address did not begin with the PROXY header that it must have, and was closed.
    case proxyRefused = "proxy_refused"
    /// A one-time ticket was given out, and to whom.
    case ticketSold = "ticket_sold"
    /// A TLS handshake failed, and why.
    case tlsRefused = "tls_refused"
    /// A connection got a new token, and with it a new deadline.
    case refreshAccepted = "refresh_accepted"
    /// A new token was not taken; the old deadline stands.
    case refreshRefused = "refresh_refused"

    // MARK: Revocations, publishing, administration

    /// A revocation was heard.
    case revocationReceived = "revocation_received"
    /// A revocation was ignored because it says nothing that can be obeyed.
    case revocationMalformed = "revocation_malformed"
    /// All connections that a revocation means are closed; `closed` says how many, `microseconds` how long it took.
    case revocationDone = "revocation_done"
    /// An event was not published, and why.
    case publishRefused = "publish_refused"
    /// Somebody used the admin listener to change something.
    case adminRequest = "admin_request"

    // MARK: Redis

    /// A link to Redis is up; `link` says which of the two.
    case redisUp = "redis_up"
    /// A link to Redis is down, and why; what needs it is answered with 503 until it is up again.
    case redisDown = "redis_down"
    /// Redis does not let this server load its function library: publishing and revoking need it loaded by hand.
    case redisFunctionsRefused = "redis_functions_refused"
    /// Redis has the function library of a later `version`, which this server leaves as it is.
    case redisFunctionsNewer = "redis_functions_newer"
    /// All revocations are heard again; `missed` were read back after a deafness of `deaf_milliseconds`.
    case revocationsHeard = "revocations_heard"
    /// A message on the channel of grants could not be understood.
    case grantMalformed = "grant_malformed"

    // MARK: Shortage and shutdown

    /// A connection could not be accepted; unless it was that connection alone, the listener pauses for a moment.
    case acceptFailed = "accept_failed"
    /// `limits.connections` needs more open files than the process may have.
    case descriptorsFew = "descriptors_few"
    /// The limit on open files is reached: connections were answered with 503 and closed.
    case descriptorsExhausted = "descriptors_exhausted"
    /// The server has begun to send its connections away.
    case drainStarted = "drain_started"
    /// No connection is left.
    case drainDone = "drain_done"
}
