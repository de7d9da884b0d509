import Testing

@testable import TiffinLiveCore

/// A table with subscribers that note what reaches them.
final class Listeners {
    let table = TopicTable()
    var heads: [UInt32: Int32] = [:]
    var received: [UInt32: [String]] = [:]
    var gone: [String] = []

    @discardableResult
    func attach(_ subscriber: UInt32, _ topic: String) -> TopicHandle? {
        table.attach(topic: topic, subscriber: subscriber, head: &heads[subscriber, default: -1])
    }

    @discardableResult
    func detach(_ subscriber: UInt32, _ topic: String) -> Bool {
        table.detach(topic: topic, subscriber: subscriber, head: &heads[subscriber, default: -1])
    }

    func detachAll(_ subscriber: UInt32) {
        var names: [String] = []
        table.detachAll(subscriber: subscriber, head: &heads[subscriber, default: -1]) { names.append($0) }
        gone += names
    }

    @discardableResult
    func publish(_ topic: String, _ name: String) -> Bool {
        table.publish(Event(topic: topic, id: nil, name: name, data: [], isJSON: false))
    }

    @discardableResult
    func deliver(budget: Int = 1_000_000, during: ((UInt32) -> Void)? = nil) -> Bool {
        table.deliver(budget: budget) { batch, subscriber in
            for event in batch.events { received[subscriber, default: []].append("\(event.topic)/\(event.name)") }
            during?(subscriber)
        }
    }
}

@Suite("Listeners of topics")
struct TopicTableTests {
    @Test("the first listener of a topic is told so, the second is not, and nobody attaches twice")
    func attaching() {
        let listeners = Listeners()
        #expect(listeners.attach(1, "a")?.isFirstListener == true)
        #expect(listeners.attach(2, "a")?.isFirstListener == false)
        #expect(listeners.attach(1, "a") == nil)
        #expect(listeners.table.subscriptionCount == 2)
        #expect(listeners.table.listenerCount("a") == 2)
    }

    @Test("the topics of a subscriber come in the order in which it attached")
    func order() {
        let listeners = Listeners()
        for topic in ["c", "a", "b", "d"] { listeners.attach(7, topic) }
        listeners.attach(8, "a")
        #expect(listeners.table.topics(of: listeners.heads[7] ?? -1) == ["c", "a", "b", "d"])
        listeners.detach(7, "a")
        listeners.attach(7, "a")
        #expect(listeners.table.topics(of: listeners.heads[7] ?? -1) == ["c", "b", "d", "a"])
        #expect(listeners.table.topics(of: -1) == [])
    }

    @Test("detaching ends one subscription, and only one that there is")
    func detaching() {
        let listeners = Listeners()
        listeners.attach(1, "a")
        listeners.attach(1, "b")
        #expect(!listeners.detach(2, "a"))
        #expect(!listeners.detach(1, "nowhere"))
        #expect(listeners.detach(1, "a"))
        #expect(!listeners.detach(1, "a"))
        #expect(!listeners.table.isListening("a"))
        #expect(listeners.table.isListening("b"))
        #expect(listeners.table.isListening("b", head: listeners.heads[1] ?? -1))
        #expect(!listeners.table.isListening("a", head: listeners.heads[1] ?? -1))
        #expect(listeners.table.allTopics() == ["b"])
    }

    @Test("ending all subscriptions names the topics that nobody listens to any more")
    func detachingAll() {
        let listeners = Listeners()
        for topic in ["a", "b", "c"] { listeners.attach(1, topic) }
        listeners.attach(2, "b")
        listeners.detachAll(1)
        #expect(listeners.gone == ["a", "c"])
        #expect(listeners.heads[1] == -1)
        #expect(listeners.table.count == 1)
        listeners.detachAll(1)
        #expect(listeners.gone == ["a", "c"])
    }

    @Test("a topic without listeners takes no events and holds no memory")
    func noListener() {
        let listeners = Listeners()
        #expect(!listeners.publish("a", "1"))
        listeners.attach(1, "a")
        listeners.detachAll(1)
        #expect(!listeners.publish("a", "2"))
        #expect(listeners.table.count == 0)
        #expect(listeners.table.subscriptionCount == 0)
        #expect(!listeners.deliver())
    }

    @Test("the position of a topic only moves forward and is forgotten with its last listener")
    func position() {
        let table = TopicTable()
        var head: Int32 = -1
        func id(_ sequence: UInt64) -> EventID { EventID(milliseconds: 5, sequence: sequence) }
        table.setPosition("a", to: id(1))
        #expect(table.lastID("a") == nil)
        _ = table.attach(topic: "a", subscriber: 1, head: &head)
        #expect(table.lastID("a") == nil)
        table.setPosition("a", to: id(3))
        table.setPosition("a", to: id(2))
        #expect(table.lastID("a") == id(3))
        table.publish(Event(topic: "a", id: id(4), data: [], isJSON: false))
        table.publish(Event(topic: "a", id: nil, data: [], isJSON: false))
        #expect(table.lastID("a") == id(4))
        _ = table.detach(topic: "a", subscriber: 1, head: &head)
        _ = table.attach(topic: "a", subscriber: 1, head: &head)
        #expect(table.lastID("a") == nil)
    }
}

@Suite("Fan-out in bounded steps")
struct TopicFanOutTests {
    @Test("events of one turn reach everybody as one batch, in order")
    func batch() {
        let listeners = Listeners()
        for subscriber in 0..<UInt32(5) { listeners.attach(subscriber, "a") }
        for number in 0..<40 { listeners.publish("a", "\(number)") }
        var batches: Set<ObjectIdentifier> = []
        let more = listeners.table.deliver(budget: 1000) { batch, subscriber in
            batches.insert(ObjectIdentifier(batch))
            #expect(batch.events.map(\.name) == (0..<40).map(String.init))
            batch.webSocketBytes = batch.webSocketBytes ?? ByteBuffer()
            listeners.received[subscriber, default: []].append("x")
        }
        #expect(!more)
        #expect(batches.count == 1)
        #expect(listeners.received.count == 5)
    }

    @Test("whoever attaches later gets nothing that was published before", arguments: [1, 2, 3, 100])
    func attachAfterwards(budget: Int) {
        let listeners = Listeners()
        listeners.attach(1, "a")
        listeners.publish("a", "1")
        listeners.attach(2, "a")
        listeners.publish("a", "2")
        listeners.attach(3, "a")
        while listeners.deliver(budget: budget) {}
        listeners.publish("a", "3")
        while listeners.deliver(budget: budget) {}
        #expect(listeners.received[1] == ["a/1", "a/2", "a/3"])
        #expect(listeners.received[2] == ["a/2", "a/3"])
        #expect(listeners.received[3] == ["a/3"])
    }

    @Test("whoever leaves and comes back in the middle gets nothing old", arguments: [1, 2, 100])
    func leaveAndReturn(budget: Int) {
        let listeners = Listeners()
        for subscriber in 0..<UInt32(4) { listeners.attach(subscriber, "a") }
        listeners.publish("a", "1")
        listeners.detach(2, "a")
        listeners.attach(2, "a")
        while listeners.deliver(budget: budget) {}
        listeners.publish("a", "2")
        while listeners.deliver(budget: budget) {}
        #expect(listeners.received[2] == ["a/2"])
        #expect(listeners.received[3] == ["a/1", "a/2"])
    }

    @Test("no call visits more listeners than its budget, and none is missed or visited twice")
    func budget() {
        let listeners = Listeners()
        for subscriber in 0..<UInt32(1000) { listeners.attach(subscriber, "a") }
        listeners.publish("a", "1")
        var total = 0
        var more = true
        while more {
            var visited = 0
            more = listeners.deliver(budget: 64) { _ in visited += 1 }
            #expect(visited <= 64)
            total += visited
        }
        #expect(total == 1000)
        #expect(listeners.received.values.allSatisfy { $0 == ["a/1"] })
    }

    @Test("an event published in the middle of a walk follows it")
    func publishDuringWalk() {
        let listeners = Listeners()
        for subscriber in 0..<UInt32(10) { listeners.attach(subscriber, "a") }
        listeners.publish("a", "1")
        #expect(listeners.deliver(budget: 4))
        listeners.publish("a", "2")
        while listeners.deliver(budget: 4) {}
        for subscriber in 0..<UInt32(10) { #expect(listeners.received[subscriber] == ["a/1", "a/2"]) }
    }

    @Test("a large topic does not hold up the others")
    func fairness() {
        let listeners = Listeners()
        for subscriber in 0..<UInt32(1000) { listeners.attach(subscriber, "large") }
        listeners.attach(5000, "small")
        listeners.publish("large", "1")
        listeners.publish("small", "1")
        #expect(listeners.deliver(budget: 10))
        #expect(listeners.deliver(budget: 10))
        #expect(listeners.received[5000] == ["small/1"])
    }

    @Test("a listener may leave, throw others out, bring some in and publish while it is being served")
    func reentrancy() {
        let listeners = Listeners()
        for subscriber in 0..<UInt32(6) { listeners.attach(subscriber, "a") }
        listeners.publish("a", "1")
        listeners.deliver { subscriber in
            switch subscriber {
            case 0: listeners.detachAll(0)
            case 1: listeners.detach(3, "a")
            case 2:
                listeners.detach(0, "a")
                listeners.attach(9, "a")
                for topic in 0..<40 { listeners.attach(9, "new\(topic)") }
                if listeners.received[2]?.count == 1 { listeners.publish("a", "2") }
            case 4: listeners.detachAll(1)
            default: break
            }
        }
        #expect(listeners.received[0] == ["a/1"])
        #expect(listeners.received[1] == ["a/1"])
        #expect(listeners.received[2] == ["a/1", "a/2"])
        #expect(listeners.received[3] == nil)
        #expect(listeners.received[9] == ["a/2"])
        #expect(listeners.table.listenerCount("a") == 4)
    }

    @Test("everybody may leave in the middle, and the topic may come back", arguments: [1, 3, 100])
    func everybodyLeaves(budget: Int) {
        let listeners = Listeners()
        for subscriber in 0..<UInt32(5) { listeners.attach(subscriber, "a") }
        listeners.publish("a", "1")
        _ = listeners.deliver(budget: budget) { _ in
            for subscriber in 0..<UInt32(5) { listeners.detachAll(subscriber) }
        }
        #expect(listeners.gone == ["a"])
        #expect(!listeners.publish("a", "2"))
        #expect(listeners.attach(8, "a")?.isFirstListener == true)
        listeners.publish("a", "3")
        while listeners.deliver(budget: budget) {}
        #expect(listeners.received[8] == ["a/3"])
        listeners.detachAll(8)
        #expect(listeners.table.count == 0)
    }

    @Test("coming and going during fan-outs leaves no holes behind")
    func noGrowth() {
        let listeners = Listeners()
        for subscriber in 0..<UInt32(20) { listeners.attach(subscriber, "a") }
        for round in 0..<2000 {
            listeners.publish("a", "\(round)")
            let subscriber = UInt32(round % 20)
            listeners.deliver(budget: 7)
            listeners.detach(subscriber, "a")
            listeners.attach(subscriber, "a")
            while listeners.deliver(budget: 7) {}
        }
        let slot = listeners.table.topics[Int(listeners.table.slot(of: "a") ?? 0)]
        #expect(slot.count == 20)
        #expect(slot.capacity <= 64)
        #expect(slot.fanOut == nil)
    }
}
