/// The figures of the control thread and of the process, beside those of the loops.
struct ControlMetrics: Equatable, Sendable {
    /// From hearing a revocation to the close of the last connection that it means.
    var revocationSeconds = MetricsHistogram()
    var revocationsMalformed: UInt64 = 0
    /// Events taken for publishing, and refused ones.
    var published: UInt64 = 0
    var publishesRefused: UInt64 = 0
    var keyReloads: UInt64 = 0
    var keyReloadsRefused: UInt64 = 0
    /// Configurations read anew on SIGHUP.
    var reloads: UInt64 = 0
    var reloadsRefused: UInt64 = 0

    // Of the moment of the question.
    /// With Redis: how long revocations could not be heard, since the start.
    var revocationsDeaf: Nanoseconds = 0
    var isRedisUp = false
    var logLinesDropped: UInt64 = 0
    var workers = 0
    var keys = 0
    var isReady = false
    var isDraining = false
    /// Wall clock.
    var startedAt: Nanoseconds = 0
    var version = ""
}
