/// How far an orderly shutdown has come (contract section 11): running, in the grace for the balancer, draining. In
/// between the loops stop accepting: all of them before the first session is closed, so that whoever comes back at once
/// meets another server.
struct Stopping {
    private enum Stage {
        case running
        case grace(end: Nanoseconds)
        case closingListeners(limit: Nanoseconds, missing: Set<Int>)
        case draining(limit: Nanoseconds, missing: Set<Int>)
    }

    /// How long a loop that does not say that it has stopped accepting is waited for.
    private static let listenersWait: Nanoseconds = .second

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

    func isGraceOver(now: Nanoseconds) -> Bool {
        guard case .grace(let end) = stage else { return false }
        return now >= end
    }

    mutating func listenersClose(now: Nanoseconds, workers: Int) {
        stage = .closingListeners(limit: now.clampedAdding(Self.listenersWait), missing: Set(0..<workers))
    }

    /// Notes that a worker accepts nobody any more.
    mutating func stoppedListening(_ worker: Int) {
        guard case .closingListeners(let limit, var missing) = stage else { return }
        missing.remove(worker)
        stage = .closingListeners(limit: limit, missing: missing)
    }

    func isDrainDue(now: Nanoseconds) -> Bool {
        guard case .closingListeners(let limit, let missing) = stage else { return false }
        return missing.isEmpty || now >= limit
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
