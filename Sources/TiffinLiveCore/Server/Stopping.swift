/// How far an orderly shutdown has come (contract section 11): running, in the grace for the balancer, draining.
struct Stopping {
    private enum Stage {
        case running
        case grace(end: Nanoseconds)
        case draining(limit: Nanoseconds, missing: Set<Int>)
    }

    private var stage = Stage.running

    var hasBegun: Bool {
        if case .running = stage { false } else { true }
    }

    var isDraining: Bool {
        if case .draining = stage { true } else { false }
    }

    mutating func begin(now: Nanoseconds, grace: Nanoseconds) {
        stage = .grace(end: now.clampedAdding(grace))
    }

    func isDrainDue(now: Nanoseconds) -> Bool {
        guard case .grace(let end) = stage else { return false }
        return now >= end
    }

    /// Also called when a drain that is under way is to be hurried.
    mutating func drainBegins(now: Nanoseconds, limit: Nanoseconds, workers: Int) {
        stage = .draining(limit: now.clampedAdding(limit), missing: Set(0..<workers))
    }

    /// Notes that a worker has nobody left; true when it was the last.
    mutating func drained(_ worker: Int) -> Bool {
        guard case .draining(let limit, var missing) = stage else { return false }
        missing.remove(worker)
        stage = .draining(limit: limit, missing: missing)
        return missing.isEmpty
    }

    /// Whether the time for goodbyes is up.
    func isOver(now: Nanoseconds) -> Bool {
        guard case .draining(let limit, _) = stage else { return false }
        return now >= limit
    }
}
