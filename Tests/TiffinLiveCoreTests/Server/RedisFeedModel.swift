@testable import TiffinLiveCore

/// A Redis of numbers, two links with delays of their own, one feed, and clients that come, stay and go, driven at random:
/// what a client has seen must be complete from where it began or from its last reset on.
struct FeedModel {
    private final class Client {
        var last: Int?
        /// From its answer on it gets what is delivered.
        var isOpen = false
        var isWaiting = false
        var seen: [Int] = []
    }

    private let keep = 6
    private var random: SeededRandom
    private var feed = RedisTopicFeed()
    private var now: Nanoseconds = 0
    /// What Redis has published in all, and from where the stream holds it.
    private var published = 0
    private var trimmedThrough = 0
    private var isLinked = false
    /// Under way to the server.
    private var messages: [Int] = []
    /// Asked, with what Redis found when it got to it.
    private var readings: [(number: Int, found: RedisHistoryReading?)] = []
    private var clients: [Client] = (0..<4).map { _ in Client() }
    private(set) var fault: String?

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    mutating func step() {
        switch Int.random(in: 0..<14, using: &random) {
        case 0...3: publish()
        case 4...6: hear()
        case 7: relink()
        case 8: unlink()
        case 9, 10: answerReading()
        case 11: find()
        case 12: join(clients[Int.random(in: 0..<clients.count, using: &random)])
        default: leave(clients[Int.random(in: 0..<clients.count, using: &random)])
        }
    }

    /// Everything that is under way arrives, everybody comes back, and all that was published is with everybody.
    mutating func settle() {
        unlink()
        relink()
        for _ in 0..<3 {
            settleReadings()
            while !messages.isEmpty { hear() }
        }
        // A reading may fail; then they come again.
        for _ in 0..<50 where clients.contains(where: { !$0.isOpen }) {
            for client in clients { join(client) }
            settleReadings()
        }
        for client in clients where client.seen.last ?? published != published || client.last != published {
            fault = "\(client.seen) of \(published), at \(String(describing: client.last))"
        }
    }

    private mutating func settleReadings() {
        while !readings.isEmpty {
            find()
            answerReading()
        }
    }

    // MARK: Redis

    private mutating func publish() {
        published += 1
        trimmedThrough = max(trimmedThrough, published - keep)
        if isLinked { messages.append(published) }
    }

    /// Redis executes the oldest reading.
    private mutating func find() {
        guard let index = readings.firstIndex(where: { $0.found == nil }) else { return }
        readings[index].found = RedisHistoryReading(
            events: (trimmedThrough..<published).map { FeedUnderTest.event($0 + 1) },
            position: EventID(milliseconds: UInt64(published), sequence: 0),
            floor: EventID(milliseconds: UInt64(trimmedThrough), sequence: 0))
    }

    private mutating func answerReading() {
        guard let (number, found) = readings.first, let found else { return }
        readings.removeFirst()
        if Int.random(in: 0..<8, using: &random) == 0 {
            feed.failed(reading: number)
            return begin(feed.resume())
        }
        guard let catchUp = feed.read(found, number: number, keep: keep, now: now) else {
            return
        }
        if let reset = catchUp.reset {
            for client in clients where client.isOpen { resetClient(client, at: Int(reset.milliseconds)) }
        }
        for event in catchUp.events { deliver(event) }
        for (answer, resumption) in catchUp.answers { answer(resumption) }
        begin(catchUp.next)
    }

    private mutating func begin(_ number: Int?) {
        if let number { readings.append((number, nil)) }
    }

    // MARK: Links

    private mutating func hear() {
        guard !messages.isEmpty else { return }
        if let event = feed.received(FeedUnderTest.event(messages.removeFirst()), keep: keep) { deliver(event) }
    }

    private mutating func unlink() {
        guard isLinked else { return }
        isLinked = false
        messages = []
        feed.lost()
    }

    private mutating func relink() {
        guard !isLinked else { return }
        isLinked = true
        begin(feed.subscribed())
    }

    // MARK: Clients

    private mutating func join(_ client: Client) {
        guard !client.isOpen, !client.isWaiting else { return }
        now += Nanoseconds.random(in: 0...12, using: &random) * .second
        client.isWaiting = true
        let number = feed.listen(after: client.last.map { "\($0)-0" }, now: now, wall: FeedUnderTest.wall) {
            resumption in
            client.isWaiting = false
            switch FeedUnderTest.Outcome(resumption) {
            case .unknown: return
            case .live(let position):
                if client.last == nil { client.last = position }
            case .replay(let events, _): client.seen += events
            case .reset(let position):
                client.seen = []
                client.last = position
            }
            client.last = client.seen.last ?? client.last
            client.isOpen = true
        }
        begin(number)
    }

    /// And perhaps goes on with another server, which is ahead of this one.
    private mutating func leave(_ client: Client) {
        client.isOpen = false
        guard !client.isWaiting, let last = client.last, last >= trimmedThrough, Bool.random(using: &random) else {
            return
        }
        let ahead = Int.random(in: last...published, using: &random)
        client.seen += Array(last..<ahead).map { $0 + 1 }
        client.last = ahead
    }

    private func resetClient(_ client: Client, at position: Int) {
        client.seen = []
        client.last = position
    }

    private mutating func deliver(_ event: Event) {
        guard let number = event.id.map({ Int($0.milliseconds) }) else { return }
        for client in clients where client.isOpen {
            if number != (client.last ?? 0) + 1 { fault = "\(number) after \(String(describing: client.last))" }
            client.seen.append(number)
            client.last = number
        }
    }
}
