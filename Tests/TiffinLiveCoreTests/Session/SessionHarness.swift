import Testing

@testable import TiffinLiveCore

/// One loop's worth of sessions without sockets, threads or clocks: the rules of a configuration, a broker and a store in
/// memory, and time that the test moves. Each `HarnessClient` stands for a connection with its shell.
///
/// What a session asks of the backend is answered in the same step, unless the test holds the answers back or scripts
/// them. Everything is drawn from one seed, so a failing test fails again.
final class SessionHarness {
    enum Answering {
        case atOnce
        /// Kept until `answerLookUps` or `answerAttachments`.
        case later
        /// The backend is down.
        case failing
    }

    let configuration: ServerConfiguration
    let context: SessionContext
    let tokens: TokenFactory
    let broker: EmbeddedBroker
    private(set) var clock = ManualClock()
    /// By slot. A client keeps its harness alive, not the other way round.
    private var slots: [Slot] = []

    // The backend's part.
    var store = EmbeddedStore()
    var lookUps = Answering.atOnce
    var attachments = Answering.atOnce
    /// What the registers say of the next connection, and what happens at that very moment.
    var registration = RegistrationOutcome.entered
    var whenRegistering: (HarnessClient) -> Void = { _ in }
    /// A topic's beginning other than the broker's.
    var scriptedResumptions: [String: Resumption] = [:]
    /// Look-ups that were sent, in order, answered or not.
    private(set) var lookUpsSent: [OwnerLookup] = []
    private var lookUpsWaiting: [OwnerLookup] = []
    private var attachmentsWaiting: [() -> Void] = []
    private var work: [() -> Void] = []
    /// Commands about tickets and session ids, and the answers that are held back.
    var identityCommands: [[String]] = []
    var identitiesWaiting: [(StoreReply?) -> Void] = []
    var ticketsStored = 0

    /// `settings` are `key=value` overrides as on the command line, after one that turns heartbeats off.
    init(
        _ settings: [String] = [], tokens: TokenFactory = .hs256, tokenCacheCapacity: Int = 1024, seed: UInt64 = 1
    ) throws {
        self.tokens = tokens
        let quiet = [#"heartbeat={ping:"0s",comment:"0s"}"#]
        configuration = try ServerConfiguration.load(path: nil, overrides: quiet + settings)
        let lookups = configuration.lookups
        context = SessionContext(
            settings: configuration.sessionSettings, routes: configuration.routeTable,
            rules: configuration.topicRules,
            verifier: TokenVerifier(
                keys: tokens.keySet, policy: configuration.tokenPolicy, cacheCapacity: tokenCacheCapacity),
            revocations: RevocationList(maximumLifetime: configuration.tokens.maximumLifetime),
            owners: OwnerCache(allowedFor: lookups.cache, deniedFor: lookups.cacheDenied), topics: TopicTable(),
            penalties: Unshared(SourcePenalty(limit: RateLimit(configuration.limits.forged))), now: clock.now,
            seed: seed)
        broker = EmbeddedBroker(
            keep: configuration.events.keep, keepFor: configuration.events.keepFor, wall: clock.now.wall, instance: 7)
    }

    private struct Slot {
        weak var client: HarnessClient?
    }

    var clients: [HarnessClient] { slots.compactMap(\.client) }
    var now: Moment { clock.now }

    /// The wall clock in whole seconds, as tokens count.
    var seconds: Int64 { clock.now.wall / .second }

    // MARK: Clients

    func connect(from address: String = "192.0.2.1") throws -> HarnessClient {
        let peer = try #require(IPAddress(address))
        let client = HarnessClient(handle: UInt64(slots.count), peer: peer, harness: self)
        slots.append(Slot(client: client))
        return client
    }

    func token(
        _ user: String = "5521", role: String? = "rider", ttl: Int64 = 900, jti: String? = nil,
        extra: JSONObject = JSONObject()
    ) -> String {
        tokens.token(sub: .string(user), role: role, exp: seconds + ttl, iat: seconds, jti: jti, extra: extra)
    }

    // MARK: Time

    /// Lets time go by, timer by timer.
    func advance(by span: Nanoseconds) {
        let target = clock.now.monotonic.clampedAdding(span)
        var fired = 0
        while let client = nextDue(until: target) {
            fired += 1
            guard fired < 20_000 else {
                Issue.record("timers go off without end")
                return
            }
            move(by: max(0, client.session.deadlines.earliest - clock.now.monotonic))
            client.timerFired()
            finishTurn()
        }
        move(by: max(0, target - clock.now.monotonic))
        finishTurn()
    }

    func advance(seconds: Double) {
        advance(by: Nanoseconds(seconds * Double(Nanoseconds.second)))
    }

    /// Time goes by, and no timer goes off yet: a loop that is late.
    func advanceWithoutTimers(by span: Nanoseconds) {
        move(by: span)
    }

    /// Somebody sets the wall clock, or the machine slept: the loop tells every session before anything else happens.
    func stepWall(by span: Nanoseconds) {
        clock.stepWall(by: span)
        context.advance(to: clock.now)
        for client in clients { client.perform { $0.clockStepped($1) } }
        finishTurn()
    }

    private func move(by span: Nanoseconds) {
        clock.advance(by: span)
        context.advance(to: clock.now)
    }

    private func nextDue(until target: Nanoseconds) -> HarnessClient? {
        var first: HarnessClient?
        for client in clients where !client.session.isClosed && client.session.deadlines.earliest <= target {
            if let known = first, known.session.deadlines.earliest <= client.session.deadlines.earliest { continue }
            first = client
        }
        return first
    }

    // MARK: The backend

    @discardableResult
    func publish(_ topic: String, _ data: String, event: String = "message", isJSON: Bool = true) -> EventID? {
        let published = broker.publish(
            topic: topic, name: event, data: Array(data.utf8), isJSON: isJSON, wall: clock.now.wall)
        deliver(published)
        return published.id
    }

    /// An event that is in no history.
    func deliver(_ event: Event) {
        context.topics.publish(event)
        finishTurn()
    }

    func revoke(_ json: String) throws {
        let revocation = try Revocation.read(Array(json.utf8))
        context.revocations.insert(revocation, wall: clock.now.wall)
        for client in clients where client.session.isKnown {
            guard let identity = client.session.identity, revocation.matches(identity, at: clock.now.wall)
            else { continue }
            client.perform { $0.disconnect(.revoked, $1) }
        }
        finishTurn()
    }

    func own(_ order: String, by user: String) {
        _ = store.execute(["HSET", "order:\(order)", "customer_id", user], now: clock.now.monotonic)
    }

    func sent(_ lookup: OwnerLookup) {
        lookUpsSent.append(lookup)
        switch lookUps {
        case .atOnce: work.append { self.answer(lookup, self.store.execute(lookup.command, now: self.now.monotonic)) }
        case .failing: work.append { self.answer(lookup, .error("LOADING")) }
        case .later: lookUpsWaiting.append(lookup)
        }
    }

    /// Answers what was held back, from the store or with one reply for all.
    func answerLookUps(_ reply: StoreReply? = nil) {
        let waiting = lookUpsWaiting
        lookUpsWaiting = []
        for lookup in waiting { answer(lookup, reply ?? store.execute(lookup.command, now: now.monotonic)) }
        finishTurn()
    }

    /// Does something before the turn ends.
    func later(_ item: @escaping () -> Void) {
        work.append(item)
    }

    private func answer(_ lookup: OwnerLookup, _ reply: StoreReply) {
        let isGranted = OwnerLookup.isAnswer(reply) ? lookup.isGranted(by: reply) : nil
        guard
            case .answered(let waiters) = context.owners.complete(lookup, isGranted: isGranted, now: now.monotonic)
        else { return sent(lookup) }
        for waiter in waiters {
            client(of: waiter)?.perform { $0.lookUpCompleted(lookup, isGranted: isGranted, $1) }
        }
    }

    func listen(_ topic: String, after: String?, for client: HarnessClient) {
        let answer = {
            if case .failing = self.attachments {
                client.perform { $0.notAttached(topic, $1) }
            } else {
                let begin =
                    self.scriptedResumptions[topic]
                    ?? self.broker.resume(topic: topic, after: after, wall: self.now.wall)
                client.perform { $0.attached(topic, begin, $1) }
            }
        }
        if case .later = attachments { attachmentsWaiting.append(answer) } else { work.append(answer) }
    }

    /// Answers the attachments that were held back: all, or the first few.
    func answerAttachments(_ count: Int = .max) {
        let waiting = attachmentsWaiting.prefix(count)
        attachmentsWaiting.removeFirst(waiting.count)
        for answer in waiting { answer() }
        finishTurn()
    }

    /// What happens at the end of a turn: answers are handed over, events delivered.
    func finishTurn() {
        repeat {
            while !work.isEmpty { work.removeFirst()() }
            while context.topics.deliver(
                budget: 1000, body: { batch, slot in client(of: UInt64(slot))?.deliver(batch) })
            {}
        } while !work.isEmpty
    }

    private func client(of handle: UInt64) -> HarnessClient? {
        handle < UInt64(slots.count) ? slots[Int(handle)].client : nil
    }
}
