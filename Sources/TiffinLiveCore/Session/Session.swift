/// The protocol life of one client, from its first byte to the close: reading the request, being admitted, a WebSocket or
/// an event stream, closing. Pure: it is told what came in and what time it is (through `SessionContext`), writes what is
/// to be sent into `SessionContext.output`, and asks for the rest with `SessionAction`s. Its shell is `ClientConnection`.
///
/// The parts: `Session+ProxyHeader` (a balancer's word), `Session+Request` (HTTP), `Session+Identity` (who is it),
/// `Session+Admission` (what may they have), `Session+Tickets`, `Session+Browser`, `Session+Refusal`, `Session+WebSocket`
/// (messages), `Session+Delivery` (events), `Session+Closing`.
struct Session {
    enum Phase {
        /// A balancer is to name its client first.
        case readingProxyHeader(ProxyHeaderReading)
        case readingRequest(RequestReading)
        /// The handshake is sound; the identity, look-ups, registration or history are awaited.
        case admitting(Admission)
        /// A ticket is being bought: body, identity, look-ups or the store are awaited.
        case buying(TicketPurchase)
        case webSocket
        case eventStream
        /// The last message is written; what remains is to get it to the peer.
        case closing
        case closed
    }

    /// Names the connection to the registers of its loop.
    var handle: UInt64
    /// Names the connection in logs and messages, on all servers.
    let id: UInt64
    /// The other end of the socket, or the client that a trusted balancer named.
    var client: IPAddress
    var phase: Phase
    var frames = WebSocketConnection()
    var deadlines = SessionDeadlines()

    /// Set once the credential was accepted.
    var identity: ClaimsSet?
    /// The route's path in `SessionContext.routes.paths`; -1 until one matched.
    var routeIndex: Int32 = -1
    var echoes = false
    var takesInbound = false
    /// Whether the request is a HEAD, whose answer has no body.
    var isHead = false
    /// Whether the session was ever open, so that its end is worth a line.
    var wasOpen = false
    /// The head of this session's list of topics in `SessionContext.topics`.
    var topicHead: Int32 = -1
    /// A question on its way, for which input waits. nil most of the time.
    var waiting: PendingQuestion?
    /// Events that go out when there is room, in order: a replay and what came after it. nil most of the time.
    var backlog: Backlog?
    /// The positions of an event stream with several topics; nil for one topic, whose events carry their own id.
    var positions: TopicPositions?
    /// Of the handshake, when it names one.
    var trace: TraceContext?
    /// A ping to answer when output flows again; a later one replaces it (RFC 6455 section 5.5.3).
    var pendingPong: [UInt8]?

    let openedAt: Moment
    var lastReceived: Nanoseconds
    var lastSent: Nanoseconds
    /// When a ping was sent that nothing has answered yet; 0 = none.
    var pingSentAt: Nanoseconds = 0
    var messages = TokenBucket()

    var messagesReceived: UInt32 = 0
    /// Application messages that were handed over and are not answered yet.
    var unacknowledged: UInt32 = 0
    var eventsSent: UInt32 = 0
    /// Why the session ended, with the close code that was sent, or that the client sent.
    var ending: DisconnectReason?
    var endingCode: UInt16 = 0
    /// How many bytes at the end of the output are the close itself, which nothing may drop.
    var closeLength: UInt32 = 0
    var isChunked = true
    var hasReceived = false
    /// Whether a token came from here whose signature did not verify.
    var hasForged = false
    /// Whether our FIN has followed everything else.
    var endIsSent = false

    init(handle: UInt64, client: IPAddress, context: SessionContext) {
        let limits = context.settings.limits
        self.handle = handle
        self.client = client
        id = context.random.next()
        openedAt = context.now
        lastReceived = context.now.monotonic
        lastSent = context.now.monotonic
        phase =
            context.settings.beginsWithProxyHeader(from: client)
            ? .readingProxyHeader(ProxyHeaderReading())
            : .readingRequest(RequestReading(headLimit: limits.head, peer: client))
        deadlines.timeout = context.now.monotonic.clampedAdding(limits.handshake)
    }

    /// How messages in the output queue are framed.
    var framing: OutboundQueue.Framing {
        guard transport == .sse else { return .webSocket }
        return isChunked ? .chunked : .eventStream
    }

    var transport: Transport = .websocket

    /// Whether the session is open: accepted, and not closing.
    var isOpen: Bool {
        switch phase {
        case .webSocket, .eventStream: true
        case .readingProxyHeader, .readingRequest, .admitting, .buying, .closing, .closed: false
        }
    }

    /// Whether somebody is known to be there: open, or about to be.
    var isKnown: Bool {
        switch phase {
        case .admitting, .webSocket, .eventStream: true
        case .readingProxyHeader, .readingRequest, .buying, .closing, .closed: false
        }
    }

    var isClosed: Bool {
        if case .closed = phase { true } else { false }
    }

    /// Unacknowledged messages of one connection at which no more is read: a slow Redis slows its senders down (contract
    /// section 8), instead of filling the memory.
    static let unacknowledgedLimit = 16

    /// Whether more input can be taken. While a question is on its way, a bounded amount waits.
    var wantsInput: Bool {
        guard unacknowledged < Self.unacknowledgedLimit else { return false }
        guard let waiting else { return true }
        return waiting.held.count < PendingQuestion.heldLimit
    }

    // MARK: Inputs

    /// Bytes from the peer. They are changed in place (unmasked), and not needed after the call.
    mutating func received(_ bytes: UnsafeMutableRawBufferPointer, _ context: SessionContext) {
        lastReceived = context.now.monotonic
        pingSentAt = 0
        if let waiting {
            waiting.held.append(contentsOf: bytes)
            return
        }
        switch phase {
        case .readingProxyHeader:
            let rest = receivedProxyHeader(UnsafeRawBufferPointer(bytes), context)
            if rest < bytes.count { received(UnsafeMutableRawBufferPointer(rebasing: bytes[rest...]), context) }
        case .readingRequest(let reading):
            hasReceived = true
            receivedRequest(UnsafeRawBufferPointer(bytes), reading, context)
        case .buying(let purchase):
            receivedBody(UnsafeRawBufferPointer(bytes), purchase, context)
        case .webSocket:
            receivedFrames(bytes, context)
        case .admitting, .eventStream, .closing, .closed:
            // Nothing is awaited: an event stream is one-way, and after a close input is read only to let it end well.
            break
        }
    }

    /// The peer has sent its FIN.
    mutating func receivedEnd(_ context: SessionContext) {
        if let waiting {
            waiting.isAtEnd = true
            return
        }
        switch phase {
        case .readingProxyHeader, .readingRequest, .admitting, .buying:
            end(.peerGone, context)
            context.actions.append(.finish)
        case .webSocket, .eventStream:
            end(.peerGone, context)
            endingCode = CloseCode.abnormalClosure.rawValue
            if transport == .sse && isChunked { ChunkedEncoder.appendLast(to: context.output) }
            context.actions.append(.finish)
        case .closing:
            // A peer that only sends no more is still owed what waits for it.
            if endIsSent { context.actions.append(.abort) }
        case .closed:
            break
        }
    }

    /// The connection broke: reset, or timed out in the kernel.
    mutating func failed(_ context: SessionContext) {
        if isOpen { endingCode = CloseCode.abnormalClosure.rawValue }
        end(.connectionReset, context)
        phase = .closed
        context.actions.append(.abort)
    }

    /// Everything queued was taken by the kernel.
    mutating func outputDrained(_ context: SessionContext) {
        if let pong = pendingPong {
            pendingPong = nil
            if isOpen { pong.withUnsafeBytes { FrameEncoder.append(.pong, $0, to: context.output) } }
        }
        pumpBacklog(context)
    }

    /// All is sent and FIN too; the peer has a while to do the same.
    mutating func endWasSent(peerHasEnded: Bool, _ context: SessionContext) {
        endIsSent = true
        if peerHasEnded { phase = .closed }
        deadlines.timeout = context.now.monotonic.clampedAdding(context.settings.limits.closing)
    }

    /// The armed timer went off: something of `deadlines` is due, perhaps.
    mutating func timerFired(_ context: SessionContext) {
        let now = context.now.monotonic
        switch phase {
        case .readingProxyHeader, .readingRequest:
            guard now >= deadlines.timeout else { return }
            requestTimedOut(context)
        case .admitting(let admission):
            if deadlines.isPast(context.now) || now >= deadlines.close {
                refuseUnauthorized("token_expired", context)
            } else if now >= deadlines.timeout {
                questionTimedOut(.admission(admission), context)
            } else if now >= deadlines.warning {
                // Nobody can be told yet; the welcome will say how little time is left.
                deadlines.warningWasSent()
            }
        case .buying(let purchase):
            guard now >= deadlines.timeout else { return }
            if waiting == nil { requestTimedOut(context) } else { questionTimedOut(.purchase(purchase), context) }
        case .webSocket, .eventStream:
            openTimerFired(context)
        case .closing:
            if now >= deadlines.timeout {
                phase = .closed
                context.actions.append(.abort)
            } else if now >= deadlines.close {
                // The end has come while output still waits: only the close itself may follow.
                deadlines.clear()
                context.discardsQueue = true
            }
        case .closed:
            break
        }
    }

    private mutating func openTimerFired(_ context: SessionContext) {
        let now = context.now.monotonic
        guard !deadlines.isPast(context.now), now < deadlines.close else {
            return disconnect(deadlines.endsByAge ? .maximumAge : .tokenExpired, context)
        }
        if now >= deadlines.warning {
            deadlines.warningWasSent()
            write(.expiring(expiresIn: deadlines.secondsLeft(context.now)), context)
        }
        if now >= deadlines.heartbeat { heartbeatDue(context) }
        if let question = waiting?.question, now >= deadlines.timeout { questionTimedOut(question, context) }
    }

    /// The wall clock was set, or the machine slept.
    mutating func clockStepped(_ context: SessionContext) {
        deadlines.clockStepped(now: context.now)
        if isOpen && deadlines.isPast(context.now) { timerFired(context) }
    }

    // MARK: Heartbeats

    /// Arms the first heartbeat, when the session opens.
    mutating func startHeartbeat(_ context: SessionContext) {
        let heartbeat = context.settings.heartbeat
        let period = transport == .sse ? heartbeat.comment : heartbeat.ping
        deadlines.heartbeat = period > 0 ? context.now.monotonic + jittered(period, context) : SessionDeadlines.never
    }

    /// A little under the period, so that a fleet does not beat in step; never over it (contract section 7.8).
    private func jittered(_ period: Nanoseconds, _ context: SessionContext) -> Nanoseconds {
        period - Nanoseconds.random(in: 0...(period / 5), using: &context.random)
    }

    /// How late a heartbeat's timer must be for the lateness to be this server's own.
    private static let heldUp: Nanoseconds = 2 * .second

    private mutating func heartbeatDue(_ context: SessionContext) {
        let now = context.now.monotonic
        let heartbeat = context.settings.heartbeat
        guard (transport == .sse ? heartbeat.comment : heartbeat.ping) > 0 else {
            // Switched off while the server ran.
            deadlines.heartbeat = SessionDeadlines.never
            return
        }
        if transport == .sse {
            if !context.isOutputBlocked {
                appendComment(context)
                lastSent = now
            }
            deadlines.heartbeat = now + heartbeat.comment
            return
        }
        if pingSentAt != 0 && now - pingSentAt >= heartbeat.pong.clampedAdding(Self.heldUp) {
            // The loop was held up, or the machine slept, and the answer may be waiting to be read: timers come first.
            pingSentAt = now
        }
        if pingSentAt != 0 && lastReceived <= pingSentAt && now - pingSentAt >= heartbeat.pong {
            end(.heartbeatTimeout, context)
            endingCode = CloseCode.abnormalClosure.rawValue
            phase = .closed
            context.actions.append(.abort)
            return
        }
        // Balancers count silence in either direction, so silence in either direction is broken.
        let quietSince = min(lastReceived, lastSent)
        let due = quietSince + heartbeat.ping - heartbeat.ping / 5
        guard now >= due || pingSentAt != 0 else {
            deadlines.heartbeat = min(quietSince + jittered(heartbeat.ping, context), now + heartbeat.ping)
            return
        }
        guard pingSentAt == 0 else {
            deadlines.heartbeat = pingSentAt + heartbeat.pong
            return
        }
        guard !context.isOutputBlocked else {
            // Behind a full queue a ping says nothing; a peer that is gone is found by the kernel (TCP_USER_TIMEOUT).
            deadlines.heartbeat = now + heartbeat.pong
            return
        }
        FrameEncoder.append(.ping, UnsafeRawBufferPointer(start: nil, count: 0), to: context.output)
        lastSent = now
        pingSentAt = now
        deadlines.heartbeat = now + min(heartbeat.ping, heartbeat.pong)
    }

    // MARK: Small things shared by the parts

    /// Sends a message of ours in the way of the transport.
    mutating func write(_ message: ServerMessage, _ context: SessionContext) {
        guard case .webSocket = phase else { return }
        context.send(message)
        lastSent = context.now.monotonic
    }

    /// Leaves the open state: deadlines, topics and registers let go of the session. What it says last is the caller's.
    mutating func end(_ reason: DisconnectReason, _ context: SessionContext) {
        switch phase {
        case .closing, .closed: return
        case .readingProxyHeader, .readingRequest, .admitting, .buying, .webSocket, .eventStream: break
        }
        ending = reason
        leaveTopics(context)
        waiting = nil
        backlog = nil
        positions = nil
        pendingPong = nil
        unacknowledged = 0
        phase = .closing
        let end = deadlines.end
        deadlines.clear()
        deadlines.timeout = context.now.monotonic.clampedAdding(context.settings.limits.closing)
        deadlines.setLastDelivery(end)
        context.actions.append(.ended)
    }

    private mutating func leaveTopics(_ context: SessionContext) {
        context.topics.detachAll(subscriber: slot, head: &topicHead) { topic in
            context.actions.append(.unlisten(topic: topic))
        }
    }

    /// The number of this session's slot in its loop.
    var slot: UInt32 { UInt32(truncatingIfNeeded: handle) }
}
