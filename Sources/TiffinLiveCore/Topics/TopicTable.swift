/// Which subscribers of one loop listen to which topics, and the fan-out of events to them in bounded steps.
///
/// A subscriber is a slot number of the caller's; the head of its chain of subscriptions (`-1` = none) lives in the
/// caller's slot and is passed `inout`, so that an idle connection pays 12 bytes a subscription here and 8 in the topic.
/// Made and used inside one loop thread; limits on topics a subscriber are the caller's.
///
/// Promises: a subscriber that is attached when an event is published gets it exactly once and in order; one that
/// attaches afterwards never gets an earlier event; every call but `deliver` is allowed from within a delivery.
final class TopicTable {
    private var slots: [String: Int32] = [:]
    private(set) var topics: UnsafeMutablePointer<TopicSlot>
    private var topicCapacity: Int32 = 16
    private var topicCount: Int32 = 0
    private var freeTopics: [Int32] = []
    private(set) var links: UnsafeMutablePointer<TopicLink>
    private var linkCapacity: Int32 = 64
    private var linkCount: Int32 = 0
    private var freeLink: Int32 = -1
    private(set) var subscriptionCount = 0
    var firstDirty: Int32 = -1
    var lastDirty: Int32 = -1
    var isDelivering = false
    /// Fan-outs that are over, kept for the next ones.
    var spareFanOuts: [TopicFanOut] = []

    init() {
        topics = .allocate(capacity: Int(topicCapacity))
        links = .allocate(capacity: Int(linkCapacity))
    }

    deinit {
        for slot in slots.values {
            topics[Int(slot)].listeners?.deallocate()
            (topics + Int(slot)).deinitialize(count: 1)
        }
        topics.deallocate()
        links.deallocate()
    }

    /// Topics with a listener, and those whose last listener left in the middle of a fan-out.
    var count: Int { slots.count }

    // MARK: - Attaching

    /// Lets `subscriber` listen to `topic`; nil when it does already. Events published before now do not reach it.
    func attach(topic name: String, subscriber: UInt32, head: inout Int32) -> TopicHandle? {
        let topic: Int32
        if let known = slots[name] {
            guard linkAndPredecessor(to: known, from: head) == nil else { return nil }
            topic = known
        } else {
            topic = makeTopic(name)
        }
        let link = makeLink(TopicLink(topic: topic, next: -1, position: topics[Int(topic)].count))
        topics[Int(topic)].fanOut?.seal(at: topics[Int(topic)].count)
        appendListener(TopicListener(subscriber: subscriber, link: link), to: topic)
        appendToChain(link, head: &head)
        topics[Int(topic)].live += 1
        subscriptionCount += 1
        return TopicHandle(index: topic, isFirstListener: topics[Int(topic)].live == 1)
    }

    /// Ends one subscription; false when there was none. `isListening` tells whether it was the last one.
    func detach(topic name: String, subscriber: UInt32, head: inout Int32) -> Bool {
        guard let topic = slots[name], let (link, predecessor) = linkAndPredecessor(to: topic, from: head)
        else { return false }
        if predecessor < 0 {
            head = links[Int(link)].next
        } else {
            links[Int(predecessor)].next = links[Int(link)].next
        }
        _ = removeListener(of: link, in: topic)
        return true
    }

    /// Ends every subscription of `subscriber` and names the topics that nobody on this loop listens to any more.
    func detachAll(subscriber: UInt32, head: inout Int32, lastListenerGone: (String) -> Void) {
        var link = head
        head = -1
        while link >= 0 {
            let next = links[Int(link)].next
            let topic = links[Int(link)].topic
            let name = topics[Int(topic)].name
            if removeListener(of: link, in: topic) { lastListenerGone(name) }
            link = next
        }
    }

    // MARK: - Asking

    func isListening(_ name: String) -> Bool {
        guard let topic = slots[name] else { return false }
        return topics[Int(topic)].live > 0
    }

    func isListening(_ name: String, head: Int32) -> Bool {
        guard let topic = slots[name] else { return false }
        return linkAndPredecessor(to: topic, from: head) != nil
    }

    /// How many listen to the topic.
    func listenerCount(_ name: String) -> Int {
        guard let topic = slots[name] else { return 0 }
        return Int(topics[Int(topic)].live)
    }

    /// The names of a subscriber's topics in the order in which it attached.
    func forEachTopic(of head: Int32, _ body: (String) -> Void) {
        var link = head
        while link >= 0 {
            let next = links[Int(link)].next
            body(topics[Int(links[Int(link)].topic)].name)
            link = next
        }
    }

    func topics(of head: Int32) -> [String] {
        var names: [String] = []
        forEachTopic(of: head) { names.append($0) }
        return names
    }

    /// The names of all topics that somebody listens to: what to subscribe upstream after a lost link.
    func allTopics() -> [String] {
        slots.filter { topics[Int($0.value)].live > 0 }.map(\.key)
    }

    /// The newest id that passed through, or the position that was set; nil when neither or when nobody listens.
    func lastID(_ name: String) -> EventID? {
        guard let topic = slots[name] else { return nil }
        return topics[Int(topic)].lastID
    }

    /// Moves the position of a topic forward; it never goes back.
    func setPosition(_ name: String, to id: EventID) {
        guard let topic = slots[name], topics[Int(topic)].live > 0 else { return }
        advance(topic, to: id)
    }

    func slot(of name: String) -> Int32? { slots[name] }

    func advance(_ topic: Int32, to id: EventID) {
        if let last = topics[Int(topic)].lastID, last >= id { return }
        topics[Int(topic)].lastID = id
    }

    // MARK: - Storage

    /// The subscription to `topic` in the chain and the one before it (-1 = the head).
    private func linkAndPredecessor(to topic: Int32, from head: Int32) -> (link: Int32, predecessor: Int32)? {
        var predecessor: Int32 = -1
        var link = head
        while link >= 0 {
            if links[Int(link)].topic == topic { return (link, predecessor) }
            predecessor = link
            link = links[Int(link)].next
        }
        return nil
    }

    private func appendToChain(_ link: Int32, head: inout Int32) {
        guard head >= 0 else {
            head = link
            return
        }
        var last = head
        while links[Int(last)].next >= 0 { last = links[Int(last)].next }
        links[Int(last)].next = link
    }

    private func makeTopic(_ name: String) -> Int32 {
        let topic: Int32
        if let free = freeTopics.popLast() {
            topic = free
        } else {
            if topicCount == topicCapacity {
                let grown = UnsafeMutablePointer<TopicSlot>.allocate(capacity: Int(topicCapacity) * 2)
                grown.moveInitialize(from: topics, count: Int(topicCount))
                topics.deallocate()
                topics = grown
                topicCapacity *= 2
            }
            topic = topicCount
            topicCount += 1
        }
        (topics + Int(topic)).initialize(to: TopicSlot(name: name))
        slots[name] = topic
        return topic
    }

    /// Frees a topic without listeners and without events on their way.
    func removeTopic(_ topic: Int32) {
        slots[topics[Int(topic)].name] = nil
        topics[Int(topic)].listeners?.deallocate()
        topics[Int(topic)] = TopicSlot(name: "")
        freeTopics.append(topic)
    }

    private func makeLink(_ value: TopicLink) -> Int32 {
        let link: Int32
        if freeLink >= 0 {
            link = freeLink
            freeLink = links[Int(link)].topic
        } else {
            if linkCount == linkCapacity {
                let grown = UnsafeMutablePointer<TopicLink>.allocate(capacity: Int(linkCapacity) * 2)
                grown.moveInitialize(from: links, count: Int(linkCount))
                links.deallocate()
                links = grown
                linkCapacity *= 2
            }
            link = linkCount
            linkCount += 1
        }
        (links + Int(link)).initialize(to: value)
        return link
    }

    private func appendListener(_ listener: TopicListener, to topic: Int32) {
        let slot = topics + Int(topic)
        if slot.pointee.count == slot.pointee.capacity {
            setCapacity(max(1, slot.pointee.capacity * 2), of: topic)
        }
        guard let listeners = slot.pointee.listeners else { return }
        listeners[Int(slot.pointee.count)] = listener
        slot.pointee.count += 1
    }

    /// Takes the listener of `link` out of the topic and frees the link; true when it was the last one.
    private func removeListener(of link: Int32, in topic: Int32) -> Bool {
        let slot = topics + Int(topic)
        let position = Int(links[Int(link)].position)
        if let listeners = slot.pointee.listeners {
            if slot.pointee.fanOut != nil {
                // The fan-out counts on positions: leave a hole, which the walk closes.
                listeners[position].link = TopicListener.tombstone
            } else {
                let last = listeners[Int(slot.pointee.count) - 1]
                listeners[position] = last
                links[Int(last.link)].position = Int32(truncatingIfNeeded: position)
                slot.pointee.count -= 1
            }
        }
        links[Int(link)].topic = freeLink
        freeLink = link
        subscriptionCount -= 1
        slot.pointee.live -= 1
        let isLast = slot.pointee.live == 0
        if isLast { slot.pointee.lastID = nil }
        if slot.pointee.fanOut == nil {
            if isLast { removeTopic(topic) } else { shrinkIfSparse(topic) }
        }
        return isLast
    }

    func shrinkIfSparse(_ topic: Int32) {
        let slot = topics[Int(topic)]
        if slot.capacity > 8, slot.count <= slot.capacity / 4 { setCapacity(slot.capacity / 2, of: topic) }
    }

    private func setCapacity(_ capacity: Int32, of topic: Int32) {
        let slot = topics + Int(topic)
        let moved = UnsafeMutablePointer<TopicListener>.allocate(capacity: Int(capacity))
        if let listeners = slot.pointee.listeners {
            moved.moveInitialize(from: listeners, count: Int(slot.pointee.count))
            listeners.deallocate()
        }
        slot.pointee.listeners = moved
        slot.pointee.capacity = capacity
    }
}
