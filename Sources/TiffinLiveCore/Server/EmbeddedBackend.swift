/// The backend of one server alone: broker, store and inbound ring in memory, gone with the process.
final class EmbeddedBackend: Backend {
    /// Application messages kept for `GET /inbound`.
    static let inboundKept = 1000

    var deliver: (Event) -> Void = { _ in }
    let isReady = true
    private let broker: EmbeddedBroker
    private let tickets: ServerConfiguration.Tickets
    private var store = EmbeddedStore()
    /// The newest application messages, oldest first.
    private(set) var inbound: [InboundMessage] = []
    /// Told of every application message, for those who watch.
    var handedOver: (InboundMessage) -> Void = { _ in }

    init(
        events: ServerConfiguration.Events, tickets: ServerConfiguration.Tickets, now: Moment, instance: UInt16
    ) {
        self.tickets = tickets
        broker = EmbeddedBroker(keep: events.keep, keepFor: events.keepFor, wall: now.wall, instance: instance)
    }

    func listen(_ topic: String, after: String?, now: Moment, answer: @escaping (Resumption?) -> Void) {
        answer(broker.resume(topic: topic, after: after, wall: now.wall))
    }

    /// Nothing is kept of listeners: whoever takes `deliver` knows them.
    func unlisten(_ topic: String) {}

    func lookUp(_ command: [String], now: Moment, answer: @escaping (StoreReply) -> Void) {
        answer(store.execute(command, now: now.monotonic))
    }

    func store(ticket: String, value: [UInt8], now: Moment, answer: @escaping (StoreReply) -> Void) {
        let command = tickets.storing(ticket, value: String(decoding: value, as: UTF8.self))
        answer(store.execute(command, now: now.monotonic))
    }

    func redeem(ticket: String, now: Moment, answer: @escaping (StoreReply) -> Void) {
        answer(store.execute(tickets.redeeming(ticket), now: now.monotonic))
    }

    func publish(_ publication: Publication, now: Moment, answer: @escaping (EventID?) -> Void) {
        let event = broker.publish(
            topic: publication.topic, name: publication.name, data: publication.data, isJSON: publication.isJSON,
            wall: now.wall)
        deliver(event)
        answer(event.id)
    }

    func handOver(_ message: InboundMessage, answer: @escaping (Bool) -> Void) {
        // Dropped in batches: removing the first of an array moves all the others.
        if inbound.count >= 2 * Self.inboundKept { inbound.removeFirst(inbound.count - Self.inboundKept + 1) }
        inbound.append(message)
        handedOver(message)
        answer(true)
    }

    /// A command of `POST /store`.
    func execute(_ command: [String], now: Moment) -> StoreReply {
        store.execute(command, now: now.monotonic)
    }

    /// There are no others.
    func spread(revocation message: [UInt8], answer: @escaping (Bool) -> Void) {
        answer(true)
    }

    func stop() {}

    func keepHouse(now: Moment) {
        store.prune(now: now.monotonic, steps: 1000)
        broker.prune(wall: now.wall, steps: 1000)
    }
}
