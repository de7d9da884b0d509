import Glibc

/// The lines between the loops, which must never wait for standard output, and the thread that writes them. Bounded: what
/// does not fit is dropped and counted.
///
/// `@unchecked` because everything mutable is touched under the mutex only, but for `writing`, which belongs to the
/// writing thread.
final class LogQueue: @unchecked Sendable {
    /// A handshake costs a third less than with a wake-up for each line (`scripts/bench`).
    private static let gatheringMicroseconds: UInt32 = 2000

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    /// Signalled when there is something to write.
    private let filled = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    /// Signalled when something was written.
    private let emptied = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let descriptor: Int32
    /// Bytes that may wait.
    private let capacity: Int
    /// That of whoever appends; waiting goes by the system's.
    private let clock: @Sendable () -> Moment

    private var waiting = ByteBuffer(capacity: 16 << 10)
    private var writing = ByteBuffer(capacity: 16 << 10)
    private var folder: LogFolder
    private var isWriting = false
    private var isStopped = false
    /// Since the last line that said so.
    private var droppedLines: UInt64 = 0
    private var droppedLinesInAll: UInt64 = 0
    private var linesInAll: UInt64 = 0

    init(descriptor: Int32, capacity: Int, window: Nanoseconds, clock: @escaping @Sendable () -> Moment) {
        self.clock = clock
        self.descriptor = descriptor
        self.capacity = capacity
        folder = LogFolder(window: window)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(filled, &attributes)
        pthread_cond_init(emptied, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(filled)
        pthread_cond_destroy(emptied)
        pthread_mutex_destroy(mutex)
        filled.deallocate()
        emptied.deallocate()
        mutex.deallocate()
    }

    private func withLock<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    // MARK: The loops' side

    var lines: UInt64 { withLock { linesInAll } }
    var dropped: UInt64 { withLock { droppedLinesInAll } }

    /// Writes a line into the queue unless it folds into an equal one.
    func append(
        _ level: LogLevel, _ event: LogEvent, now: Moment, fold: String?, _ write: (inout LogFields) -> Void
    ) {
        withLock {
            var verdict = LogFolder.Verdict.write
            if let fold { verdict = folder.judge(level, event, key: fold, now: now.monotonic) }
            guard verdict != .folded else { return }
            let start = waiting.count
            var fields = LogFields(to: waiting, level: level, event: event, wall: now.wall)
            let fieldsStart = waiting.count
            write(&fields)
            if verdict == .writeFirst, let fold {
                folder.keep(Array(waiting.bytes[fieldsStart...]), level, event, key: fold)
            }
            fields.finish()
            keepLine(from: start)
            if start == 0 { pthread_cond_signal(filled) }
        }
    }

    private func keepLine(from start: Int) {
        guard waiting.count > capacity else {
            linesInAll += 1
            return
        }
        waiting.truncate(to: start)
        droppedLines += 1
        droppedLinesInAll += 1
    }

    func setWindow(_ window: Nanoseconds) {
        withLock { folder.window = window }
    }

    /// Says what was folded and waits until everything is written, at most until `deadline` on the monotonic clock;
    /// false when that was not enough.
    func flush(until deadline: Nanoseconds) -> Bool {
        withLock { append(folder.takeAll(), wall: clock().wall) }
        return settle(until: deadline)
    }

    /// Waits until everything that was appended is written; false when it was not by the deadline.
    func settle(until deadline: Nanoseconds) -> Bool {
        withLock {
            pthread_cond_signal(filled)
            while !waiting.isEmpty || isWriting {
                guard wait(for: emptied, until: deadline) else { return false }
            }
            return true
        }
    }

    /// Ends the writing thread once everything is written.
    func stop() {
        withLock {
            isStopped = true
            pthread_cond_signal(filled)
        }
    }

    // MARK: The writing thread's side

    /// The body of the thread.
    func run() {
        // A reader that is gone is an error of `write`, not the end of the process.
        SignalSource.block([SIGPIPE])
        while takeLines() {
            writeOut()
            withLock {
                isWriting = false
                pthread_cond_broadcast(emptied)
            }
        }
    }

    /// Waits for lines and takes them; false when there will be no more.
    private func takeLines() -> Bool {
        withLock {
            while true {
                let now = clock()
                append(folder.takeEnded(now: now.monotonic), wall: now.wall)
                if !waiting.isEmpty || droppedLines > 0 {
                    swap(&waiting, &writing)
                    waiting.removeAll()
                    tellDropped(wall: now.wall)
                    isWriting = true
                    return true
                }
                if isStopped { return false }
                if folder.isEmpty {
                    pthread_cond_wait(filled, mutex)
                } else {
                    _ = wait(for: filled, until: Clock.monotonic().clampedAdding(.second / 2))
                }
                gather()
            }
        }
    }

    /// Lets a burst of lines come together, so that it costs the loops one wake-up and the reader one write. Under the lock.
    private func gather() {
        pthread_mutex_unlock(mutex)
        usleep(Self.gatheringMicroseconds)
        pthread_mutex_lock(mutex)
    }

    private func tellDropped(wall: Nanoseconds) {
        guard droppedLines > 0 else { return }
        let fields = LogFields(to: writing, level: .warning, event: .logDropped, wall: wall)
        fields.add("lines", droppedLines)
        fields.finish()
        droppedLines = 0
    }

    private func append(_ summaries: [LogFolder.Summary], wall: Nanoseconds) {
        for summary in summaries {
            let start = waiting.count
            let fields = LogFields(to: waiting, level: summary.level, event: summary.event, wall: wall)
            fields.add(encoded: summary.fields)
            fields.add("repeated", summary.count)
            fields.finish()
            keepLine(from: start)
        }
    }

    /// Writes what was taken, waiting as long as the reader needs. What cannot be written at all is lost.
    private func writeOut() {
        var rest = writing.bytes
        while let base = rest.baseAddress, !rest.isEmpty {
            let count = Glibc.write(descriptor, base, rest.count)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = Glibc.poll(&poll, 1, 1000)
            } else if errno != EINTR {
                break
            }
        }
        writing.removeAll()
    }

    private func wait(for condition: UnsafeMutablePointer<pthread_cond_t>, until deadline: Nanoseconds) -> Bool {
        var time = timespec(tv_sec: Int(deadline / .second), tv_nsec: Int(deadline % .second))
        return pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
    }
}
