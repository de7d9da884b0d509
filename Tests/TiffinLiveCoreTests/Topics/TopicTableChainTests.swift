import Testing

@testable import TiffinLiveCore

@Suite("Subscribers with many topics")
struct TopicTableChainTests {
    @Test("32 topics come and go in any order", arguments: 1...20)
    func chain(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let listeners = Listeners()
        let names = (0..<32).map { "topic:\($0)" }
        var order = names.shuffled(using: &random)
        for name in order { listeners.attach(1, name) }
        for name in names.shuffled(using: &random).prefix(16) {
            listeners.detach(1, name)
            order.removeAll { $0 == name }
            #expect(listeners.table.topics(of: listeners.heads[1] ?? -1) == order)
        }
        for name in names where !order.contains(name) {
            listeners.attach(1, name)
            order.append(name)
        }
        #expect(listeners.table.topics(of: listeners.heads[1] ?? -1) == order)
        listeners.detachAll(1)
        #expect(listeners.gone == order)
    }

    @Test("one subscriber gets the events of all its topics, each in order")
    func manyTopics() {
        let listeners = Listeners()
        for topic in 0..<20 { listeners.attach(1, "t\(topic)") }
        for number in 0..<5 {
            for topic in 0..<20 { listeners.publish("t\(topic)", "\(number)") }
        }
        while listeners.deliver(budget: 3) {}
        for topic in 0..<20 {
            let mine = listeners.received[1]?.filter { $0.hasPrefix("t\(topic)/") }
            #expect(mine == (0..<5).map { "t\(topic)/\($0)" })
        }
    }

    @Test("memory of those who left is used again")
    func reuse() {
        let listeners = Listeners()
        for round in 0..<50 {
            for subscriber in 0..<UInt32(100) {
                listeners.attach(subscriber, "shared")
                listeners.attach(subscriber, "own:\(round):\(subscriber)")
            }
            #expect(listeners.table.count == 101)
            #expect(listeners.table.subscriptionCount == 200)
            listeners.publish("shared", "\(round)")
            if round % 2 == 0 { while listeners.deliver(budget: 33) {} }
            for subscriber in 0..<UInt32(100) { listeners.detachAll(subscriber) }
            while listeners.deliver(budget: 33) {}
            #expect(listeners.table.count == 0)
            #expect(!listeners.table.hasUndelivered)
        }
        let rounds = stride(from: 0, to: 50, by: 2).map { "shared/\($0)" }
        #expect(listeners.received[42] == rounds)
    }

    @Test("a topic that lost most of its listeners gives memory back")
    func shrinking() {
        let listeners = Listeners()
        for subscriber in 0..<UInt32(1000) { listeners.attach(subscriber, "a") }
        for subscriber in 0..<UInt32(990) { listeners.detachAll(subscriber) }
        let slot = listeners.table.topics[Int(listeners.table.slot(of: "a") ?? 0)]
        #expect(slot.capacity <= 64)
        listeners.publish("a", "1")
        listeners.deliver()
        #expect(listeners.received.count == 10)
    }

    @Test("holes behind the cursor are closed even when nothing more is published", arguments: [1, 2, 5, 1000])
    func holesBehind(budget: Int) {
        let listeners = Listeners()
        for subscriber in 0..<UInt32(10) { listeners.attach(subscriber, "a") }
        listeners.publish("a", "1")
        _ = listeners.deliver(budget: 6)
        for subscriber in 0..<UInt32(4) { listeners.detachAll(subscriber) }
        while listeners.deliver(budget: budget) {}
        let slot = listeners.table.topics[Int(listeners.table.slot(of: "a") ?? 0)]
        #expect(slot.count == 6)
        #expect(slot.fanOut == nil)
        for subscriber in 0..<UInt32(10) { #expect(listeners.received[subscriber] == ["a/1"]) }
    }

    @Test("publishing while holes are being closed reaches everybody", arguments: 1...8)
    func publishWhileClosing(budget: Int) {
        let listeners = Listeners()
        for subscriber in 0..<UInt32(12) { listeners.attach(subscriber, "a") }
        listeners.publish("a", "1")
        _ = listeners.deliver(budget: 11)
        for subscriber in 0..<UInt32(3) { listeners.detachAll(subscriber) }
        for number in 2..<6 {
            _ = listeners.deliver(budget: budget)
            listeners.publish("a", "\(number)")
        }
        while listeners.deliver(budget: budget) {}
        for subscriber in 3..<UInt32(12) {
            #expect(listeners.received[subscriber] == (1..<6).map { "a/\($0)" })
        }
    }

    @Test("batches that wait behind each other keep their own listeners", arguments: 1...25)
    func waitingBatches(budget: Int) {
        let listeners = Listeners()
        for subscriber in 0..<UInt32(20) {
            listeners.attach(subscriber, "a")
            listeners.publish("a", "\(subscriber)")
            if subscriber % 3 == 0 { _ = listeners.deliver(budget: budget) }
            if subscriber % 5 == 4 { listeners.detachAll(subscriber - 3) }
        }
        while listeners.deliver(budget: budget) {}
        for subscriber in 0..<UInt32(20) where subscriber % 5 != 1 {
            #expect(listeners.received[subscriber] == (subscriber..<20).map { "a/\($0)" })
        }
    }
}
