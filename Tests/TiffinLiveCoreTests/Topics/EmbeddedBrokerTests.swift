import Testing

@testable import TiffinLiveCore

private let start: Nanoseconds = 1_764_500_000 * .second

extension EmbeddedBroker {
    @discardableResult
    fileprivate func publish(_ topic: String, _ text: String = "x", at wall: Nanoseconds) -> EventID {
        let event = publish(topic: topic, name: "e", data: Array(text.utf8), isJSON: false, wall: wall)
        return event.id ?? EventID(milliseconds: 0, sequence: 0)
    }

    /// "live", "reset" or the replayed texts.
    fileprivate func resumed(_ topic: String, after id: EventID?, at wall: Nanoseconds) -> [String] {
        switch resume(topic: topic, after: id?.description, wall: wall) {
        case .live: ["live"]
        case .reset: ["reset"]
        case .replay(let events, _): events.map { String(decoding: $0.data, as: UTF8.self) }
        }
    }
}

@Suite("Ids of the embedded broker")
struct EmbeddedBrokerIDTests {
    @Test("ids grow over all topics, whatever the wall clock does")
    func idsGrow() {
        let broker = EmbeddedBroker(keep: 10, keepFor: 0, wall: start)
        var last = broker.lastID
        for wall in [start, start, start + 1, start + .second, start - 3600 * .second, start, start + .second] {
            for topic in ["a", "b"] {
                let id = broker.publish(topic, at: wall)
                #expect(id > last)
                last = id
            }
        }
        #expect(last.milliseconds == 1_764_500_001_000)
        #expect(last.sequence == 7)
    }

    @Test("a clock at the ends of its range traps nothing", arguments: [Nanoseconds.min, -1, 0, .max])
    func extremes(wall: Nanoseconds) {
        let broker = EmbeddedBroker(keep: 2, keepFor: 3600 * .second, wall: wall)
        let id = broker.publish("a", at: wall)
        broker.publish("a", "second", at: wall)
        #expect(broker.resumed("a", after: id, at: wall) == ["second"])
        broker.publish("a", at: 0)
        broker.publish("a", at: .max)
    }

    @Test("ids of an earlier process are foreign (B56)")
    func restart() {
        let old = EmbeddedBroker(keep: 10, keepFor: 0, wall: start)
        let id = old.publish("a", at: start + .second)
        let new = EmbeddedBroker(keep: 10, keepFor: 0, wall: start + 2 * .second)
        new.publish("a", at: start + 3 * .second)
        #expect(new.resumed("a", after: id, at: start + 3 * .second) == ["reset"])
        #expect(new.resumed("never", after: id, at: start + 3 * .second) == ["reset"])
    }

    @Test("an instance number makes the ids of a second process foreign that ran at the same time (B56)")
    func failover() {
        let first = EmbeddedBroker(keep: 10, keepFor: 0, wall: start, instance: 4711)
        let second = EmbeddedBroker(keep: 10, keepFor: 0, wall: start, instance: 815)
        let id = first.publish("a", "1", at: start + .second)
        first.publish("a", "2", at: start + .second)
        first.publish("a", "3", at: start + 2 * .second)
        second.publish("a", "other", at: start + 3 * .second)
        #expect(first.resumed("a", after: id, at: start + 3 * .second) == ["2", "3"])
        #expect(second.resumed("a", after: id, at: start + 3 * .second) == ["reset"])
        #expect(second.resumed("a", after: second.lastID, at: start + 3 * .second) == ["live"])
    }
}

@Suite("Resuming at the embedded broker")
struct EmbeddedBrokerResumeTests {
    @Test("what was missed is replayed in order, and nothing when nothing was")
    func replay() {
        let broker = EmbeddedBroker(keep: 10, keepFor: 0, wall: start)
        let ids = (0..<5).map { broker.publish("a", "\($0)", at: start + .second) }
        broker.publish("b", "other", at: start + .second)
        #expect(broker.resumed("a", after: ids[0], at: start) == ["1", "2", "3", "4"])
        #expect(broker.resumed("a", after: ids[3], at: start) == ["4"])
        #expect(broker.resumed("a", after: ids[4], at: start) == ["live"])
        #expect(broker.resumed("a", after: nil, at: start) == ["live"])
    }

    @Test("the position that is told can be resumed from, with or without events since")
    func position() {
        let broker = EmbeddedBroker(keep: 10, keepFor: 0, wall: start)
        guard case .live(let empty) = broker.resume(topic: "a", after: nil, wall: start) else {
            Issue.record("not live")
            return
        }
        #expect(broker.resumed("a", after: empty, at: start) == ["live"])
        broker.publish("a", "1", at: start)
        #expect(broker.resumed("a", after: empty, at: start) == ["1"])
        broker.publish("b", "2", at: start)
        guard case .replay(_, let position) = broker.resume(topic: "a", after: empty.description, wall: start) else {
            Issue.record("no replay")
            return
        }
        #expect(position == broker.lastID)
        #expect(broker.resumed("a", after: position, at: start) == ["live"])
    }

    @Test(
        "a malformed id or one from the future is answered with a reset",
        arguments: [
            "", "x", "1", "0-0", "1-0", "1764500000000", "1764500999999-0", "18446744073709551615-0",
            "1764500000000-01",
        ])
    func malformed(after: String) {
        let broker = EmbeddedBroker(keep: 10, keepFor: 0, wall: start + .millisecond)
        broker.publish("a", at: start + .second)
        guard case .reset(let position) = broker.resume(topic: "a", after: after, wall: start) else {
            Issue.record("\(after) was taken")
            return
        }
        #expect(position == broker.lastID)
    }

    @Test("what was trimmed is a gap, the first kept one is not")
    func trimmed() {
        let broker = EmbeddedBroker(keep: 3, keepFor: 0, wall: start)
        let ids = (0..<6).map { broker.publish("a", "\($0)", at: start) }
        #expect(broker.resumed("a", after: ids[1], at: start) == ["reset"])
        #expect(broker.resumed("a", after: ids[2], at: start) == ["3", "4", "5"])
        #expect(broker.resumed("a", after: ids[3], at: start) == ["4", "5"])
    }

    @Test("what is too old is not replayed even though it is still in memory")
    func aged() {
        let broker = EmbeddedBroker(keep: 100, keepFor: 60 * .second, wall: start)
        let first = broker.publish("a", "1", at: start)
        let second = broker.publish("a", "2", at: start + 10 * .second)
        let third = broker.publish("a", "3", at: start + 50 * .second)
        #expect(broker.resumed("a", after: first, at: start + 65 * .second) == ["2", "3"])
        #expect(broker.resumed("a", after: first, at: start + 71 * .second) == ["reset"])
        #expect(broker.resumed("a", after: second, at: start + 71 * .second) == ["3"])
        #expect(broker.resumed("a", after: third, at: start + 500 * .second) == ["live"])
        #expect(broker.resumed("a", after: second, at: start + 500 * .second) == ["reset"])
    }

    @Test("dropped topics leave a floor that nobody resumes across")
    func floor() {
        let broker = EmbeddedBroker(keep: 100, keepFor: 60 * .second, wall: start)
        let before = broker.lastID
        let first = broker.publish("a", "1", at: start)
        let second = broker.publish("a", "2", at: start)
        #expect(!broker.prune(wall: start + 60 * .second, steps: 10))
        #expect(broker.topicCount == 1)
        broker.prune(wall: start + 61 * .second, steps: 10)
        #expect(broker.topicCount == 0)
        let late = start + 61 * .second
        #expect(broker.resumed("a", after: before, at: late) == ["reset"])
        #expect(broker.resumed("a", after: first, at: late) == ["reset"])
        #expect(broker.resumed("a", after: second, at: late) == ["live"])
        // The topic comes back: what was dropped is still a gap.
        broker.publish("a", "3", at: late)
        #expect(broker.resumed("a", after: first, at: late) == ["reset"])
        #expect(broker.resumed("a", after: second, at: late) == ["3"])
    }

    @Test("pruning takes bounded steps and says whether more is left")
    func prune() {
        let broker = EmbeddedBroker(keep: 1, keepFor: .second, wall: start)
        for number in 0..<10 { broker.publish("t\(number)", at: start) }
        #expect(broker.prune(wall: start + 5 * .second, steps: 4))
        #expect(broker.topicCount == 6)
        #expect(!broker.prune(wall: start + 5 * .second, steps: 100))
        #expect(broker.topicCount == 0)
    }

    @Test("publishing alone keeps up with dropping")
    func bounded() {
        let broker = EmbeddedBroker(keep: 5, keepFor: .second, wall: start)
        for number in 0..<5000 { broker.publish("t\(number)", at: start + Nanoseconds(number) * 10 * .millisecond) }
        #expect(broker.topicCount <= 102)
        let capped = EmbeddedBroker(keep: 5, keepFor: 0, wall: start, maximumTopics: 7)
        let first = capped.publish("t", at: start)
        for number in 0..<100 { capped.publish("t\(number)", at: start) }
        #expect(capped.topicCount == 7)
        #expect(capped.resumed("t", after: first, at: start) == ["reset"])
    }

    @Test("keep 0 keeps nothing and never hides a gap")
    func keepNothing() {
        let broker = EmbeddedBroker(keep: 0, keepFor: 0, wall: start)
        let first = broker.publish("a", "1", at: start)
        #expect(broker.resumed("a", after: first, at: start) == ["live"])
        broker.publish("a", "2", at: start)
        #expect(broker.resumed("a", after: first, at: start) == ["reset"])
        #expect(broker.topicCount == 0)
    }

    @Test("a client that resumes again and again sees every event once, or is told of a gap (B55)", arguments: 1...25)
    func contiguity(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let keep = Int.random(in: 1...20, using: &random)
        let broker = EmbeddedBroker(keep: keep, keepFor: 30 * .second, wall: start)
        let topics = ["a", "b", "c"]
        var wall = start
        var published = ["a": 0, "b": 0, "c": 0]
        var clients = (0..<9).map { (topic: topics[$0 % 3], position: String?.none, seen: 0) }
        var resets = 0
        var replays = 0
        for _ in 0..<3000 {
            wall += Nanoseconds.random(in: -100 * .millisecond...700 * .millisecond, using: &random)
            if Int.random(in: 0..<200, using: &random) == 0 { wall += 60 * .second }
            if Int.random(in: 0..<3, using: &random) > 0 {
                let topic = topics[Int.random(in: 0..<3, using: &random)]
                broker.publish(topic, "\(published[topic] ?? 0)", at: wall)
                published[topic, default: 0] += 1
            }
            if Int.random(in: 0..<10, using: &random) == 0 { broker.prune(wall: wall, steps: 3) }
            guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
            let index = Int.random(in: 0..<clients.count, using: &random)
            let client = clients[index]
            let newest = published[client.topic] ?? 0
            switch broker.resume(topic: client.topic, after: client.position, wall: wall) {
            case .live(let position):
                #expect(client.position == nil || client.seen == newest, "silent gap")
                clients[index].position = position.description
            case .reset(let position):
                resets += 1
                clients[index].position = position.description
            case .replay(let events, let position):
                replays += 1
                let numbers = events.compactMap { Int(String(decoding: $0.data, as: UTF8.self)) }
                #expect(numbers == Array(client.seen..<newest))
                // Half of the clients remember the last event, half the position.
                clients[index].position = (Bool.random(using: &random) ? events.last?.id : position)?.description
            }
            clients[index].seen = newest
        }
        #expect(replays > 0)
        #expect(resets < 3000)
    }
}
