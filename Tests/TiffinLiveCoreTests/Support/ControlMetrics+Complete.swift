@testable import TiffinLiveCore

extension ControlMetrics {
    /// With every part that there may be, so that every metric is written.
    static var complete: ControlMetrics {
        var statistics = RedisStatistics()
        statistics.answered(after: .millisecond, isError: false)
        statistics.answered(after: 2 * .millisecond, isError: true)
        return ControlMetrics(
            certificateEnd: .second, redis: RedisMetrics(statistics: statistics),
            process: ProcessMetrics(openDescriptors: 77), version: "1")
    }
}
