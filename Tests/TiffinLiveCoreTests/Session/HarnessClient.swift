import Testing

@testable import TiffinLiveCore

/// A connection of a `SessionHarness`: does for its session what `ClientConnection` does with a socket, against a kernel
/// that takes as many bytes as the test says, and keeps what was sent for the test to read.
final class HarnessClient {
    private(set) var session: Session
    private let harness: SessionHarness
    private var queue: OutboundQueue?
    /// Bytes that the kernel still takes; nil = any number.
    var room: Int?

    /// What the client got and the test has not read yet.
    var pending: ArraySlice<UInt8> = []
    /// Everything that the client got, and where the last flush of it began.
    private(set) var bytesSent = 0
    /// The server has ended its half.
    private(set) var hasSentEnd = false
    private var hasSeenEnd = false
    private var isFinishing = false
    /// How the stream of events is cut, once its head was read.
    var isStreamChunked: Bool?
    var isStreamOver = false
    /// The blocks of the stream that are incomplete.
    var streamText: [UInt8] = []
    /// What a session that was opened by the harness said first.
    var welcome = JSONObject()

    // What the session asked for.
    private(set) var opened = 0
    private(set) var ended = 0
    private(set) var refused: [(status: Int, error: String)] = []
    private(set) var answered: [Int] = []
    private(set) var proxyHeadersRefused: [ProxyHeaderError] = []
    /// Buyers of tickets.
    private(set) var sold: [ClaimsSet] = []
    /// nil = accepted.
    private(set) var refreshed: [String?] = []
    private(set) var handedOver: [InboundMessage] = []
    private(set) var listened: [(topic: String, after: String?)] = []
    private(set) var unlistened: [String] = []
    private(set) var registrations = 0
    private(set) var aborted = false

    init(handle: UInt64, peer: IPAddress, harness: SessionHarness) {
        self.harness = harness
        session = Session(handle: handle, client: peer, context: harness.context)
    }

    var queuedBytes: Int { queue?.count ?? 0 }
    var topics: [String] { harness.context.topics.topics(of: session.topicHead) }

    // MARK: What the client does

    func send(_ bytes: [UInt8]) {
        var bytes = bytes
        perform { session, context in bytes.withUnsafeMutableBytes { session.received($0, context) } }
        harness.finishTurn()
    }

    func send(_ frames: ClientFrame...) {
        send(frames.bytes)
    }

    func send(text: String) {
        send(.text(text))
    }

    /// Sends each piece as a read of its own.
    func send(pieces: [[UInt8]]) {
        for piece in pieces { send(piece) }
    }

    func sendEnd() {
        hasSeenEnd = true
        perform { $0.receivedEnd($1) }
        harness.finishTurn()
    }

    func reset() {
        perform { $0.failed($1) }
        harness.finishTurn()
    }

    /// The client reads again: everything that waits goes out, step by step as the kernel reports room.
    func drain(room: Int? = nil) {
        self.room = room
        while self.room != 0, queue != nil || session.backlog != nil, !session.isClosed { flush() }
        harness.finishTurn()
    }

    // MARK: The shell

    func timerFired() {
        perform { $0.timerFired($1) }
    }

    func perform(_ input: (inout Session, SessionContext) -> Void) {
        let context = harness.context
        guard !session.isClosed else { return }
        context.isOutputBlocked = queue != nil
        input(&session, context)
        settle(context)
    }

    func deliver(_ batch: EventBatch) {
        let context = harness.context
        context.isOutputBlocked = queue != nil
        switch session.deliver(batch, context) {
        case .nothing: break
        case .own: settle(context)
        case .shared(let encoded):
            write(encoded.bytes, context)
            checkQueue(context)
            settle(context)
        }
    }

    func flush() {
        let context = harness.context
        if let queue {
            let count = min(room ?? .max, queue.count)
            take(UnsafeRawBufferPointer(rebasing: queue.unsent[..<count]))
            queue.removeSent(count, framing: session.framing)
            if queue.isEmpty { self.queue = nil }
        }
        guard queue == nil else { return }
        perform { $0.outputDrained($1) }
        settle(context)
    }

    private func settle(_ context: SessionContext) {
        var index = 0
        repeat {
            if context.discardsQueue {
                context.discardsQueue = false
                let tail = context.output.isEmpty ? Int(session.closeLength) : 0
                queue?.discardUnstarted(framing: session.framing, keepingLast: tail)
            }
            if !context.output.isEmpty {
                write(context.output.bytes, context)
                context.output.removeAll()
                if !context.isPaced { checkQueue(context) }
                context.isPaced = false
            }
            while index < context.actions.count {
                act(context.actions[index], context)
                index += 1
            }
        } while !context.output.isEmpty || context.discardsQueue
        context.actions.removeAll()
        if queue == nil { session.dropEmptyBacklog() }
        if isFinishing && queue == nil && !hasSentEnd && !session.isClosed {
            hasSentEnd = true
            session.endWasSent(peerHasEnded: hasSeenEnd, context)
        }
    }

    private func checkQueue(_ context: SessionContext) {
        guard session.isOpen, queuedBytes > context.settings.limits.outbound else { return }
        session.disconnect(.tooSlow, context)
    }

    private func write(_ bytes: UnsafeRawBufferPointer, _ context: SessionContext) {
        guard !session.isClosed else { return }
        #expect(!hasSentEnd, "nothing is written behind the end")
        if let queue {
            queue.append(bytes)
        } else {
            let count = min(room ?? .max, bytes.count)
            take(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            guard count < bytes.count else { return }
            queue = OutboundQueue(bytes, sentBytes: count)
        }
        context.isOutputBlocked = true
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        if let room { self.room = room - bytes.count }
        bytesSent += bytes.count
        pending.append(contentsOf: bytes)
    }

    private func act(_ action: SessionAction, _ context: SessionContext) {
        switch action {
        case .register:
            registrations += 1
            harness.whenRegistering(self)
            session.registered(harness.registration, context)
        case .lookUp(let lookup): harness.sent(lookup)
        case .lookUpSession(let index, let command): harness.sent(command, index: index, for: self)
        case .redeem(let ticket): harness.sent(harness.configuration.tickets.redeeming(ticket), index: 0, for: self)
        case .storeTicket(let value): harness.store(value, for: self)
        case .ticketSold(let buyer): sold.append(buyer)
        case .attach(let topic, let after):
            listened.append((topic: topic, after: after))
            harness.listen(topic, after: after, for: self)
        case .unlisten(let topic): unlistened.append(topic)
        case .handOver(let message): handedOver.append(message)
        case .opened: opened += 1
        case .refused(let status, let error): refused.append((status: status, error: error))
        case .answered(let status): answered.append(status)
        case .proxyHeaderRefused(let error): proxyHeadersRefused.append(error)
        case .refreshed(let error): refreshed.append(error)
        case .ended: ended += 1
        case .finish: isFinishing = true
        case .abort:
            aborted = true
            session.phase = .closed
        }
    }
}
