import Synchronization

/// How many turns a loop has made: written by the loop, read by whoever wants to know that it goes on. A loop that has
/// nothing to do turns once a second all the same (`EventLoop.longestWait`).
final class TurnCounter: Sendable {
    private let value = Atomic<UInt64>(0)

    /// By the loop, at the end of each turn.
    func publish(_ count: UInt64) {
        value.store(count, ordering: .relaxed)
    }

    var count: UInt64 { value.load(ordering: .relaxed) }
}
