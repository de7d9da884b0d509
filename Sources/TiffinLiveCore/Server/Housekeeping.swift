/// A timer of its own for what is done now and then in a loop: pruning, folding, pacing.
final class Housekeeping: EventSource {
    private let period: Nanoseconds
    private let work: () -> Void
    private var registration: Registration?

    init(on loop: EventLoop, every period: Nanoseconds = 100 * .millisecond, work: @escaping () -> Void) {
        self.period = period
        self.work = work
        let registration = loop.registerTimer(self)
        self.registration = registration
        loop.arm(registration, at: loop.now.monotonic + period)
    }

    func ready(_ readiness: Readiness, on loop: EventLoop) {}

    func timerFired(on loop: EventLoop) {
        work()
        guard let registration else { return }
        loop.arm(registration, at: loop.now.monotonic + period)
    }
}
