/// Why a command has no reply to be used.
enum RedisFailure: Error, Equatable, Sendable {
    /// Not sent: the link is not ready, or too much waits already.
    case unavailable
    /// Sent, and the link was lost before the reply: nobody knows whether Redis did it.
    case lost
    /// Sent, and no reply in time: nobody knows whether Redis did it or is still to do it.
    case timedOut
    /// Refused by Redis.
    case error(code: String, text: String)
}
