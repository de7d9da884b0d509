/// What became of the commands of a connection to Redis, since the start.
struct RedisStatistics: Equatable, Sendable {
    /// Replies that came in time, errors among them.
    private(set) var replies: UInt64 = 0
    /// Nanoseconds from sending to the reply, summed up over `replies`.
    private(set) var replyTime: UInt64 = 0
    /// Replies that were errors.
    private(set) var errors: UInt64 = 0
    /// Commands whose reply was given up.
    private(set) var timeouts: UInt64 = 0

    mutating func answered(after span: Nanoseconds, isError: Bool) {
        replies &+= 1
        replyTime &+= UInt64(max(0, span))
        if isError { errors &+= 1 }
    }

    mutating func timedOut(_ count: Int) {
        timeouts &+= UInt64(max(0, count))
    }
}
