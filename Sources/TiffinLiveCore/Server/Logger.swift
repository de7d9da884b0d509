import Synchronization

/// The log of the process: JSON lines on a descriptor (contract section 11). Shared by all threads; `log` never blocks on
/// the descriptor, and costs a comparison when its level is off.
///
/// No token, ticket, cookie, query string or message body may be handed in, at any level.
final class Logger: Sendable {
    private let level: Atomic<UInt8>
    private let queue: LogQueue

    /// Starts the writing thread. Signals that are blocked here are blocked there.
    ///
    /// - Parameters:
    ///   - repeatWindow: equal lines within it fold into one with a count; 0 = none do.
    ///   - capacity: bytes that may wait for the descriptor.
    ///   - clock: that of the loops, by which lines fold.
    init(
        descriptor: Int32 = 1, level: LogLevel, repeatWindow: Nanoseconds, capacity: Int = 1 << 20,
        clock: @escaping @Sendable () -> Moment = Clock.now
    ) throws(SystemError) {
        self.level = Atomic(level.rawValue)
        let queue = LogQueue(descriptor: descriptor, capacity: capacity, window: repeatWindow, clock: clock)
        self.queue = queue
        _ = try LoopThread.start(name: "log") { queue.run() }
    }

    deinit {
        queue.stop()
    }

    /// After a reload of the configuration.
    func set(level: LogLevel, repeatWindow: Nanoseconds) {
        self.level.store(level.rawValue, ordering: .relaxed)
        queue.setWindow(repeatWindow)
    }

    func isOn(_ level: LogLevel) -> Bool {
        level.rawValue >= self.level.load(ordering: .relaxed)
    }

    /// Lines written, or waiting to be.
    var lines: UInt64 { queue.lines }

    /// Lines lost because the descriptor did not take them fast enough.
    var droppedLines: UInt64 { queue.dropped }

    /// Logs one line; `write` adds the fields and runs only when the line is made. It may not log.
    ///
    /// - Parameter fold: lines of this event with the same text are equal (`LogFolder`); nil: this one is never folded.
    func log(
        _ level: LogLevel, _ event: LogEvent, now: Moment, fold: String? = nil,
        _ write: (inout LogFields) -> Void = { _ in }
    ) {
        guard isOn(level) else { return }
        queue.append(level, event, now: now, fold: fold, write)
    }

    /// For the end of the run: waits until everything is written, but no longer than `limit`; false when it was not.
    @discardableResult
    func flush(limit: Nanoseconds = 2 * .second) -> Bool {
        queue.flush(until: Clock.monotonic().clampedAdding(limit))
    }

    /// For whoever is about to read the log: waits until all that was logged up to now is written.
    func settle(limit: Nanoseconds) {
        _ = queue.settle(until: Clock.monotonic().clampedAdding(limit))
    }
}
