@testable import TiffinLiveCore

/// A topic feed with numbers for events, and what came out of it.
struct FeedUnderTest {
    enum Outcome: Equatable {
        case live(Int)
        case replay([Int], position: Int)
        case reset(Int)
        case unknown
    }

    final class Answers {
        var list: [Outcome] = []
    }

    static let wall: Nanoseconds = 1_000_000 * .millisecond

    var feed = RedisTopicFeed()
    /// nil: an event without an id.
    private(set) var delivered: [Int?] = []
    private(set) var resets: [Int] = []
    /// Another reading that the last one asked for.
    private(set) var next: Int?
    private let box = Answers()
    private var now: Nanoseconds = 0
    private var deliveredWhenAnswered = 0

    var answers: [Outcome] { box.list }
    var deliveredAfterAnswers: [Int?] { Array(delivered[deliveredWhenAnswered...]) }

    /// A topic with one open connection that has seen everything up to `last`.
    static func open(at last: Int, floor: Int = 0) -> FeedUnderTest {
        var topic = FeedUnderTest()
        topic.listen()
        topic.read(topic.subscribed(), Array(min(floor + 1, last)...last), floor: floor)
        topic.box.list = []
        return topic
    }

    static func event(_ number: Int?) -> Event {
        Event(
            topic: "t", id: number.map { EventID(milliseconds: UInt64($0), sequence: 0) }, data: Array("0".utf8),
            isJSON: true)
    }

    @discardableResult
    mutating func listen(after: Int? = nil) -> Int? {
        listen(text: after.map { "\($0)-0" })
    }

    @discardableResult
    mutating func listen(text after: String?) -> Int? {
        let box = box
        return feed.listen(after: after, now: now, wall: Self.wall) { box.list.append(Outcome($0)) }
    }

    mutating func wait(_ seconds: Int) {
        now += Nanoseconds(seconds) * .second
        feed.keepHouse(now: now)
    }

    mutating func subscribed() -> Int? { feed.subscribed() }
    mutating func resume() -> Int? { feed.resume() }
    mutating func lost() { feed.lost() }

    mutating func fail(_ reading: Int?) {
        if let reading { feed.failed(reading: reading) }
    }

    mutating func live(_ number: Int?) {
        if let event = feed.received(Self.event(number), keep: 1000) { delivered.append(Self.number(event)) }
    }

    /// The reading found these events.
    mutating func read(_ reading: Int?, _ events: [Int], floor: Int = 0) {
        guard let reading else { return }
        let found = RedisHistoryReading(
            events: events.map(Self.event), position: EventID(milliseconds: UInt64(events.last ?? floor), sequence: 0),
            floor: EventID(milliseconds: UInt64(floor), sequence: 0))
        guard let catchUp = feed.read(found, number: reading, keep: 1000, now: now) else { return }
        if let reset = catchUp.reset { resets.append(Int(reset.milliseconds)) }
        delivered += catchUp.events.map(Self.number)
        deliveredWhenAnswered = delivered.count
        for (answer, resumption) in catchUp.answers { answer(resumption) }
        next = catchUp.next
    }

    private static func number(_ event: Event) -> Int? { event.id.map { Int($0.milliseconds) } }
}

extension FeedUnderTest.Outcome {
    init(_ resumption: Resumption?) {
        switch resumption {
        case .live(let position)?: self = .live(Int(position.milliseconds))
        case .replay(let events, let position)?:
            self = .replay(
                events.compactMap { $0.id.map { Int($0.milliseconds) } }, position: Int(position.milliseconds))
        case .reset(let position)?: self = .reset(Int(position.milliseconds))
        case nil: self = .unknown
        }
    }
}
