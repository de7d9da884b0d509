/// First in, first out; both ends O(1). The memory of what was taken is given back in halves.
struct ReplyQueue<Element> {
    private var storage: [Element?] = []
    private var head = 0

    var count: Int { storage.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : storage[head] }

    mutating func append(_ element: Element) {
        storage.append(element)
    }

    mutating func removeFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = storage[head]
        storage[head] = nil
        head += 1
        if head == storage.count {
            storage.removeAll(keepingCapacity: storage.capacity <= 4096)
            head = 0
        } else if head > 1024, head > storage.count / 2 {
            storage.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Lets `body` change every element, oldest first.
    mutating func update(_ body: (inout Element) -> Void) {
        for index in head..<storage.count {
            guard var element = storage[index] else { continue }
            body(&element)
            storage[index] = element
        }
    }
}
