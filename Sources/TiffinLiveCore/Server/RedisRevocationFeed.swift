/// Revocations over Redis (contract sections 7.6 and 7.7): every one that is heard is acted on and written down with its
/// time, so that a server that was deaf reads what it missed. After acting, a receipt says how many connections it closed.
final class RedisRevocationFeed {
    /// Revocations in one page of a catch-up.
    private static let page = 1000
    /// Servers' clocks may differ by this much, and a message may be under way.
    private static let overlap: Nanoseconds = 30 * .second
    /// Receipts kept.
    private static let receiptsKept = 10_000
    private static let prunePeriod: Nanoseconds = 60 * .second

    /// Most revocations that wait for a link to be written down.
    private static let unwrittenLimit = 10_000
    /// So long without a turn means that this process or the whole machine stood still.
    private static let standstill: Nanoseconds = 5 * .second
    /// So long after that a lost link is noticed at the latest.
    private static let aftermath: Nanoseconds = 60 * .second

    /// Acts on a revocation and says how many connections it closed. `wall` is the moment of one that was read later than
    /// it was said; nil for one that was heard just now.
    var act: (Revocation, _ wall: Nanoseconds?, _ closed: @escaping (Int) -> Void) -> Void = { _, _, closed in closed(0)
    }
    var malformed: () -> Void = {}
    /// Everything that was missed has been acted on.
    var becameCurrent: () -> Void = {}

    private let commands: RedisConnection
    private let channel: String
    private let memory: Nanoseconds
    private let server: String
    private let loop: EventLoop
    private let logger: Logger
    private var log: String { channel + ":log" }
    private var receipts: String { channel + ":receipts" }

    private enum State {
        /// The channel is not in force. `since`: what to read from, wall clock.
        case deaf(since: Nanoseconds)
        case catchingUp(since: Nanoseconds)
        case current
    }

    private var state = State.deaf(since: 0)
    private var deafSince: Nanoseconds?
    /// Nanoseconds without hearing, since the start.
    private(set) var deafTotal: Nanoseconds = 0
    private var prunedAt: Nanoseconds = 0
    private var generation = 0
    /// Heard and acted on, not in the log yet.
    private var unwritten: [(message: [UInt8], wall: Nanoseconds)] = []
    /// Wall clock of the last turn that was seen, and of the one before the last standstill with the moment of its end.
    private var turnAt: Nanoseconds
    private var stoodStill: (since: Nanoseconds, until: Nanoseconds)?

    init(
        _ commands: RedisConnection, channel: String, memory: Nanoseconds, server: String, loop: EventLoop,
        logger: Logger
    ) {
        self.commands = commands
        self.channel = channel
        self.memory = memory
        self.server = server
        self.loop = loop
        self.logger = logger
        deafSince = loop.now.monotonic
        turnAt = loop.now.wall
        state = .deaf(since: loop.now.wall.clampedAdding(-memory))
    }

    /// Whether everything that was published has been heard or read.
    var isCurrent: Bool {
        if case .current = state { true } else { false }
    }

    // MARK: The channel

    /// The channel is in force: what was missed is read now.
    func heard() {
        guard case .deaf(let since) = state else { return }
        state = .catchingUp(since: since)
        catchUp()
    }

    func lost() {
        generation += 1
        switch state {
        case .current:
            // A link that died while nobody could notice was deaf from then on.
            noticeStandstill(loop.now)
            state = .deaf(since: stoodStill?.since ?? loop.now.wall)
            deafSince = loop.now.monotonic
        case .catchingUp(let since):
            state = .deaf(since: since)
        case .deaf:
            break
        }
    }

    func received(_ message: [UInt8]) {
        let revocation: Revocation
        do {
            guard message.count <= Revocation.maximumBytes else { throw RevocationError.tooLarge }
            revocation = try Revocation.read(message)
        } catch {
            malformed()
            logger.log(.warning, .revocationMalformed, now: loop.now, fold: "") { $0.add("error", "\(error)") }
            return
        }
        let heardAt = loop.now
        write(message, wall: heardAt.wall)
        act(revocation, nil) { [unowned self] closed in
            receipt(revocation, closed: closed, elapsed: Clock.monotonic() - heardAt.monotonic)
        }
    }

    // MARK: The log

    /// Later of two times counts, so that servers writing the same one do not undo each other. What cannot be written now
    /// is written when the link is there again: nobody else may have heard it.
    private func write(_ message: [UInt8], wall: Nanoseconds) {
        let command = ["ZADD", log, "GT", String(wall / .millisecond)].map { Array($0.utf8) }
        commands.send(command + [message]) { [weak self] reply in
            guard let self, case .failure = reply, unwritten.count < Self.unwrittenLimit else { return }
            unwritten.append((message, wall))
        }
    }

    private func writeRest() {
        let rest = unwritten
        unwritten = []
        for (message, wall) in rest { write(message, wall: wall) }
    }

    /// The link for commands is there again.
    func linkIsUp() {
        writeRest()
        catchUp()
    }

    /// Reads what was missed, a page after the other. Nothing is skipped when the command link is away: it begins again.
    private func catchUp() {
        guard case .catchingUp(let since) = state else { return }
        generation += 1
        let from = max(0, since.clampedAdding(-Self.overlap)) / .millisecond
        readPage(Page(from: from, offset: 0, read: 0, generation: generation))
    }

    private struct Page {
        /// Score, milliseconds.
        var from: Int64
        var offset: Int
        /// Read before this page.
        var read: Int
        let generation: Int
    }

    private func readPage(_ page: Page) {
        let command = [
            "ZRANGEBYSCORE", log, String(page.from), "+inf", "WITHSCORES", "LIMIT", String(page.offset),
            String(Self.page),
        ]
        commands.send(command) { [weak self] reply in
            guard let self, page.generation == generation, case .catchingUp = state else { return }
            guard case .success(let value) = reply, let missed = RevocationLogEntry.page(value) else {
                return retryLater()
            }
            for entry in missed {
                guard let revocation = try? Revocation.read(entry.message) else { continue }
                act(revocation, entry.wall) { _ in }
            }
            var next = page
            next.read += missed.count
            guard missed.count == Self.page, let last = missed.last?.milliseconds else {
                return finishCatchUp(next.read)
            }
            // On from the last score, not by counting alone: an entry that is written again meanwhile moves, and others with
            // it. Those of that score are read twice, which harms nobody.
            next.offset = last == page.from ? page.offset + Self.page : 0
            next.from = last
            readPage(next)
        }
    }

    private var retryAt: Nanoseconds?

    private func retryLater() {
        retryAt = loop.now.monotonic + .second
    }

    private func finishCatchUp(_ count: Int) {
        state = .current
        becameCurrent()
        let deaf = deafSince.map { loop.now.monotonic - $0 } ?? 0
        deafTotal += deaf
        deafSince = nil
        logger.log(.notice, .revocationsHeard, now: loop.now) { fields in
            fields.add("missed", count)
            fields.add("deaf_milliseconds", deaf / .millisecond)
        }
    }

    // MARK: Receipts

    private func receipt(_ revocation: Revocation, closed: Int, elapsed: Nanoseconds) {
        var command = ["XADD", receipts, "MAXLEN", "~", String(Self.receiptsKept), "*", "server", server]
        if let user = revocation.user { command += ["user", user] }
        if let tokenID = revocation.tokenID { command += ["jti", tokenID] }
        command += ["closed", String(closed), "microseconds", String(max(0, elapsed) / .microsecond)]
        commands.send(command) { _ in }
    }

    // MARK: Now and then

    func keepHouse(now: Moment) {
        noticeStandstill(now)
        if commands.isReady, !unwritten.isEmpty { writeRest() }
        if let retryAt, now.monotonic >= retryAt {
            self.retryAt = nil
            catchUp()
        }
        guard commands.isReady, now.monotonic - prunedAt >= Self.prunePeriod else { return }
        prunedAt = now.monotonic
        let oldest = now.wall.clampedAdding(-memory).clampedAdding(-2 * Self.overlap) / .millisecond
        commands.send(["ZREMRANGEBYSCORE", log, "-inf", "(" + String(oldest)]) { _ in }
    }

    private func noticeStandstill(_ now: Moment) {
        if now.wall - turnAt > Self.standstill {
            stoodStill = (turnAt, now.monotonic)
        } else if let stoodStill, now.monotonic - stoodStill.until > Self.aftermath {
            self.stoodStill = nil
        }
        turnAt = now.wall
    }

    /// Seconds of deafness up to now, for the metric.
    func deafNanoseconds(now: Nanoseconds) -> Nanoseconds {
        deafTotal + (deafSince.map { now - $0 } ?? 0)
    }
}
