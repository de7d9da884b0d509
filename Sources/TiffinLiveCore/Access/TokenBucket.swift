/// The state of one rate limit in 8 bytes: the moment at which the bucket will be full again (the "theoretical arrival
/// time" of the generic cell rate algorithm). It begins full; refused attempts cost nothing. `now` is monotonic.
struct TokenBucket: Equatable, Sendable {
    private(set) var fullAt: Nanoseconds = .min

    /// Takes one token; false when there is none.
    mutating func take(now: Nanoseconds, limit: RateLimit) -> Bool {
        guard !limit.isUnlimited else { return true }
        guard delay(now: now, limit: limit) == 0 else { return false }
        charge(now: now, limit: limit)
        return true
    }

    /// Takes one token whether there is one or not.
    mutating func charge(now: Nanoseconds, limit: RateLimit) {
        guard !limit.isUnlimited else { return }
        fullAt = max(fullAt, now).clampedAdding(limit.interval)
    }

    /// How long until there is a token; 0 = there is one.
    func delay(now: Nanoseconds, limit: RateLimit) -> Nanoseconds {
        guard !limit.isUnlimited, fullAt > now else { return 0 }
        let (debt, overflow) = fullAt.subtractingReportingOverflow(now)
        guard !overflow else { return .max }
        return max(0, debt - limit.tolerance)
    }

    /// Nothing has been taken for so long that this bucket says no more than a new one.
    func isFull(now: Nanoseconds) -> Bool { fullAt <= now }
}
