import Testing

@testable import TiffinLiveCore

@Suite("Listeners of topics against a model")
struct TopicTableModelTests {
    @Test("any mixture of calls keeps the promises", arguments: 1...40)
    func mixture(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let listeners = Listeners()
        var attached: [UInt32: [String: Int]] = [:]  // subscriber → topic → number of the first event it is owed
        var published: [String: Int] = [:]  // topic → events so far
        var next: [UInt32: [String: Int]] = [:]  // subscriber → topic → number of the event that must come next
        let topics = (0..<Int.random(in: 1...6, using: &random)).map { "t\($0)" }
        let subscribers = UInt32(Int.random(in: 1...30, using: &random))

        var failures = 0

        func act(_ random: inout SeededRandom) {
            let topic = topics[Int.random(in: 0..<topics.count, using: &random)]
            let subscriber = UInt32.random(in: 0..<subscribers, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let isNew = listeners.attach(subscriber, topic) != nil
                #expect(isNew == (attached[subscriber]?[topic] == nil))
                if isNew {
                    attached[subscriber, default: [:]][topic] = published[topic, default: 0]
                    next[subscriber, default: [:]][topic] = published[topic, default: 0]
                }
            case 4..<6:
                let was = listeners.detach(subscriber, topic)
                #expect(was == (attached[subscriber]?[topic] != nil))
                attached[subscriber]?[topic] = nil
            case 6:
                listeners.detachAll(subscriber)
                attached[subscriber] = nil
            default:
                let number = published[topic, default: 0]
                let someone = attached.values.contains { $0[topic] != nil }
                #expect(listeners.publish(topic, "\(number)") == someone)
                published[topic] = number + 1
            }
        }

        func deliver(budget: Int, _ random: inout SeededRandom, acting: Bool) -> Bool {
            listeners.table.deliver(budget: budget) { batch, subscriber in
                for event in batch.events {
                    let expected = next[subscriber]?[event.topic]
                    let isRight =
                        attached[subscriber]?[event.topic] != nil && expected.map(String.init) == event.name
                    if !isRight { failures += 1 }
                    next[subscriber]?[event.topic] = (expected ?? 0) + 1
                }
                if acting, Int.random(in: 0..<4, using: &random) == 0 { act(&random) }
            }
        }

        for _ in 0..<500 {
            for _ in 0..<Int.random(in: 0..<6, using: &random) { act(&random) }
            if Bool.random(using: &random) {
                _ = deliver(budget: Int.random(in: 1...20, using: &random), &random, acting: true)
            }
        }
        while deliver(budget: 50, &random, acting: false) {}
        #expect(failures == 0)
        for (subscriber, topics) in attached {
            for topic in topics.keys {
                #expect(next[subscriber]?[topic] == published[topic, default: 0])
            }
            let head = listeners.heads[subscriber] ?? -1
            #expect(Set(listeners.table.topics(of: head)) == Set(topics.keys))
        }
        #expect(listeners.table.subscriptionCount == attached.values.reduce(0) { $0 + $1.count })
        for subscriber in 0..<subscribers { listeners.detachAll(subscriber) }
        #expect(listeners.table.count == 0)
    }
}
