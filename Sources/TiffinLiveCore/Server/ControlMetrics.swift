/// The figures of the control thread and of the process, beside those of the loops.
struct ControlMetrics: Equatable, Sendable {
    /// From hearing a revocation to the close of the last connection that it means.
    var revocationSeconds = MetricsHistogram()
    var revocationsMalformed: UInt64 = 0
    /// Events taken for publishing, and refused ones.
    var published: UInt64 = 0
    var publishesRefused: UInt64 = 0
    /// Messages of clients that the backend did not take.
    var messagesUnavailable: UInt64 = 0
    /// Questions to the store that were answered, and those that were not.
    var lookUps: UInt64 = 0
    var lookUpsFailed: UInt64 = 0
    var keyReloads: UInt64 = 0
    var keyReloadsRefused: UInt64 = 0
    /// Whether the key set in force is the one in its file.
    var areKeysCurrent = true
    /// When the certificate in force ends, wall clock; nil without TLS.
    var certificateEnd: Nanoseconds?
    /// Configurations read anew on SIGHUP.
    var reloads: UInt64 = 0
    var reloadsRefused: UInt64 = 0

    // Of the moment of the question.
    /// Nil without Redis.
    var redis: RedisMetrics?
    var process = ProcessMetrics()
    /// Of the control thread.
    var turns = TurnStatistics()
    /// Topics that somebody here listens to.
    var topics = 0
    var connectionLimit = 0
    var logLines: UInt64 = 0
    var logLinesDropped: UInt64 = 0
    var workers = 0
    var keys = 0
    var isReady = false
    var isDraining = false
    /// Wall clock.
    var startedAt: Nanoseconds = 0
    var version = ""
    var commit = ""
}
