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

    /// Acts on a revocation of that moment and says how many connections it closed.
    var act: (Revocation, _ wall: Nanoseconds, _ closed: @escaping (Int) -> Void) -> Void = { _, _, closed in closed(0) }
    var malformed: () -> Void = {}

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

    init(
        _ commands: RedisConnection, channel: String, memory: Nanoseconds, server: String, loop: EventLoop, logger: Logger
    ) {
        self.commands = commands
        self.channel = channel
        self.memory = memory
        self.server = server
        self.loop = loop
        self.logger = logger
        deafSince = loop.now.monotonic
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
            state = .deaf(since: loop.now.wall)
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
        act(revocation, heardAt.wall) { [unowned self] closed in
            receipt(revocation, closed: closed, elapsed: Clock.monotonic() - heardAt.monotonic)
        }
    }

    // MARK: The log

    /// Later of two times counts, so that servers writing the same one do not undo each other.
    private func write(_ message: [UInt8], wall: Nanoseconds) {
        let command = ["ZADD", log, "GT", String(wall / .millisecond)].map { Array($0.utf8) }
        commands.send(command + [message]) { _ in }
    }

    /// Reads what was missed, a page after the other. Nothing is skipped when the command link is away: it begins again.
    func catchUp() {
        guard case .catchingUp(let since) = state else { return }
        generation += 1
        readPage(from: since.clampedAdding(-Self.overlap), offset: 0, found: 0, generation: generation)
    }

    private func readPage(from: Nanoseconds, offset: Int, found: Int, generation: Int) {
        let command = [
            "ZRANGEBYSCORE", log, String(max(0, from) / .millisecond), "+inf", "WITHSCORES", "LIMIT", String(offset),
            String(Self.page),
        ]
        commands.send(command) { [weak self] reply in
            guard let self, generation == self.generation, case .catchingUp = state else { return }
            guard case .success(let value) = reply, let entries = value.elements else { return retryLater() }
            let missed = Self.scored(entries)
            for (message, milliseconds) in missed {
                guard let revocation = try? Revocation.read(message) else { continue }
                act(revocation, milliseconds.clampedMilliseconds) { _ in }
            }
            guard missed.count == Self.page else { return finishCatchUp(found + missed.count) }
            readPage(from: from, offset: offset + Self.page, found: found + missed.count, generation: generation)
        }
    }

    private var retryAt: Nanoseconds?

    private func retryLater() {
        retryAt = loop.now.monotonic + .second
    }

    private func finishCatchUp(_ count: Int) {
        state = .current
        let deaf = deafSince.map { loop.now.monotonic - $0 } ?? 0
        deafTotal += deaf
        deafSince = nil
        logger.log(.notice, .revocationsHeard, now: loop.now) { fields in
            fields.add("missed", count)
            fields.add("deaf_milliseconds", deaf / .millisecond)
        }
    }

    /// Members with their scores: pairs in RESP3, one after the other in RESP2.
    private static func scored(_ entries: [RESPValue]) -> [(message: [UInt8], milliseconds: Int64)] {
        var flat: [RESPValue] = []
        for entry in entries {
            if let pair = entry.elements { flat += pair } else { flat.append(entry) }
        }
        var found: [(message: [UInt8], milliseconds: Int64)] = []
        for index in stride(from: 0, to: flat.count - 1, by: 2) {
            guard let message = flat[index].bytes else { continue }
            let score: Double?
            if case .double(let value) = flat[index + 1] {
                score = value
            } else {
                score = flat[index + 1].bytes.flatMap { Double(String(decoding: $0, as: UTF8.self)) }
            }
            found.append((message, score.flatMap { Int64(exactly: $0.rounded()) } ?? .max))
        }
        return found
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
        if let retryAt, now.monotonic >= retryAt {
            self.retryAt = nil
            catchUp()
        }
        guard commands.isReady, now.monotonic - prunedAt >= Self.prunePeriod else { return }
        prunedAt = now.monotonic
        let oldest = now.wall.clampedAdding(-memory).clampedAdding(-2 * Self.overlap) / .millisecond
        commands.send(["ZREMRANGEBYSCORE", log, "-inf", "(" + String(oldest)]) { _ in }
    }

    /// Seconds of deafness up to now, for the metric.
    func deafNanoseconds(now: Nanoseconds) -> Nanoseconds {
        deafTotal + (deafSince.map { now - $0 } ?? 0)
    }
}

extension Int64 {
    /// Milliseconds as nanoseconds, within the range.
    fileprivate var clampedMilliseconds: Nanoseconds {
        let (product, overflow) = multipliedReportingOverflow(by: .millisecond)
        return overflow ? .max : product
    }
}
