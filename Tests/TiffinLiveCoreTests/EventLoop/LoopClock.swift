@testable import TiffinLiveCore

/// A clock moved by hand that a loop can hold, with a hook for what happens between the wait and the turn.
final class LoopClock {
    var manual = ManualClock()
    var onRead: (() -> Void)?

    func read() -> Moment {
        onRead?()
        return manual.now
    }

    func makeLoop() throws -> EventLoop {
        try EventLoop(clock: { self.read() })
    }
}
