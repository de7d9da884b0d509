import Testing

@testable import TiffinLiveCore

private let start: Nanoseconds = 1_764_500_000 * .second

private func milliseconds(_ wall: Nanoseconds) -> UInt64 { UInt64(wall / .millisecond) }

extension EmbeddedBroker {
    @discardableResult
    fileprivate func publish(_ topic: String, _ text: String = "x", wall: Nanoseconds) -> EventID {
        let event = publish(topic: topic, name: "e", data: Array(text.utf8), isJSON: false, wall: wall)
        return event.id ?? EventID(milliseconds: 0, sequence: 0)
    }

    fileprivate func outcome(_ topic: String, after id: EventID, wall: Nanoseconds) -> [String] {
        let resumption = resume(topic: topic, after: id.description, wall: wall)
        if resumption.isReset { return ["reset"] }
        return resumption.events.map { String(decoding: $0.data, as: UTF8.self) }
    }
}

@Suite("Ids of the embedded broker, number by number")
struct EmbeddedBrokerNumberTests {
    @Test("a millisecond of its own begins at sequence 0, the one that the process began in goes on at 1")
    func sequences() {
        let broker = EmbeddedBroker(keep: 9, keepFor: 0, wall: start)
        #expect(broker.lastID == EventID(milliseconds: milliseconds(start), sequence: 0))
        #expect(broker.publish("a", wall: start).sequence == 1)
        #expect(broker.publish("b", wall: start + .millisecond - 1).sequence == 2)
        let next = broker.publish("a", wall: start + .millisecond)
        #expect(next == EventID(milliseconds: milliseconds(start) + 1, sequence: 0))
        #expect(broker.publish("a", wall: start + .millisecond).sequence == 1)
    }

    @Test("a clock that is set back goes on in the last millisecond until it has caught up")
    func setBack() {
        let broker = EmbeddedBroker(keep: 9, keepFor: 0, wall: start)
        let ahead = broker.publish("a", wall: start + 60 * .second)
        for number in 1...5 {
            let id = broker.publish("a", wall: start + Nanoseconds(number) * .second)
            #expect(id == EventID(milliseconds: ahead.milliseconds, sequence: UInt64(number)))
        }
        #expect(broker.publish("a", wall: start + 60 * .second).sequence == 6)
        let caughtUp = broker.publish("a", wall: start + 60 * .second + .millisecond)
        #expect(caughtUp == EventID(milliseconds: ahead.milliseconds + 1, sequence: 0))
    }

    @Test("the instance stands in the low sixteen bits of every sequence", arguments: [0, 1, 815, UInt16.max])
    func instance(_ instance: UInt16) {
        let broker = EmbeddedBroker(keep: 9, keepFor: 0, wall: start, instance: instance)
        var last = broker.lastID
        #expect(last.sequence == UInt64(instance))
        for number in 1...5 as ClosedRange<UInt64> {
            let id = broker.publish("a", wall: start)
            #expect(id.sequence == number << 16 | UInt64(instance))
            #expect(id > last)
            last = id
        }
        #expect(broker.publish("a", wall: start + .second).sequence == UInt64(instance))
    }

    @Test("an id of another instance between two of ours is foreign, and so is one with the instance's bits elsewhere")
    func foreignInstance() {
        let broker = EmbeddedBroker(keep: 9, keepFor: 0, wall: start, instance: 5)
        let first = broker.publish("a", "1", wall: start + .second)
        let second = broker.publish("a", "2", wall: start + .second)
        #expect(broker.outcome("a", after: first, wall: start + .second) == ["2"])
        for sequence in [first.sequence + 1, second.sequence - 1, 5 << 16, first.sequence & ~0xFFFF] {
            let foreign = EventID(milliseconds: first.milliseconds, sequence: sequence)
            #expect(broker.outcome("a", after: foreign, wall: start + .second) == ["reset"], "\(foreign)")
        }
    }

    @Test("an event carries what was published, and its id is the broker's last")
    func event() {
        let broker = EmbeddedBroker(keep: 9, keepFor: 0, wall: start)
        let event = broker.publish(topic: "t", name: "n", data: [0x31], isJSON: true, wall: start)
        #expect(event.topic == "t" && event.name == "n" && event.data == [0x31] && event.isJSON && !event.isReset)
        #expect(event.id == broker.lastID)
    }
}

@Suite("What the embedded broker has forgotten")
struct EmbeddedBrokerFloorTests {
    @Test("the first id of the process is a position, the one before it is not")
    func start0() {
        let broker = EmbeddedBroker(keep: 9, keepFor: 0, wall: start)
        let first = broker.lastID
        broker.publish("a", "1", wall: start)
        #expect(broker.outcome("a", after: first, wall: start) == ["1"])
        let earlier = EventID(milliseconds: first.milliseconds - 1, sequence: .max)
        #expect(broker.outcome("a", after: earlier, wall: start) == ["reset"])
        let tooLate = EventID(milliseconds: broker.lastID.milliseconds, sequence: broker.lastID.sequence + 1)
        #expect(broker.outcome("a", after: tooLate, wall: start) == ["reset"])
    }

    @Test("a topic that never had an event is live from any position, until topics had to give way")
    func silentTopic() {
        let broker = EmbeddedBroker(keep: 9, keepFor: 0, wall: start, maximumTopics: 2)
        let first = broker.lastID
        broker.publish("a", wall: start)
        broker.publish("b", wall: start)
        #expect(broker.outcome("silent", after: first, wall: start) == [])
        let aLast = broker.publish("a", wall: start)
        broker.publish("c", wall: start)
        // "b" was silent longest. Nobody knows any more whether "silent" was it.
        #expect(broker.topicCount == 2)
        #expect(broker.outcome("silent", after: first, wall: start) == ["reset"])
        #expect(broker.outcome("silent", after: aLast, wall: start) == [])
        #expect(broker.outcome("a", after: first, wall: start) == ["x", "x"])
    }

    @Test("the topic that was silent longest gives way, not the one that is oldest")
    func givesWay() {
        let broker = EmbeddedBroker(keep: 9, keepFor: 0, wall: start, maximumTopics: 3)
        let first = broker.lastID
        for topic in ["a", "b", "c", "a", "d"] { broker.publish(topic, topic, wall: start) }
        #expect(broker.outcome("a", after: first, wall: start) == ["a", "a"])
        #expect(broker.outcome("c", after: first, wall: start) == ["c"])
        #expect(broker.outcome("b", after: first, wall: start) == ["reset"])
        // "d" was made behind the floor, so a position before the floor leaves open what was there.
        #expect(broker.outcome("d", after: first, wall: start) == ["reset"])
    }

    @Test("the floor never falls, also when an older topic goes after a newer one was trimmed")
    func floorOnlyRises() {
        let broker = EmbeddedBroker(keep: 2, keepFor: 10 * .second, wall: start)
        broker.publish("a", wall: start)
        let bLast = broker.publish("b", wall: start + .second)
        broker.prune(wall: start + 20 * .second, steps: 1)
        #expect(broker.topicCount == 1)
        broker.prune(wall: start + 20 * .second, steps: 1)
        #expect(broker.topicCount == 0)
        #expect(broker.outcome("c", after: bLast, wall: start + 20 * .second) == [])
        let before = EventID(milliseconds: bLast.milliseconds, sequence: bLast.sequence)
        broker.publish("c", "new", wall: start + 20 * .second)
        #expect(broker.outcome("c", after: before, wall: start + 20 * .second) == ["new"])
    }

    @Test("an event is kept through the whole of its last millisecond")
    func age() {
        let broker = EmbeddedBroker(keep: 9, keepFor: .second, wall: start)
        let first = broker.lastID
        broker.publish("a", "1", wall: start)
        #expect(!broker.prune(wall: start + .second, steps: 9))
        #expect(broker.outcome("a", after: first, wall: start + .second) == ["1"])
        #expect(broker.outcome("a", after: first, wall: start + .second + .millisecond - 1) == ["1"])
        #expect(broker.outcome("a", after: first, wall: start + .second + .millisecond) == ["reset"])
    }

    @Test("pruning with no steps only tells", arguments: [0, -1, Int.min])
    func noSteps(_ steps: Int) {
        let broker = EmbeddedBroker(keep: 9, keepFor: .second, wall: start)
        #expect(!broker.prune(wall: start, steps: steps))
        broker.publish("a", wall: start)
        #expect(!broker.prune(wall: start, steps: steps))
        #expect(broker.prune(wall: start + 5 * .second, steps: steps))
        #expect(broker.topicCount == 1)
    }

    @Test("without a limit of age nothing ever ages", arguments: [Nanoseconds(0), -1, .min])
    func noAge(_ keepFor: Nanoseconds) {
        let broker = EmbeddedBroker(keep: 9, keepFor: keepFor, wall: start)
        let first = broker.lastID
        broker.publish("a", "1", wall: start)
        #expect(!broker.prune(wall: .max, steps: 9))
        #expect(broker.outcome("a", after: first, wall: .max) == ["1"])
    }

    @Test(
        "keeping nothing, of no topic or of none at all, resets whoever missed something", arguments: [(0, 9), (9, 0)])
    func keepsNothing(_ keep: Int, _ topics: Int) {
        let broker = EmbeddedBroker(keep: keep, keepFor: 0, wall: start, maximumTopics: topics)
        let first = broker.lastID
        #expect(broker.outcome("a", after: first, wall: start) == [])
        let id = broker.publish("a", wall: start)
        #expect(broker.topicCount == 0)
        #expect(broker.outcome("a", after: first, wall: start) == ["reset"])
        #expect(broker.outcome("a", after: id, wall: start) == [])
    }

    @Test("whoever resumes is replayed nothing that has aged, however many events have")
    func resumesBehindAged() {
        let broker = EmbeddedBroker(keep: 100, keepFor: 10 * .second, wall: start)
        let old = (0..<10).map { broker.publish("a", "\($0)", wall: start) }
        let young = broker.publish("a", "young", wall: start + 5 * .second)
        #expect(broker.outcome("a", after: old[8], wall: start + 11 * .second) == ["reset"])
        #expect(broker.outcome("a", after: old[9], wall: start + 11 * .second) == ["young"])
        #expect(broker.outcome("a", after: young, wall: start + 11 * .second) == [])
    }

    @Test("each publish drops two aged topics, so that their number falls while others are published to")
    func dropsTopics() {
        let broker = EmbeddedBroker(keep: 100, keepFor: .second, wall: start)
        for number in 0..<10 { broker.publish("t\(number)", wall: start) }
        broker.publish("new", wall: start + 5 * .second)
        #expect(broker.topicCount == 9)
        for _ in 0..<3 { broker.publish("new", wall: start + 5 * .second) }
        #expect(broker.topicCount == 3)
        broker.publish("new", wall: start + 5 * .second)
        broker.publish("new", wall: start + 5 * .second)
        #expect(broker.topicCount == 1)
    }

    @Test("each publish drops two aged events of its topic, so that a topic of any pace is bounded by age")
    func dropsWithPublish() {
        let broker = EmbeddedBroker(keep: 1000, keepFor: 10 * .second, wall: start)
        let old = (0..<100).map { broker.publish("a", "\($0)", wall: start) }
        for number in 0..<50 { broker.publish("a", "\(number)", wall: start + 20 * .second) }
        // The clock is set back: what was dropped stays a gap, though it would be young enough.
        #expect(broker.outcome("a", after: old[98], wall: start) == ["reset"])
        #expect(broker.outcome("a", after: old[99], wall: start) == (0..<50).map { "\($0)" })
        let resumption = broker.resume(topic: "a", after: nil, wall: start)
        #expect(resumption.position == broker.lastID && resumption.events.isEmpty && !resumption.isReset)
    }
}
