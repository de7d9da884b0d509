/// How a link to Redis introduces itself and when it is given up. Spans in nanoseconds of the monotonic clock.
struct RedisSettings: Equatable, Sendable {
    var credentials = RedisCredentials()
    var database = 0
    /// Shown by CLIENT LIST; empty for none. Visible ASCII without blanks.
    var clientName = "tiffin-live"
    var limits = RESPLimits()
    /// For a command that names none of its own.
    var commandTimeout: Nanoseconds = 2 * .second
    /// From the connection to the end of the greeting.
    var greetingTimeout: Nanoseconds = 5 * .second
    /// Silence after which a PING is sent.
    var quiet: Nanoseconds = 5 * .second
    /// A question without an answer for so long ends the link.
    var silence: Nanoseconds = 10 * .second
    /// Commands whose replies are outstanding, and bytes that were not sent yet: beyond either, no more are taken.
    var maximumPending = 65_536
    var maximumOutput = 64 << 20
}

/// Who signs in; nothing when Redis asks for nothing.
struct RedisCredentials: Equatable, Sendable {
    /// Nil for the user `default`.
    var user: String?
    var password: [UInt8]?
}
