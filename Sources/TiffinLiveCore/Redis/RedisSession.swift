/// The protocol of one link to Redis, over one connection after the other: greeting, commands and their replies,
/// subscriptions, health. Pure: bytes, wishes and `now` (monotonic) in, events and `output` out.
///
/// Greeting: HELLO 3 with AUTH and SETNAME; where HELLO is unknown or RESP3 is not spoken, AUTH and RESP2; then SELECT,
/// then PING, because a Redis that loads its data greets like any other. Replies are matched by order alone, so an error
/// is one command's reply and shifts nobody else's. Commands are never sent twice. Connecting, waiting between attempts
/// and the socket are `RedisConnection`'s.
struct RedisSession<Tag> {
    enum Role: Sendable {
        /// Commands; a server that says that it is a replica is left.
        case commands
        /// SUBSCRIBE only, so that RESP2 can do it too.
        case subscriptions
    }

    enum Step: Equatable, Sendable {
        case hello, authenticate, name, select, ping
    }

    enum State: Equatable, Sendable {
        case disconnected
        case greeting(Step)
        case ready
        /// Until `disconnected`.
        case failed
    }

    let role: Role
    /// Read at the next greeting.
    var settings: RedisSettings
    var state = State.disconnected
    /// Known once the greeting is done.
    var server: RedisServerInfo?
    /// What is to be sent; whoever sends it empties it.
    var output = ByteBuffer()
    var ledger = SubscriptionLedger()

    var decoder: RESPDecoder
    var expected = ReplyQueue<RedisExpectation<Tag>>()
    var events = ReplyQueue<RedisEvent<Tag>>()
    var connectedAt: Nanoseconds = 0
    /// When anything was received.
    var heardAt: Nanoseconds = 0
    /// When a reply came or at least a part of one.
    var progressedAt: Nanoseconds = 0
    var repliedAt: Nanoseconds = 0
    var statistics = RedisStatistics()
    /// Nothing in `expected` is due before.
    var earliestDeadline = Nanoseconds.max

    init(role: Role, settings: RedisSettings) {
        self.role = role
        self.settings = settings
        decoder = RESPDecoder(limits: settings.limits)
    }

    var isReady: Bool { state == .ready }
    var pendingCount: Int { expected.count }

    // MARK: - The connection

    mutating func connected(now: Nanoseconds) {
        precondition(state == .disconnected)
        decoder = RESPDecoder(limits: settings.limits)
        output.removeAll()
        server = nil
        connectedAt = now
        heardAt = now
        progressedAt = now
        repliedAt = now
        greet(.hello, now: now)
    }

    /// The connection is gone, or is about to be: commands that were sent have no reply any more.
    mutating func disconnected() {
        state = .disconnected
        while let expectation = expected.removeFirst() {
            if case .command(let tag?) = expectation.purpose { events.append(.reply(tag, .failure(.lost))) }
        }
        output.removeAll()
        earliestDeadline = .max
        ledger.unlinked()
    }

    /// The next event, out of `input` when none is waiting; takes from its front what that needed. Nil when all is used.
    mutating func next(_ input: inout UnsafeRawBufferPointer, now: Nanoseconds) -> RedisEvent<Tag>? {
        if let event = events.removeFirst() { return event }
        if !input.isEmpty { heardAt = now }
        while state == .ready || isGreeting {
            do throws(RESPError) {
                guard let value = try decoder.next(&input) else {
                    if decoder.isInsideValue { progressedAt = max(progressedAt, heardAt) }
                    return nil
                }
                received(value, now: now)
            } catch {
                fail(.malformed(error))
            }
            if let event = events.removeFirst() { return event }
        }
        input = UnsafeRawBufferPointer(start: nil, count: 0)
        return nil
    }

    /// An event that waits already, such as those of `deadlineReached` and `disconnected`.
    mutating func nextEvent() -> RedisEvent<Tag>? {
        events.removeFirst()
    }

    // MARK: - Wishes

    /// Queues one command. False when it was not taken: the link is not ready, too much is waiting, or it is none that
    /// has exactly one reply.
    mutating func send(_ command: [[UInt8]], tag: Tag, timeout: Nanoseconds? = nil, now: Nanoseconds) -> Bool {
        guard isReady, role == .commands, expected.count < settings.maximumPending,
            output.count < settings.maximumOutput, RedisCommandRule.hasOneReply(command)
        else { return false }
        let deadline = now.clampedAdding(timeout ?? settings.commandTimeout)
        expect(.command(tag), deadline: deadline, now: now)
        RESPEncoder.append(command, to: output)
        return true
    }

    /// Wants every message of `channel`, now or as soon as there is a link, until `unsubscribe`. `subscribed` follows
    /// each time that this comes into force, unless it is in force already.
    mutating func subscribe(_ channel: String, now: Nanoseconds) {
        if let order = ledger.want(channel) { obey(order, now: now) }
    }

    mutating func unsubscribe(_ channel: String, now: Nanoseconds) {
        if let order = ledger.release(channel) { obey(order, now: now) }
    }

    // MARK: - Parts that the extensions share

    var isGreeting: Bool {
        if case .greeting = state { return true }
        return false
    }

    mutating func expect(
        _ purpose: RedisExpectation<Tag>.Purpose, deadline: Nanoseconds? = nil, now: Nanoseconds
    ) {
        expected.append(RedisExpectation(purpose: purpose, sentAt: now, deadline: deadline))
        if let deadline { earliestDeadline = min(earliestDeadline, deadline) }
    }

    mutating func obey(_ order: SubscriptionLedger.Order, now: Nanoseconds) {
        switch order {
        case .subscribe(let channel):
            expect(.subscription(channel), now: now)
            RESPEncoder.append([Array("SUBSCRIBE".utf8), channel], to: output)
        case .unsubscribe(let channel):
            expect(.subscriptionEnd(channel), now: now)
            RESPEncoder.append([Array("UNSUBSCRIBE".utf8), channel], to: output)
        }
    }

    mutating func fail(_ fault: RedisLinkFault) {
        guard state != .failed, state != .disconnected else { return }
        state = .failed
        events.append(.failed(fault))
    }
}
