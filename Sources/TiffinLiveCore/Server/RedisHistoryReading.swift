/// The kept events of a topic as one reading of its stream found them: the replies to `commands`, in order.
struct RedisHistoryReading {
    /// In order.
    let events: [Event]
    /// Where a client stands that has seen everything up to this reading.
    let position: EventID
    /// From here on nothing is missing.
    let floor: EventID

    /// The time, since when Redis has its data, the newest events, and what the stream says of itself. Read in this order,
    /// so that the position is never later than an event that is not among the events.
    static func commands(key: String, beginning: String, keep: Int) -> [[String]] {
        [
            ["TIME"], ["GET", beginning], ["XREVRANGE", key, "+", "-", "COUNT", String(max(keep, 1))],
            ["XINFO", "STREAM", key],
        ]
    }

    init(events: [Event], position: EventID, floor: EventID) {
        self.events = events
        self.position = position
        self.floor = floor
    }

    /// nil when the replies are not of that kind.
    init?(topic: String, keepFor: Nanoseconds, replies: [Result<RESPValue, RedisFailure>]) {
        guard replies.count == 4, case .success(let time) = replies[0], case .success(let began) = replies[1],
            case .success(let range) = replies[2], let now = Self.milliseconds(time), let entries = range.elements
        else { return nil }
        // Where nobody knows since when Redis has its data, that is since now.
        let beginning = began.bytes == nil ? now : Self.number(began) ?? now
        // Not the moment itself, in which an event may still come.
        let moment = EventID(milliseconds: max(now, 1) - 1, sequence: 0)
        let oldest = min(
            moment,
            EventID(
                milliseconds: max(Self.expired(at: now, keepFor: keepFor), max(beginning, 1) - 1), sequence: 0))
        var events: [Event] = []
        var newest: EventID?
        for entry in entries.reversed() {
            guard let event = Event(topic: topic, entry: entry), let id = event.id, newest.map({ id > $0 }) ?? true
            else {
                return nil
            }
            newest = id
            events.append(event)
        }
        self.events = events
        guard let information = Self.information(replies[3]) else {
            guard case .failure(.error(_, let text)) = replies[3], text.contains("no such key"), events.isEmpty else {
                return nil
            }
            // Nothing was published within the time that events are kept.
            position = moment
            floor = oldest
            return
        }
        // What was never trimmed reaches back as far as the stream itself may, and to its first event in any case, which
        // the publisher may keep for longer; else as far as its first event.
        let isWhole = information.added == Int64(events.count)
        let first = events.first?.id
        position = newest ?? (isWhole ? moment : information.last)
        floor = isWhole ? min(oldest, first ?? oldest) : first ?? information.last
    }

    /// Up to when a stream may have come and gone by its age; 0 when streams stay.
    private static func expired(at now: UInt64, keepFor: Nanoseconds) -> UInt64 {
        keepFor > 0 ? now - min(now, UInt64(keepFor / .millisecond)) : 0
    }

    private static func information(_ reply: Result<RESPValue, RedisFailure>) -> (added: Int64, last: EventID)? {
        guard case .success(let value) = reply, let added = value["entries-added"]?.integer,
            let last = value["last-generated-id"].flatMap({ EventID(reply: $0) })
        else { return nil }
        return (added, last)
    }

    /// The reply to TIME, in milliseconds.
    static func milliseconds(_ time: RESPValue) -> UInt64? {
        guard let parts = time.elements, parts.count == 2, let seconds = number(parts[0]),
            let microseconds = number(parts[1])
        else { return nil }
        return seconds &* 1000 &+ microseconds / 1000
    }

    private static func number(_ value: RESPValue) -> UInt64? {
        value.bytes.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
    }
}

extension Event {
    /// An entry of a stream: `[id, [field, value, …]]` with the fields `event` and `data` (contract section 9).
    convenience init?(topic: String, entry: RESPValue) {
        guard let parts = entry.elements, parts.count == 2, let id = EventID(reply: parts[0]) else { return nil }
        let name = parts[1]["event"]?.bytes.map { String(decoding: $0, as: UTF8.self) } ?? "message"
        self.init(topic: topic, id: id, name: name, payload: parts[1]["data"]?.bytes ?? [])
    }

    /// A message on a topic's channel: `@<id> <event>\n<data>`, or plain data (contract section 9).
    ///
    /// - Parameter latest: An id from after this moment, in milliseconds, is none: it would make all that comes look old.
    convenience init(topic: String, message: [UInt8], latest: UInt64 = .max) {
        if message.first == ASCII.at, let end = message.firstIndex(of: ASCII.lineFeed) {
            let head = String(decoding: message[1..<end], as: UTF8.self)
            let words = head.split(separator: " ", maxSplits: 1)
            if words.count == 2, let id = EventID(String(words[0])), id.milliseconds <= latest {
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
