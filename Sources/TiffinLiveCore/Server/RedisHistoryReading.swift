/// The kept events of a topic as one reading of its stream found them: the replies to `commands`, in order.
struct RedisHistoryReading {
    /// In order.
    let events: [Event]
    /// Where a client stands that has seen everything up to this reading.
    let position: EventID
    /// From here on nothing is missing.
    let floor: EventID

    /// The newest events, what the stream says of itself, and the time. Read in this order, so that the position is never
    /// later than an event that is not among the events.
    static func commands(key: String, keep: Int) -> [[String]] {
        [["TIME"], ["XREVRANGE", key, "+", "-", "COUNT", String(max(keep, 1))], ["XINFO", "STREAM", key]]
    }

    /// nil when the replies are not of that kind.
    init?(topic: String, keepFor: Nanoseconds, time: RESPValue, range: RESPValue, information: Result<RESPValue, RedisFailure>) {
        guard let time = time.elements, time.count == 2, let seconds = Self.number(time[0]),
            let microseconds = Self.number(time[1]), let entries = range.elements
        else { return nil }
        let now = seconds &* 1000 &+ microseconds / 1000
        let oldest = now - min(now, UInt64(max(0, keepFor) / .millisecond))
        var events: [Event] = []
        for entry in entries.reversed() {
            guard let event = Event(topic: topic, entry: entry) else { return nil }
            events.append(event)
        }
        self.events = events
        guard case .success(let information) = information else {
            // No such key: nothing was published within the time that events are kept.
            guard events.isEmpty else { return nil }
            position = EventID(milliseconds: now, sequence: 0)
            floor = EventID(milliseconds: oldest, sequence: 0)
            return
        }
        guard let added = information["entries-added"]?.integer,
            let last = information["last-generated-id"]?.bytes.flatMap({ EventID(String(decoding: $0, as: UTF8.self)) })
        else { return nil }
        position = events.last?.id ?? last
        // What was never trimmed reaches back as far as the stream itself may; else as far as its first event.
        let isWhole = added == Int64(events.count)
        floor = isWhole ? EventID(milliseconds: oldest, sequence: 0) : events.first?.id ?? last
    }

    private static func number(_ value: RESPValue) -> UInt64? {
        value.bytes.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
    }
}

extension Event {
    /// An entry of a stream: `[id, [field, value, …]]` with the fields `event` and `data` (contract section 9).
    convenience init?(topic: String, entry: RESPValue) {
        guard let parts = entry.elements, parts.count == 2, let idBytes = parts[0].bytes,
            let id = EventID(String(decoding: idBytes, as: UTF8.self))
        else { return nil }
        let name = parts[1]["event"]?.bytes.map { String(decoding: $0, as: UTF8.self) } ?? "message"
        self.init(topic: topic, id: id, name: name, payload: parts[1]["data"]?.bytes ?? [])
    }

    /// A message on a topic's channel: `@<id> <event>\n<data>`, or plain data (contract section 9).
    convenience init(topic: String, message: [UInt8]) {
        if message.first == ASCII.at, let end = message.firstIndex(of: ASCII.lineFeed) {
            let head = String(decoding: message[1..<end], as: UTF8.self)
            let words = head.split(separator: " ", maxSplits: 1)
            if words.count == 2, let id = EventID(String(words[0])) {
                self.init(topic: topic, id: id, name: String(words[1]), payload: Array(message[(end + 1)...]))
                return
            }
        }
        self.init(topic: topic, id: nil, name: "message", payload: message)
    }

    /// Text that is no UTF-8 is repaired: it must reach clients as text.
    private convenience init(topic: String, id: EventID?, name: String, payload: [UInt8]) {
        let isText = payload.withUnsafeBytes { UTF8Validator.isValid($0) }
        let data = isText ? payload : Array(String(decoding: payload, as: UTF8.self).utf8)
        let isJSON = data.withUnsafeBytes { JSONReader.isValid($0) }
        self.init(topic: topic, id: id, name: name, data: data, isJSON: isJSON)
    }
}
