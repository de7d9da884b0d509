import Glibc

/// The control thread: everything that is not a client's connection. It owns the backend and the admin listener, hears
/// the signals, watches the files of keys and certificates, tells systemd, and speaks to the workers through their
/// mailboxes.
final class ControlLoop {
    static let signals = [SIGTERM, SIGINT, SIGHUP]

    let loop: EventLoop
    /// As it is in force.
    var configuration: ServerConfiguration
    let source: ConfigurationSource?
    let logger: Logger
    let backend: any Backend
    /// The backend of one server alone; nil with Redis.
    let embedded: EmbeddedBackend?
    let directory: ConnectionDirectory
    private let mailbox: Mailbox<ControlMessage>
    let workers: [Mailbox<WorkerMessage>]
    private let threads: [LoopThread]
    /// Which workers want a topic's events, as bits.
    private var listeners: [String: UInt64] = [:]
    var topicCount: Int { listeners.count }
    /// Events for each worker, posted at the end of the turn.
    private var outboxes: [[WorkerMessage]]
    private var gatherings: [UInt64: Gathering] = [:]
    private var revocations: [UInt64: RevocationReceipt] = [:]
    private var nextNumber: UInt64 = 1
    /// Of keys and certificates.
    private(set) var files: FileWatcher?
    /// nil when systemd does not want to be told.
    let systemd: SystemdNotifier?
    /// Workers that do not accept yet.
    private var starting: Set<Int>
    private var housekeeping: Housekeeping?
    private var signalSource: SignalSource?
    var stopping = Stopping()
    private var status: Int32 = 0
    /// What the workers believe.
    var toldReadiness = true
    var metrics: ControlMetrics
    private(set) var admin: AdminEndpoint?

    /// Runs a server until it has stopped; the exit status.
    static func run(_ parts: Parts) -> Int32 {
        do {
            let control = try ControlLoop(parts)
            control.loop.run()
            let status = control.finish()
            withExtendedLifetime(control) { control.loop.close() }
            return status
        } catch {
            parts.logger.log(.error, .stopped, now: Clock.now()) { $0.add("error", "\(error)") }
            parts.logger.flush()
            return 1
        }
    }

    private init(_ parts: Parts) throws(SystemError) {
        loop = try EventLoop(clock: parts.clock)
        configuration = parts.configuration
        source = parts.source
        starting = Set(parts.workers.indices)
        logger = parts.logger
        directory = parts.directory
        mailbox = parts.control
        workers = parts.workers
        metrics = ControlMetrics(workers: workers.count, keys: parts.keys.count, startedAt: loop.now.wall)
        systemd = SystemdNotifier(parts.service, turns: parts.turns, on: loop)
        if let redis = configuration.redis {
            embedded = nil
            backend = try RedisBackend(
                redis, link: parts.redisLink, configuration: configuration, server: parts.name, loop: loop,
                logger: logger)
        } else {
            let embedded = EmbeddedBackend(
                events: configuration.events, tickets: configuration.tickets, now: loop.now,
                instance: UInt16(truncatingIfNeeded: parts.seed))
            self.embedded = embedded
            backend = embedded
        }
        outboxes = Array(repeating: [], count: workers.count)
        threads = try Self.startWorkers(parts)
        try mailbox.attach(to: loop) { [unowned self] in received($0) }
        loop.beforePoll = { [unowned self] in endTurn() }
        backend.deliver = { [unowned self] in deliver($0) }
        let admin = AdminEndpoint(self)
        self.admin = admin
        try admin.start(parts.listeners.admin)
        files = FileWatcher(configuration.watchedFiles, on: loop) { [unowned self] in filesChanged($0) }
        if parts.handlesSignals {
            signalSource = try SignalSource(Self.signals, on: loop) { [unowned self] in received(signal: $0) }
        }
        housekeeping = Housekeeping(on: loop) { [unowned self] in keepHouse() }
        log(started: parts)
        if let redis = backend as? RedisBackend { join(redis) }
    }

    // MARK: Workers

    private static func startWorkers(_ parts: Parts) throws(SystemError) -> [LoopThread] {
        var threads: [LoopThread] = []
        for index in parts.workers.indices {
            let setup = parts.setup(forWorker: index)
            let listeners = Handed(parts.listeners.workers[index])
            threads.append(
                try LoopThread.start(name: "worker-\(index)") {
                    do throws(SystemError) {
                        let worker = try Worker(index: index, setup: setup)
                        try setup.mailbox.attach(to: worker.loop) { [unowned worker] in worker.received($0) }
                        for listener in listeners.value { try worker.listen(on: listener) }
                        setup.control.post(.accepting(worker: index))
                        worker.loop.run()
                        worker.finish()
                        withExtendedLifetime(worker) { worker.loop.close() }
                    } catch {
                        setup.control.post(.failed(worker: index, error))
                    }
                })
        }
        return threads
    }

    private func received(_ messages: [ControlMessage]) {
        for message in messages {
            switch message {
            case .listen(let worker, let handle, let topic, let after):
                listeners[topic, default: 0] |= Self.bit(worker)
                backend.listen(topic, after: after, now: loop.now) { [unowned self] resumption in
                    tell(
                        worker,
                        resumption.map { .listening(handle: handle, topic: topic, $0) }
                            ?? .notListening(handle: handle, topic: topic))
                }
            case .unlisten(let worker, let topic):
                unlisten(topic, worker: worker)
            case .lookUp(let worker, let lookup):
                lookUp(lookup.command) { [unowned self] in tell(worker, .lookedUp(lookup, $0)) }
            case .lookUpSession(let worker, let handle, let index, let command):
                lookUp(command) { [unowned self] in
                    tell(worker, .identityAnswered(handle: handle, index: index, $0))
                }
            case .redeem(let worker, let handle, let ticket):
                backend.redeem(ticket: ticket, now: loop.now) { [unowned self] in
                    tell(worker, .identityAnswered(handle: handle, index: 0, $0))
                }
            case .storeTicket(let worker, let handle, let ticket, let value):
                backend.store(ticket: ticket, value: value, now: loop.now) { [unowned self] in
                    tell(worker, .ticketStored(handle: handle, ticket: ticket, $0))
                }
            case .handOver(let worker, let handle, let message):
                backend.handOver(message) { [unowned self] isTaken in
                    if !isTaken { metrics.messagesUnavailable += 1 }
                    tell(worker, .handedOver(handle: handle, ref: message.ref, isTaken: isTaken))
                }
            case .replace(let place):
                tell(place.worker, .replace(handle: place.handle))
            case .revoked(let number, let closed):
                received(receipt: number, closed: closed)
            case .gathered(let number, let reply):
                if gatherings[number]?.add(reply) == true { gatherings[number] = nil }
            case .accepting(let worker):
                starting.remove(worker)
                tellReady()
            case .stoppedListening(let worker):
                received(stoppedListening: worker)
            case .drained(let worker):
                received(drained: worker)
            case .failed(let worker, let error):
                logger.log(.error, .workerFailed, now: loop.now) { fields in
                    fields.add("worker", worker)
                    fields.add("error", "\(error)")
                }
                status = 1
                loop.stop()
            case .reload:
                reload()
            case .stop:
                stop()
            }
        }
    }

    private func lookUp(_ command: [String], answer: @escaping (StoreReply) -> Void) {
        backend.lookUp(command, now: loop.now) { [unowned self] reply in
            if case .error = reply { metrics.lookUpsFailed += 1 } else { metrics.lookUps += 1 }
            answer(reply)
        }
    }

    private static func bit(_ worker: Int) -> UInt64 { 1 << UInt64(truncatingIfNeeded: worker & 63) }

    private func unlisten(_ topic: String, worker: Int) {
        guard let bits = listeners[topic] else { return }
        let left = bits & ~Self.bit(worker)
        listeners[topic] = left == 0 ? nil : left
        if left == 0 { backend.unlisten(topic) }
    }

    /// A message for a worker, on its way when the turn ends.
    private func tell(_ worker: Int, _ message: WorkerMessage) {
        outboxes[worker].append(message)
    }

    func tellAll(_ message: WorkerMessage) {
        for worker in workers.indices { tell(worker, message) }
    }

    func deliver(_ event: Event) {
        guard let bits = listeners[event.topic] else { return }
        for worker in workers.indices where bits & Self.bit(worker) != 0 { tell(worker, .event(event)) }
    }

    private func endTurn() -> Bool {
        for worker in workers.indices where !outboxes[worker].isEmpty {
            workers[worker].post(contentsOf: outboxes[worker])
            outboxes[worker].removeAll(keepingCapacity: true)
        }
        return false
    }

    // MARK: Questions to all workers

    func gather(_ request: GatherRequest, complete: @escaping ([GatherReply]) -> Void) {
        let number = takeNumber()
        gatherings[number] = Gathering(workers: workers.count, complete: complete)
        tellAll(.gather(request, number: number))
    }

    /// Throws a user, a session or a token off everywhere; `complete` gets the number of connections closed.
    ///
    /// - Parameter wall: when it was revoked; nil = now. What is read later than it was said is not logged one by one.
    func revoke(_ revocation: Revocation, wall: Nanoseconds? = nil, complete: @escaping (Int) -> Void) {
        let number = takeNumber()
        var moment = loop.now
        revocations[number] = RevocationReceipt(
            heardAt: Clock.now().monotonic, missing: workers.count, complete: complete)
        if let wall { moment.wall = wall }
        tellAll(.revoke(revocation, at: moment, number: number))
        guard wall == nil else { return }
        logger.log(.notice, .revocationReceived, now: loop.now) { fields in
            fields.add("user", revocation.user)
            fields.add("jti", revocation.tokenID)
            // A session's id may be all that a cookie holds: that there is one is enough.
            if revocation.session != nil { fields.add("session", true) }
            fields.add("role", revocation.role)
            fields.add("reason", revocation.reason)
        }
    }

    private func received(receipt number: UInt64, closed: Int) {
        guard var receipt = revocations.removeValue(forKey: number) else { return }
        receipt.missing -= 1
        receipt.closed += closed
        guard receipt.missing == 0 else {
            revocations[number] = receipt
            return
        }
        let elapsed = Clock.now().monotonic - receipt.heardAt
        metrics.revocationSeconds.observe(elapsed)
        logger.log(.info, .revocationDone, now: loop.now) { fields in
            fields.add("closed", receipt.closed)
            fields.add("microseconds", Int(elapsed / .microsecond))
        }
        receipt.complete(receipt.closed)
    }

    private func takeNumber() -> UInt64 {
        defer { nextNumber &+= 1 }
        return nextNumber
    }

    // MARK: Now and then

    private func keepHouse() {
        backend.keepHouse(now: loop.now)
        tellReadiness()
        continueStopping()
        if starting.isEmpty { systemd?.update(serviceStatus, now: loop.now) }
    }

    /// To systemd, when every worker accepts.
    func tellReady() {
        if starting.isEmpty { systemd?.ready(serviceStatus) }
    }

    private func received(signal: Int32) {
        if signal == SIGHUP { reload() } else { stop() }
    }

    /// Ends the workers' threads.
    private func finish() -> Int32 {
        backend.stop()
        tellAll(.stop)
        _ = endTurn()
        for thread in threads { thread.join() }
        // What was folded is said before the last line, and not behind it.
        logger.flush(limit: 0)
        logger.log(.notice, .stopped, now: Clock.now()) { _ in }
        logger.flush()
        return status
    }
}
