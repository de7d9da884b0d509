@testable import TiffinLiveCore

/// A source that notes what it is told and then does what the test wants.
final class RecordingSource: EventSource {
    private(set) var readiness: [Readiness] = []
    private(set) var timersFired = 0
    var onReady: ((Readiness, EventLoop) -> Void)?
    var onTimer: ((EventLoop) -> Void)?
    var onDestruction: (() -> Void)?

    deinit {
        onDestruction?()
    }

    func ready(_ readiness: Readiness, on loop: EventLoop) {
        self.readiness.append(readiness)
        onReady?(readiness, loop)
    }

    func timerFired(on loop: EventLoop) {
        timersFired += 1
        onTimer?(loop)
    }
}
