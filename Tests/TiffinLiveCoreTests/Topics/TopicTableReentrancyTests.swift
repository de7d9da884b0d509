import Testing

@testable import TiffinLiveCore

@Suite("What a listener may do while it is served")
struct TopicTableReentrancyTests {
    @Test("it may end its own subscription and begin it again, and gets nothing twice", arguments: [1, 2, 5, 100])
    func returnsAtOnce(budget: Int) {
        let listeners = Listeners()
        for subscriber in 0..<UInt32(6) { listeners.attach(subscriber, "a") }
        listeners.publish("a", "1")
        var returned = 0
        while listeners.deliver(
            budget: budget,
            during: { subscriber in
                guard returned < 20 else { return }
                returned += 1
                listeners.detach(subscriber, "a")
                listeners.attach(subscriber, "a")
            })
        {}
        #expect(returned == 6)
        for subscriber in 0..<UInt32(6) { #expect(listeners.received[subscriber] == ["a/1"]) }
        #expect(listeners.table.listenerCount("a") == 6)
        #expect(listeners.table.subscriptionCount == 6)
    }

    @Test("it may publish to the topic that is being walked: everybody gets that too, behind", arguments: [1, 3, 100])
    func publishesToItself(budget: Int) {
        let listeners = Listeners()
        for subscriber in 0..<UInt32(5) { listeners.attach(subscriber, "a") }
        listeners.publish("a", "0")
        var published = 0
        while listeners.deliver(
            budget: budget,
            during: { subscriber in
                guard subscriber == 2, published < 4 else { return }
                published += 1
                #expect(listeners.publish("a", "\(published)"))
            })
        {}
        for subscriber in 0..<UInt32(5) {
            #expect(listeners.received[subscriber] == (0...4).map { "a/\($0)" })
        }
    }

    @Test("it may publish to a topic that has been served already, and to one that waits", arguments: [1, 2, 100])
    func publishesToOthers(budget: Int) {
        let listeners = Listeners()
        for (subscriber, topic) in ["a", "b", "c"].enumerated() { listeners.attach(UInt32(subscriber), topic) }
        for topic in ["a", "b", "c"] { listeners.publish(topic, "1") }
        while listeners.deliver(
            budget: budget,
            during: { subscriber in
                guard subscriber == 1 else { return }
                listeners.publish("a", "2")
                listeners.publish("c", "2")
            })
        {}
        #expect(listeners.received[0] == ["a/1", "a/2"])
        #expect(listeners.received[1] == ["b/1"])
        #expect(listeners.received[2] == ["c/1", "c/2"])
        #expect(!listeners.table.hasUndelivered)
    }

    @Test("whoever is thrown out before its turn gets nothing, and whoever had its turn keeps it")
    func throwsOut() {
        for victim in 0..<UInt32(5) {
            let listeners = Listeners()
            for subscriber in 0..<UInt32(5) { listeners.attach(subscriber, "a") }
            listeners.publish("a", "1")
            listeners.deliver(during: { if $0 == 2 { listeners.detachAll(victim) } })
            listeners.publish("a", "2")
            listeners.deliver()
            let all = (0..<UInt32(5)).map { listeners.received[$0]?.count ?? 0 }
            let expected = (0..<UInt32(5)).map { $0 != victim ? 2 : $0 <= 2 ? 1 : 0 }
            #expect(all == expected, "victim \(victim)")
        }
    }

    @Test("the last listener of a topic may leave from within, and the topic is gone after the walk")
    func lastLeaves() {
        let listeners = Listeners()
        listeners.attach(1, "a")
        listeners.publish("a", "1")
        var wasListening: Bool?
        var countWithin = 0
        listeners.deliver(during: { _ in
            listeners.detachAll(1)
            wasListening = listeners.table.isListening("a")
            countWithin = listeners.table.count
            #expect(!listeners.publish("a", "2"))
            #expect(listeners.table.lastID("a") == nil)
        })
        #expect(wasListening == false)
        #expect(countWithin == 1, "the walk still holds it")
        #expect(listeners.gone == ["a"])
        #expect(listeners.table.count == 0)
        #expect(listeners.table.allTopics() == [])
    }

    @Test("a topic whose last listener left in a walk and that is wanted again within it says so")
    func comesBackWithin() {
        let listeners = Listeners()
        listeners.attach(1, "a")
        listeners.publish("a", "1")
        var handle: TopicHandle?
        listeners.deliver(during: { subscriber in
            guard subscriber == 1, handle == nil else { return }
            listeners.detachAll(1)
            handle = listeners.attach(2, "a")
        })
        #expect(handle?.isFirstListener == true)
        #expect(listeners.received[2] == nil)
        listeners.publish("a", "2")
        listeners.deliver()
        #expect(listeners.received[2] == ["a/2"])
        #expect(listeners.received[1] == ["a/1"])
    }

    @Test("new topics and subscriptions by the hundred do not disturb the walk that they are made in")
    func growsWithin() {
        let listeners = Listeners()
        for subscriber in 0..<UInt32(4) { listeners.attach(subscriber, "a") }
        listeners.publish("a", "1")
        listeners.deliver(during: { subscriber in
            for number in 0..<100 { listeners.attach(subscriber, "new:\(subscriber):\(number)") }
            for number in 0..<100 { listeners.attach(1000 + subscriber * 100 + UInt32(number), "a") }
        })
        #expect(listeners.received.count == 4)
        #expect(listeners.table.count == 401)
        #expect(listeners.table.listenerCount("a") == 404)
        listeners.publish("a", "2")
        listeners.deliver()
        #expect(listeners.received.count == 404)
        #expect(listeners.received[1000] == ["a/2"])
    }

    @Test("a budget of none or less visits nobody and forgets nothing", arguments: [0, -1, Int.min])
    func noBudget(_ budget: Int) {
        let listeners = Listeners()
        listeners.attach(1, "a")
        #expect(!listeners.deliver(budget: budget))
        listeners.publish("a", "1")
        #expect(listeners.deliver(budget: budget))
        #expect(listeners.received.isEmpty)
        #expect(!listeners.deliver())
        #expect(listeners.received[1] == ["a/1"])
    }

    @Test("a topic that used up the budget goes behind those that wait")
    func endOfTheLine() {
        let listeners = Listeners()
        for topic in ["a", "b", "c"] {
            for subscriber in 0..<UInt32(4) { listeners.attach(subscriber, topic) }
            listeners.publish(topic, "1")
        }
        var order: [String] = []
        var more = true
        while more {
            more = listeners.table.deliver(budget: 2) { batch, _ in order += batch.events.map(\.topic) }
        }
        #expect(order == ["a", "a", "b", "b", "c", "c", "a", "a", "b", "b", "c", "c"])
    }

    @Test("a subscriber's chain stays whole when its first, middle or last topic goes", arguments: 0..<5)
    func chain(gone: Int) {
        let listeners = Listeners()
        var names = (0..<5).map { "t\($0)" }
        for name in names { listeners.attach(1, name) }
        #expect(listeners.detach(1, names[gone]))
        names.remove(at: gone)
        #expect(listeners.table.topics(of: listeners.heads[1] ?? -1) == names)
        for name in names { #expect(listeners.table.isListening(name, head: listeners.heads[1] ?? -1)) }
        #expect(!listeners.table.isListening("t\(gone)", head: listeners.heads[1] ?? -1))
        // The freed link serves the next one.
        listeners.attach(1, "next")
        #expect(listeners.table.topics(of: listeners.heads[1] ?? -1) == names + ["next"])
    }

    @Test("the position of a topic is not set where nobody listens any more, though a walk still holds it")
    func positionOfTheGone() {
        let listeners = Listeners()
        listeners.attach(1, "a")
        listeners.publish("a", "1")
        listeners.detachAll(1)
        listeners.table.setPosition("a", to: EventID(milliseconds: 9, sequence: 9))
        #expect(listeners.table.lastID("a") == nil)
        #expect(listeners.attach(2, "a")?.isFirstListener == true)
        #expect(listeners.table.lastID("a") == nil)
        listeners.deliver()
        #expect(listeners.received.isEmpty)
        #expect(listeners.table.listenerCount("a") == 1)
        #expect(listeners.table.listenerCount("nowhere") == 0)
    }
}
