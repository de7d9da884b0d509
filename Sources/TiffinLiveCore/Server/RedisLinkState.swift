/// What is told of a link to Redis whenever it changes: one log line each.
enum RedisLinkState: Equatable, Sendable {
    case up(RedisServerInfo)
    /// Not connected, for this reason; attempts go on.
    case down(RedisLinkFault)
}
