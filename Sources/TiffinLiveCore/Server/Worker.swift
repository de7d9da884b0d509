import Glibc

/// One event loop with its thread, its listeners and its connections. Workers share nothing in the path of a message;
/// what they must know of each other goes through the control thread's mailbox and the directory.
final class Worker {
    /// Deliveries in one turn, so that a fan-out to 100,000 does not keep a ping waiting.
    private static let deliveriesPerTurn = 2048
    /// How long the kernel tries to get bytes to a peer that acknowledges nothing.
    private static let userTimeoutMilliseconds: Int32 = 30_000

    let index: Int
    let loop: EventLoop
    let context: SessionContext
    let logger: Logger
    var metrics = WorkerMetrics()
    var configuration: ServerConfiguration
    /// How many loops there are.
    let workerCount: Int
    private let directory: ConnectionDirectory
    private let control: Mailbox<ControlMessage>
    private let descriptorLimit: DescriptorLimit
    private var listeners: [ListeningSocket] = []
    /// By slot.
    var connections: [ClientConnection?] = []
    private(set) var connectionCount = 0
    var users: [String: Int32] = [:]
    private var interest = TopicInterest()
    /// For the control thread, posted at the end of the turn.
    private var outbox: [ControlMessage] = []
    /// Looks at all connections that are under way; each turn takes the first one further.
    private var walks: [ConnectionWalk] = []
    private var housekeeping: Housekeeping?
    var draining: DrainSchedule?
    /// Nil without TLS of our own.
    var tls: WorkerTLS?

    init(index: Int, setup: WorkerSetup) throws(SystemError) {
        self.index = index
        configuration = setup.configuration
        workerCount = setup.workers
        directory = setup.directory
        control = setup.control
        descriptorLimit = setup.descriptorLimit
        logger = setup.logger
        loop = try EventLoop(clock: setup.clock, turns: setup.turns)
        context = setup.makeContext(now: loop.now)
        tls = setup.certificate.map(WorkerTLS.init)
        loop.beforePoll = { [unowned self] in endTurn() }
        loop.clockStepped = { [unowned self] in clockStepped() }
        housekeeping = Housekeeping(on: loop) { [unowned self] in keepHouse() }
    }

    func listen(on listener: ListeningSocket) throws(SystemError) {
        listener.ranOutOfDescriptors = { [unowned self] refused in log(descriptorsExhausted: refused) }
        listener.acceptFailed = { [unowned self] error in log(acceptFailed: error) }
        try listener.start(on: loop, refuse: { [unowned self] in refuse($0) }) { [unowned self] socket, peer in
            accept(socket, peer)
        }
        listeners.append(listener)
    }

    /// Takes the clocks of this turn over; every entry from the loop begins with it.
    func enter() -> SessionContext {
        context.advance(to: loop.now)
        return context
    }

    // MARK: Connections

    private func accept(_ socket: Socket, _ peer: SocketAddress) {
        _ = enter()
        metrics.connectionsAccepted += 1
        guard Int(socket.descriptor) < descriptorLimit.endOfClients else {
            refuse(socket)
            socket.close()
            return log(descriptorsExhausted: 1)
        }
        socket.setUserTimeout(milliseconds: Self.userTimeoutMilliseconds)
        do {
            // Whoever reaches a Unix socket is on this machine.
            let address = peer.ipAddress ?? .loopback
            let connection = try ClientConnection(
                socket: socket, tls: try acceptTLS(socket), peer: address, worker: self)
            while connections.count <= Int(connection.slot) { connections.append(nil) }
            connections[Int(connection.slot)] = connection
            connectionCount += 1
        } catch {
            log(acceptFailed: error)
            socket.close()
        }
    }

    private func acceptTLS(_ socket: Socket) throws(SystemError) -> TLSSocket? {
        guard let tls else { return nil }
        guard let accepted = tls.accept(socket) else { throw SystemError("TLS", code: ENOMEM) }
        return accepted
    }

    /// Somebody speaks HTTP where TLS is expected; told in its own tongue, as far as the kernel takes it.
    func refusePlaintext(_ socket: Socket) {
        let answer = ByteBuffer(capacity: 256)
        HTTPResponse.json(400, error: "tls_required")
            .append(to: answer, date: context.date, closes: true, version: .http11)
        _ = socket.send(answer.bytes)
    }

    /// There is no descriptor for this connection; it gets an answer all the same.
    private func refuse(_ socket: Socket) {
        metrics.count(refusal: 503)
        // In TLS an answer would cost a handshake, and in plain text nobody would understand it.
        guard tls == nil else { return }
        let answer = ByteBuffer(capacity: 256)
        HTTPResponse.json(
            503, error: "full", fields: [("Retry-After", String(Int.random(in: 1...10, using: &context.random)))]
        )
        .append(to: answer, date: context.date, closes: true, version: .http11)
        _ = socket.send(answer.bytes)
        socket.shutdownWrite()
    }

    /// Forgets a connection that is about to be closed; false when that was done before.
    func remove(_ connection: ClientConnection) -> Bool {
        guard connections[Int(connection.slot)] === connection else { return false }
        connections[Int(connection.slot)] = nil
        connectionCount -= 1
        return true
    }

    func connection(handle: UInt64) -> ClientConnection? {
        let slot = Int(UInt32(truncatingIfNeeded: handle))
        guard slot < connections.count, let connection = connections[slot], connection.handle == handle else {
            return nil
        }
        return connection
    }

    // MARK: Registers

    func register(_ connection: ClientConnection) -> RegistrationOutcome {
        guard let identity = connection.session.identity else { return .full }
        let place = ConnectionDirectory.Place(worker: index, handle: connection.handle)
        let (outcome, replaced) = directory.enter(user: identity.user, address: connection.session.client, at: place)
        guard outcome == .entered else { return outcome }
        metrics.change(connection.session.transport, by: 1)
        let first = users[identity.user] ?? -1
        connection.nextOfUser = first
        connection.previousOfUser = -1
        if first >= 0 { connections[Int(first)]?.previousOfUser = connection.slot }
        users[identity.user] = connection.slot
        if let replaced { ask(.replace(replaced)) }
        return outcome
    }

    func unregister(_ connection: ClientConnection) {
        guard let identity = connection.session.identity else { return }
        metrics.change(connection.session.transport, by: -1)
        let place = ConnectionDirectory.Place(worker: index, handle: connection.handle)
        directory.leave(user: identity.user, address: connection.session.client, from: place)
        let (previous, next) = (connection.previousOfUser, connection.nextOfUser)
        if previous >= 0 {
            connections[Int(previous)]?.nextOfUser = next
        } else {
            users[identity.user] = next >= 0 ? next : nil
        }
        if next >= 0 { connections[Int(next)]?.previousOfUser = previous }
        connection.nextOfUser = -1
        connection.previousOfUser = -1
        log(closed: connection)
    }

    /// This loop's connections of a user. Closing one while walking is safe: the list is read first.
    func connections(ofUser user: String) -> [ClientConnection] {
        var found: [ClientConnection] = []
        var slot = users[user] ?? -1
        while slot >= 0, let connection = connections[Int(slot)] {
            found.append(connection)
            slot = connection.nextOfUser
        }
        return found
    }

    // MARK: Topics

    func listen(_ topic: String, after: String?, handle: UInt64) {
        interest.asked(for: topic)
        ask(.listen(worker: index, handle: handle, topic: topic, after: after))
    }

    func unlisten(_ topic: String) {
        guard !interest.isAwaited(topic), !context.topics.isListening(topic) else { return }
        ask(.unlisten(worker: index, topic: topic))
    }

    func listening(_ topic: String, handle: UInt64, _ resumption: Resumption?) {
        interest.answered(topic)
        connection(handle: handle)?.perform { session, context in
            if let resumption {
                session.attached(topic, resumption, context)
            } else {
                session.notAttached(topic, context)
            }
        }
        unlisten(topic)
    }

    // MARK: The turn

    /// A message for the control thread, on its way when the turn ends.
    func ask(_ message: ControlMessage) {
        outbox.append(message)
    }

    func begin(_ walk: ConnectionWalk) {
        walks.append(walk)
    }

    private func endTurn() -> Bool {
        _ = enter()
        tls?.turnEnds()
        if draining?.isBehind == true { drainSome() }
        var isMoreLeft = context.topics.deliver(budget: Self.deliveriesPerTurn) { batch, slot in
            guard Int(slot) < connections.count else { return }
            connections[Int(slot)]?.deliver(batch)
        }
        metrics.messagesIn += UInt64(context.messagesReceived)
        context.messagesReceived = 0
        metrics.eventsOut += UInt64(context.eventsSent)
        context.eventsSent = 0
        if let walk = walks.first {
            if walk.step(self) { walks.removeFirst() }
            isMoreLeft = isMoreLeft || !walks.isEmpty
        }
        if !outbox.isEmpty {
            control.post(contentsOf: outbox)
            outbox.removeAll(keepingCapacity: true)
        }
        return isMoreLeft || draining?.isBehind == true
    }

    /// A step of the wall clock: deadlines are looked at again before anything else happens.
    private func clockStepped() {
        let context = enter()
        logger.log(.notice, .clockStepped, now: context.now) { fields in fields.add("worker", index) }
        for connection in connections { connection?.perform { $0.clockStepped($1) } }
    }

    private func keepHouse() {
        let context = enter()
        context.revocations.prune(wall: context.now.wall, steps: 256)
        // Sessions give up by their own time-outs; here only the questions are forgotten.
        _ = context.owners.expire(askedBefore: context.now.monotonic - context.settings.limits.lookup)
        drainSome()
    }

    // MARK: The end

    /// The loop has ended: nobody is left behind without a log line.
    func finish() {
        stopListening()
        for connection in connections { connection?.perform { $0.failed($1) } }
        _ = endTurn()
    }

    func stopListening() {
        for listener in listeners {
            listener.acceptRest()
            listener.close()
        }
        listeners = []
    }
}
