/// The shell of one `Session`: its socket, its output that waits, its timer. Moves bytes, does what the session asks, and
/// decides nothing.
final class ClientConnection: EventSource {
    private let socket: Socket
    /// Nil without TLS of our own, and then `socket` is read and written itself.
    private let tls: TLSSocket?
    private unowned(unsafe) let worker: Worker
    private(set) var registration: Registration
    private(set) var session: Session
    /// Output that the kernel did not take; nil most of the time.
    private var queue: OutboundQueue?
    /// Whether the session has written its last.
    private var isFinishing = false
    private var hasSentEnd = false
    private var hasSeenEnd = false
    private var isRegistered = false
    private var armedAt = SessionDeadlines.never
    /// The neighbours among this loop's connections of the same user: slots, -1 = none.
    var nextOfUser: Int32 = -1
    var previousOfUser: Int32 = -1

    init(socket: Socket, tls: TLSSocket?, peer: IPAddress, worker: Worker) throws(SystemError) {
        self.socket = socket
        self.tls = tls
        self.worker = worker
        registration = Registration(index: .max, generation: 0)
        session = Session(handle: 0, client: peer, context: worker.context)
        registration = try worker.loop.register(socket.descriptor, interest: .readable, source: self)
        session.handle = handle
        armTimer()
    }

    /// The registration as one number; its lower half is the slot.
    var handle: UInt64 { UInt64(registration.generation) << 32 | UInt64(registration.index) }
    var slot: Int32 { Int32(truncatingIfNeeded: registration.index) }
    var queuedBytes: Int { queue?.count ?? 0 }
    private var hasOutputLeft: Bool { queue != nil || tls?.hasUnsentRecords == true }

    // MARK: Events of the loop

    func ready(_ readiness: Readiness, on loop: EventLoop) {
        let context = worker.enter()
        if readiness.contains(.writable) { flush(context) }
        guard !session.isClosed else { return }
        // A hang-up is told by a read: the end, or the error.
        if !readiness.isDisjoint(with: [.readable, .hangUp]) { read(context, isHungUp: readiness.contains(.hangUp)) }
    }

    func timerFired(on loop: EventLoop) {
        let context = worker.enter()
        armedAt = SessionDeadlines.never
        prepare(context)
        session.timerFired(context)
        settle(context)
    }

    private func read(_ context: SessionContext, isHungUp: Bool) {
        let buffer = worker.loop.receiveBuffer
        if tls != nil, session.awaitsProxyHeader {
            readProxyHeader(into: buffer, context, isHungUp: isHungUp)
        } else if let tls {
            guard worker.tls?.mayRead(tls) ?? true else { return }
            take(read(tls, through: buffer), from: tls.received, context, isHungUp: isHungUp)
            // An end that is announced is an end, whether the FIN has come or not.
            if tls.hasReceivedClose, !hasSeenEnd, !session.isClosed {
                take(.endOfStream, from: tls.received, context, isHungUp: false)
            }
        } else {
            take(socket.read(into: buffer), from: buffer, context, isHungUp: isHungUp)
        }
        settle(context)
    }

    /// The header that comes in front of TLS. What is behind it stays with the kernel, where the handshake begins.
    private func readProxyHeader(
        into buffer: UnsafeMutableRawBufferPointer, _ context: SessionContext, isHungUp: Bool
    ) {
        let result = socket.peek(into: buffer)
        guard case .bytes(let count) = result else {
            return take(result, from: buffer, context, isHungUp: isHungUp)
        }
        prepare(context)
        let length = session.receivedProxyHeader(UnsafeRawBufferPointer(rebasing: buffer[..<count]), context)
        _ = socket.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<length]))
        worker.metrics.bytesIn += UInt64(length)
    }

    private func read(_ tls: TLSSocket, through buffer: UnsafeMutableRawBufferPointer) -> SocketResult {
        let isFirst = !tls.hasAnswered
        let wasHandshaking = tls.isHandshaking
        let result = tls.read(through: buffer)
        if isFirst && tls.hasAnswered { worker.tls?.hasAnswered() }
        if wasHandshaking && tls.stream.state == .established {
            worker.metrics.count(tlsHandshake: tls.stream.isResumed ? "resumed" : "full")
        }
        if case .failed = result, let error = tls.error {
            if wasHandshaking { worker.metrics.count(tlsHandshake: error.word) }
            worker.log(refused: self, tls: error)
            if error == .plaintextHTTP { worker.refusePlaintext(socket) }
        }
        return result
    }

    /// What a read has brought, which is at the front of `buffer`.
    private func take(
        _ result: SocketResult, from buffer: UnsafeMutableRawBufferPointer, _ context: SessionContext, isHungUp: Bool
    ) {
        switch result {
        case .bytes(0):
            // A part of a record, or of the TLS handshake.
            break
        case .bytes(let count):
            worker.metrics.bytesIn += UInt64(count)
            prepare(context)
            session.received(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), context)
        case .wouldBlock:
            guard isHungUp else { return }
            session.failed(context)
        case .endOfStream:
            if hasSeenEnd && isHungUp {
                session.failed(context)
            } else if !hasSeenEnd {
                hasSeenEnd = true
                prepare(context)
                session.receivedEnd(context)
            }
        case .failed:
            session.failed(context)
        }
    }

    private func prepare(_ context: SessionContext) {
        context.isOutputBlocked = hasOutputLeft
    }

    // MARK: What the worker asks for

    /// Lets the session handle an input, and does what comes of it.
    func perform(_ input: (inout Session, SessionContext) -> Void) {
        let context = worker.context
        prepare(context)
        input(&session, context)
        settle(context)
    }

    /// A batch of live events. The usual case, shared bytes to a socket with room, touches nothing else.
    func deliver(_ batch: EventBatch) {
        let context = worker.context
        prepare(context)
        switch session.deliver(batch, context) {
        case .nothing:
            break
        case .own:
            settle(context)
        case .shared(let encoded):
            send(encoded.bytes, context)
            checkQueue(context)
            if !context.actions.isEmpty || !context.output.isEmpty { settle(context) } else { updateInterest() }
        }
    }

    // MARK: Output

    /// Does what the session asked for, in order, until nothing is left.
    private func settle(_ context: SessionContext) {
        var index = 0
        repeat {
            if context.discardsQueue {
                context.discardsQueue = false
                let isCloseQueued = context.output.isEmpty
                queue?.discardUnstarted(
                    framing: session.framing, keepingLast: isCloseQueued ? Int(session.closeLength) : 0)
            }
            sendOutput(context)
            while index < context.actions.count {
                perform(context.actions[index], context)
                index += 1
            }
        } while !context.output.isEmpty || context.discardsQueue
        context.actions.removeAll(keepingCapacity: true)
        guard !session.isClosed else { return close() }
        if !hasOutputLeft { session.dropEmptyBacklog() }
        if isFinishing && !hasOutputLeft { finish(context) }
        guard !session.isClosed else { return close() }
        updateInterest()
        armTimer()
    }

    private func sendOutput(_ context: SessionContext) {
        guard !context.output.isEmpty else { return }
        send(context.output.bytes, context)
        context.output.removeAll()
        if !context.isPaced { checkQueue(context) }
        context.isPaced = false
    }

    /// Ends a connection whose peer takes less than it is sent (contract section 7.9).
    private func checkQueue(_ context: SessionContext) {
        guard session.isOpen, queuedBytes > context.settings.limits.outbound else { return }
        session.disconnect(.tooSlow, context)
    }

    private func send(_ bytes: UnsafeRawBufferPointer, _ context: SessionContext) {
        guard !session.isClosed else { return }
        if let queue {
            queue.append(bytes)
        } else {
            switch transmit(bytes) {
            case .bytes(let count) where count == bytes.count:
                worker.metrics.bytesOut += UInt64(count)
                guard hasOutputLeft else { return }
            case .bytes(let count):
                worker.metrics.bytesOut += UInt64(count)
                queue = OutboundQueue(bytes, sentBytes: count)
            case .wouldBlock:
                queue = OutboundQueue(bytes, sentBytes: 0)
            case .endOfStream, .failed:
                return session.failed(context)
            }
        }
        context.isOutputBlocked = true
    }

    private func transmit(_ bytes: UnsafeRawBufferPointer) -> SocketResult {
        if let tls { tls.send(bytes) } else { socket.send(bytes) }
    }

    /// The kernel takes bytes again.
    private func flush(_ context: SessionContext) {
        if let tls, case .failed = tls.flush() {
            session.failed(context)
            return settle(context)
        }
        if let queue {
            switch transmit(queue.unsent) {
            case .bytes(let count):
                worker.metrics.bytesOut += UInt64(count)
                queue.removeSent(count, framing: session.framing)
                if queue.isEmpty { self.queue = nil }
            case .wouldBlock:
                return
            case .endOfStream, .failed:
                session.failed(context)
                return settle(context)
            }
        }
        guard !hasOutputLeft else { return }
        prepare(context)
        session.outputDrained(context)
        settle(context)
    }

    /// Everything is sent: FIN, and then read until the peer is done too, for a close with unread input is a reset, which
    /// would take the last message with it.
    private func finish(_ context: SessionContext) {
        guard !hasSentEnd else { return }
        if let tls {
            tls.close()
            // The FIN comes behind the close_notify, when the kernel has that.
            guard !tls.hasUnsentRecords else { return }
        }
        hasSentEnd = true
        socket.shutdownWrite()
        session.endWasSent(peerHasEnded: hasSeenEnd, context)
        context.actions.removeAll(keepingCapacity: true)
    }

    // MARK: Actions

    private func perform(_ action: SessionAction, _ context: SessionContext) {
        switch action {
        case .register:
            let outcome = worker.register(self)
            isRegistered = outcome == .entered
            session.registered(outcome, context)
        case .lookUp(let lookup):
            worker.ask(.lookUp(worker: worker.index, lookup))
        case .lookUpSession(let index, let command):
            worker.ask(.lookUpSession(worker: worker.index, handle: handle, index: index, command: command))
        case .redeem(let ticket):
            worker.ask(.redeem(worker: worker.index, handle: handle, ticket: ticket))
        case .storeTicket(let value):
            let ticket = Base64.encodeURL(SecureRandom.bytes(Ticket.nameBytes))
            worker.ask(.storeTicket(worker: worker.index, handle: handle, ticket: ticket, value: value))
        case .attach(let topic, let after):
            worker.listen(topic, after: after, handle: handle)
        case .unlisten(let topic):
            worker.unlisten(topic)
        case .handOver(let message):
            worker.metrics.messagesHandedOver += 1
            worker.ask(.handOver(worker: worker.index, handle: handle, message))
        case .opened:
            worker.log(opened: self)
        case .ticketSold(let buyer):
            worker.log(ticketSoldTo: buyer, by: self)
        case .refused(let status, let error):
            worker.log(refused: self, status: status, error: error)
        case .proxyHeaderRefused(let error):
            worker.log(refused: self, proxyHeader: error)
        case .answered:
            break
        case .refreshed(let error):
            worker.log(refreshed: self, error: error)
        case .ended:
            if isRegistered {
                isRegistered = false
                worker.unregister(self)
            }
        case .finish:
            isFinishing = true
        case .abort:
            session.phase = .closed
        }
    }

    // MARK: The loop's registers

    private func updateInterest() {
        var interest: Readiness = []
        if !hasSeenEnd && session.wantsInput { interest.insert(.readable) }
        if hasOutputLeft || session.backlog != nil { interest.insert(.writable) }
        worker.loop.setInterest(interest, of: registration)
    }

    private func armTimer() {
        let earliest = session.deadlines.earliest
        guard earliest != armedAt else { return }
        armedAt = earliest
        if earliest == SessionDeadlines.never {
            worker.loop.disarm(registration)
        } else {
            worker.loop.arm(registration, at: earliest)
        }
    }

    private func close() {
        guard worker.remove(self) else { return }
        worker.loop.deregister(registration, closingDescriptor: true)
        socket.close()
    }
}
