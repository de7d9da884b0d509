/// Keeps sources that send forged signatures from using up the processor (contract section 11, storm shield): over the
/// rate, tokens from there that would need signature work are answered 429 until it calms. Expired and known tokens are
/// answered as ever, so a fleet behind one carrier address is not locked out.
///
/// A source is an IPv4 address or an IPv6 /64. The table is bounded, and only sources that have calmed leave it: who
/// floods it with new addresses does not wash an old one clean. While it is full of offenders, all other sources share
/// one bucket. `now` is monotonic.
struct SourcePenalty: Sendable {
    enum Verdict: Equatable {
        case allowed
        /// Answer 429 with this `Retry-After`, in seconds.
        case refused(retryAfter: Int)
    }

    private var buckets = AgedTable<IPAddress, TokenBucket>()
    private var others = TokenBucket()
    var limit: RateLimit
    private let capacity: Int

    init(limit: RateLimit, capacity: Int = 16_384) {
        self.limit = limit
        self.capacity = max(capacity, 1)
    }

    var count: Int { buckets.count }

    /// Whether a token from there may cost signature work. Asking costs the source nothing.
    func check(
        _ address: IPAddress, now: Nanoseconds, using random: inout some RandomNumberGenerator
    ) -> Verdict {
        guard !limit.isUnlimited else { return .allowed }
        let delay: Nanoseconds
        if let bucket = buckets.value(for: address.network64) {
            delay = bucket.delay(now: now, limit: limit)
        } else {
            delay = buckets.count < capacity ? 0 : others.delay(now: now, limit: limit)
        }
        guard delay > 0 else { return .allowed }
        let seconds = min(delay / .second, 3600) + 1
        return .refused(retryAfter: Int(seconds) + Int.random(in: 0...4, using: &random))
    }

    /// A signature from there did not verify. A source that is over its rate owes no more for that: it calms as soon as it
    /// would have.
    mutating func recordForged(_ address: IPAddress, now: Nanoseconds) {
        guard !limit.isUnlimited else { return }
        let source = address.network64
        let limit = limit
        let known = buckets.update(source) { $0.take(now: now, limit: limit) }
        if known != nil {
            buckets.renew(source)
            return
        }
        removeCalm(now: now)
        guard buckets.count < capacity else {
            _ = others.take(now: now, limit: limit)
            return
        }
        var bucket = TokenBucket()
        _ = bucket.take(now: now, limit: limit)
        buckets.set(bucket, for: source)
    }

    /// A few at a time, those first that have been quiet longest; one that has not calmed goes to the end of the line.
    private mutating func removeCalm(now: Nanoseconds) {
        for _ in 0..<4 {
            guard let (source, bucket) = buckets.oldest else { return }
            if bucket.isFull(now: now) { buckets.remove(source) } else { buckets.renew(source) }
        }
    }
}
