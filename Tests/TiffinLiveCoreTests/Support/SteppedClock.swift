@testable import TiffinLiveCore

/// Clocks of a server under test that stand still until the test moves them. The wall clock starts at the real time, so
/// that tokens look real.
final class SteppedClock: Sendable {
    private struct State {
        var manual = ManualClock(wall: Clock.now().wall)
        /// Since when real time goes by as well.
        var runningSince: Nanoseconds?
    }

    private let state = Locked(State())

    /// What a server is started with.
    var read: @Sendable () -> Moment {
        { [state] in
            state.withLock { state in
                let elapsed = state.runningSince.map { Clock.monotonic() - $0 } ?? 0
                let now = state.manual.now
                return Moment(monotonic: now.monotonic + elapsed, wall: now.wall + elapsed)
            }
        }
    }

    /// Time goes by. Nothing happens in the server before a loop wakes; see `settle`.
    func advance(by span: Nanoseconds) {
        state.withLock { _ = $0.manual.advance(by: span) }
    }

    /// Somebody sets the wall clock.
    func stepWall(by span: Nanoseconds) {
        state.withLock { _ = $0.manual.stepWall(by: span) }
    }

    /// From now on real time goes by, so that the server can end.
    func run() {
        state.withLock { $0.runningSince = $0.runningSince ?? Clock.monotonic() }
    }
}

extension LiveServer {
    /// Waits until every loop has had a turn with the clocks as they are now: timers that are due have fired, and what
    /// they sent is in the kernel's hands.
    func settle() throws {
        _ = try adminGet("/metrics")
    }

    /// Time goes by in steps, as a loop that is awake sees it.
    func advance(_ clock: SteppedClock, by span: Nanoseconds, step: Nanoseconds = .second) throws {
        var left = span
        while left > 0 {
            clock.advance(by: min(step, left))
            left -= step
            try settle()
        }
    }
}

extension RawClient {
    /// Every frame that has arrived, without waiting.
    func framesSoFar() throws -> [RawFrame] {
        var frames: [RawFrame] = []
        while try !isQuiet(forMilliseconds: 0) {
            guard end == nil || !pending.isEmpty else { break }
            frames.append(try receiveFrame())
            if frames.last?.opcode == RawFrame.close { break }
        }
        return frames
    }
}
