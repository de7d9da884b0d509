import Synchronization

/// What the threads of the demo tell each other.
final class DemoProgress: Sendable {
    enum Outcome: Int {
        case running, told, failed
    }

    private let stopped = Atomic<Bool>(false)
    private let state = Atomic<Int>(Outcome.running.rawValue)
    private let sequence = Atomic<Int>(0)

    var hasStopped: Bool { stopped.load(ordering: .acquiring) }

    func stop() {
        stopped.store(true, ordering: .releasing)
    }

    var outcome: Outcome { Outcome(rawValue: state.load(ordering: .acquiring)) ?? .failed }

    func finish(_ outcome: Outcome) {
        state.store(outcome.rawValue, ordering: .releasing)
    }

    /// The number of the last event of order 123 that the server has taken.
    var published: Int { sequence.load(ordering: .acquiring) }

    func didPublish(_ number: Int) {
        sequence.store(number, ordering: .releasing)
    }
}
