/// Whether systemd may be told that the service goes on (WATCHDOG=1): only when every loop has made a turn since it was
/// told last. A loop that is stuck in a turn stops it; one that is busy makes turns.
struct Watchdog {
    /// Within which time systemd wants to be told.
    let limit: Nanoseconds
    private var told: [UInt64]

    /// - Parameter loops: how many there are.
    init(limit: Nanoseconds, loops: Int) {
        self.limit = limit
        told = Array(repeating: 0, count: loops)
    }

    /// When to ask: four times in the limit, so that one late turn is no harm. Loops turn every 100 ms.
    var period: Nanoseconds { max(limit / 4, .millisecond) }

    /// - Parameter turns: of each loop, so far.
    mutating func mayTell(_ turns: [UInt64]) -> Bool {
        guard zip(turns, told).allSatisfy({ $0 != $1 }) else { return false }
        told = turns
        return true
    }
}
