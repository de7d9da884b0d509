/// A link to Redis that keeps itself up: resolves the name anew for every attempt and tries all of its addresses, signs
/// in, and after a loss comes back with back-off and jitter, for ever. The shell of `RedisSession`; belongs to one loop,
/// whose thread makes all calls, and lives from `start` to `stop`.
///
/// Commands are for a connection with the role `commands`, channels for one with `subscriptions`. A command fails at once
/// while there is no link; none is queued for later and none is sent twice. What is queued outside of this connection's
/// own callbacks leaves in one piece when the loop turns next.
final class RedisConnection: EventSource {
    typealias Reply = (Result<RESPValue, RedisFailure>) -> Void

    enum Phase: Equatable {
        /// Before `start`, after `stop`.
        case stopped
        /// For the next attempt, or for the next address of this one.
        case waiting
        case resolving
        case connecting
        case securing
        case open
    }

    /// A message of a wanted channel.
    var onMessage: (_ channel: String, _ payload: [UInt8]) -> Void = { _, _ in }
    /// From here on nothing of the channel is missed, until `onLost`.
    var onSubscribed: (_ channel: String) -> Void = { _ in }
    var onRefused: (_ channel: String, _ code: String) -> Void = { _, _ in }
    /// Signed in, and Redis serves.
    var onReady: () -> Void = {}
    /// A link that was ready is none any more. Outstanding commands have failed before this.
    var onLost: (RedisLinkFault) -> Void = { _ in }
    /// Up, or down and why: told when it changes.
    var onStateChange: (RedisLinkState) -> Void = { _ in }
    /// Asked before every attempt, so that a password that was changed is found without a restart. Must not block.
    var credentials: (() -> RedisCredentials)?

    let settings: RedisConnectionSettings
    let loop: EventLoop
    let resolutions: Mailbox<Resolution>
    var session: RedisSession<Reply>
    var phase = Phase.stopped
    var transport: RedisTransport?
    var timer: Registration?
    /// Of the present attempt, not tried yet.
    var addresses: [SocketAddress] = []
    /// All of them, as they were found for the present attempt or link.
    var found: [SocketAddress] = []
    /// Where the present link goes, or the last one went.
    var address: SocketAddress?
    /// Counts attempts and links: what belongs to an earlier one is known by it.
    var attempt: UInt64 = 0
    var backoff: ReconnectBackoff
    var readySince: Nanoseconds?
    /// While events are handed out; output is sent at the end of that.
    var isHandling = false
    var runningResolutions = 0
    /// For the links of this connection, one after the other; nil without TLS.
    let scratch: TLSScratch?
    private var told: RedisLinkState?
    /// Links that became ready, and those of them that were lost.
    var readyCount = 0
    var lostCount = 0

    struct Resolution: Sendable {
        let attempt: UInt64
        let outcome: Result<[SocketAddress], NameResolution.Failure>
    }

    init(role: RedisSession<Reply>.Role, settings: RedisConnectionSettings, loop: EventLoop) throws(SystemError) {
        self.settings = settings
        self.loop = loop
        session = RedisSession(role: role, settings: settings.session)
        backoff = settings.backoff
        scratch = settings.tls.map { _ in TLSScratch() }
        resolutions = try Mailbox()
        try resolutions.attach(to: loop) { [weak self] messages in
            for message in messages { self?.resolved(message) }
        }
    }

    // MARK: - Life

    /// Begins to connect, in the next turn of the loop. Redis may be absent.
    func start() {
        guard phase == .stopped else { return }
        timer = loop.registerTimer(self)
        phase = .waiting
        wait(until: now)
    }

    /// Leaves Redis for good or until `start`. Outstanding commands fail; `onLost` is not called.
    func stop() {
        guard phase != .stopped else { return }
        closeTransport()
        phase = .stopped
        addresses = []
        readySince = nil
        session.disconnected()
        if let timer { loop.deregister(timer) }
        timer = nil
        handleWaiting()
    }

    /// Leaves this link, such as one to a server that turned out to be the wrong one, and looks for Redis anew.
    func reconnect(because fault: RedisLinkFault) {
        guard phase != .stopped, phase != .waiting else { return }
        addresses = []
        lose(fault)
    }

    var isReady: Bool { session.isReady && phase == .open }
    /// Whether every wanted channel is in force, but for those that Redis refuses.
    var isSettled: Bool { isReady && session.ledger.isSettled }
    var server: RedisServerInfo? { isReady ? session.server : nil }
    /// Commands whose reply is outstanding.
    var pendingCount: Int { session.pendingCount }

    func isSubscribed(_ channel: String) -> Bool {
        isReady && session.ledger.isInForce(channel)
    }

    // MARK: - Wishes

    /// Calls `reply` exactly once: at once with `.unavailable` when the command cannot be sent now.
    func send(_ command: [[UInt8]], timeout: Nanoseconds? = nil, reply: @escaping Reply) {
        guard isReady, session.send(command, tag: reply, timeout: timeout, now: now) else {
            return reply(.failure(.unavailable))
        }
        outputQueued()
    }

    func send(_ command: [String], timeout: Nanoseconds? = nil, reply: @escaping Reply) {
        send(command.map { Array($0.utf8) }, timeout: timeout, reply: reply)
    }

    /// Wants the messages of `channel` from now on, over all links to come. `onSubscribed` follows each time that this
    /// comes into force; it does not when it is in force already (`isSubscribed`).
    func subscribe(_ channel: String) {
        session.subscribe(channel, now: now)
        outputQueued()
    }

    func unsubscribe(_ channel: String) {
        session.unsubscribe(channel, now: now)
        outputQueued()
    }

    // MARK: - Parts that the extensions share

    var now: Nanoseconds { loop.now.monotonic }

    func wait(until moment: Nanoseconds) {
        if let timer { loop.arm(timer, at: moment) }
    }

    func tell(_ state: RedisLinkState) {
        guard told != state else { return }
        told = state
        onStateChange(state)
    }

    func closeTransport() {
        attempt &+= 1
        guard let transport else { return }
        loop.deregister(transport.registration, closingDescriptor: true)
        transport.close()
        self.transport = nil
    }

    private func outputQueued() {
        guard !isHandling, phase == .open, let transport else { return }
        if !session.output.isEmpty { loop.setInterest([.readable, .writable], of: transport.registration) }
        watchClock()
    }
}
