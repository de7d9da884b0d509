/// The figures of the links to Redis; there are none without Redis.
struct RedisMetrics: Equatable, Sendable {
    /// Whether both links are up.
    var isUp = false
    /// Links that were lost, since the start.
    var commandLinksLost = 0
    var subscriptionLinksLost = 0
    var statistics = RedisStatistics()
    /// Commands whose reply is outstanding.
    var pendingCommands = 0
    /// Whether every revocation is heard.
    var isHearing = false
    /// How long revocations could not be heard, since the start.
    var deaf: Nanoseconds = 0
}

extension RedisBackend {
    func metrics(now: Nanoseconds) -> RedisMetrics {
        RedisMetrics(
            isUp: commands.isReady && subscriber.isReady, commandLinksLost: commands.lostCount,
            subscriptionLinksLost: subscriber.lostCount, statistics: commands.session.statistics,
            pendingCommands: commands.pendingCount,
            isHearing: subscriber.isSubscribed(settings.revocations) && revocations.isCurrent,
            deaf: revocations.deafNanoseconds(now: now))
    }
}
