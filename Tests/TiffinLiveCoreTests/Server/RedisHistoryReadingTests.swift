import Testing

@testable import TiffinLiveCore

/// What the replies of Redis say of a topic's kept events (contract section 9).
@Suite("Reading a topic's stream")
struct RedisHistoryReadingTests {
    private static let now: Int64 = 1_764_500_000_000

    private static func reading(
        _ ids: [String], added: Int? = nil, last: String? = nil, began: RESPValue = .bulkString("1000"),
        exists: Bool = true, keepFor: Nanoseconds = 3600 * .second
    ) -> RedisHistoryReading? {
        let information: RESPValue = .map([
            RESPValue.Entry(key: .bulkString("length"), value: .integer(Int64(ids.count))),
            RESPValue.Entry(key: .bulkString("last-generated-id"), value: .bulkString(last ?? ids.last ?? "0-0")),
            RESPValue.Entry(key: .bulkString("entries-added"), value: .integer(Int64(added ?? ids.count))),
        ])
        return RedisHistoryReading(
            topic: "t", keepFor: keepFor,
            replies: [
                .success(time), .success(began), .success(.array(ids.reversed().map { entry($0) })),
                exists ? .success(information) : .failure(.error(code: "ERR", text: "ERR no such key")),
            ])
    }

    private static let time: RESPValue = .array([.bulkString("\(now / 1000)"), .bulkString("999")])

    private static func entry(
        _ id: String,
        _ fields: [RESPValue] = [.bulkString("event"), .bulkString("e"), .bulkString("data"), .bulkString("1")]
    ) -> RESPValue {
        .array([.bulkString(id), .array(fields)])
    }

    @Test("asks for the time, the beginning of the data, the newest events and the stream itself, in this order")
    func commands() {
        #expect(
            RedisHistoryReading.commands(key: "events:t", beginning: "events:", keep: 7) == [
                ["TIME"], ["GET", "events:"], ["XREVRANGE", "events:t", "+", "-", "COUNT", "7"],
                ["XINFO", "STREAM", "events:t"],
            ])
        #expect(RedisHistoryReading.commands(key: "k", beginning: "b", keep: 0)[2].last == "1")
    }

    @Test("a stream of which nothing was trimmed reaches back as far as events are kept")
    func whole() throws {
        let reading = try #require(Self.reading(["1764499999000-0", "1764499999000-1"]))
        #expect(reading.events.map(\.id?.sequence) == [0, 1])
        #expect(reading.events.map(\.name) == ["e", "e"])
        #expect(reading.events.map(\.isJSON) == [true, true])
        #expect(reading.position == EventID("1764499999000-1"))
        #expect(reading.floor == EventID("1764496400000-0"))
    }

    @Test("a stream that is kept for longer than the server would reaches back to its first event")
    func keptForLonger() throws {
        let reading = try #require(Self.reading(["1764400000000-0", "1764400001000-0"]))
        #expect(reading.floor == EventID("1764400000000-0"))
        #expect(reading.position == EventID("1764400001000-0"))
    }

    @Test("where streams stay, one that is not there has had no event since Redis has its data")
    func keptForEver() throws {
        let reading = try #require(Self.reading([], exists: false, keepFor: 0))
        #expect(reading.floor == EventID("999-0"))
    }

    @Test("a beginning that is later than now, as after a clock that was set back, makes no position bad")
    func beginsLater() throws {
        let reading = try #require(Self.reading([], began: .bulkString("1764599999999"), exists: false))
        #expect(reading.floor == reading.position)
    }

    @Test("entries out of order, or one twice, are no reading")
    func disorder() {
        #expect(Self.reading(["5-1", "5-0"]) == nil)
        #expect(Self.reading(["5-0", "5-0"]) == nil)
    }

    @Test("a stream that was trimmed reaches back to its first event")
    func trimmed() throws {
        let reading = try #require(Self.reading(["1764499999000-0", "1764499999500-0"], added: 3))
        #expect(reading.floor == EventID("1764499999000-0"))
    }

    @Test("a stream whose events are all gone begins at its last id")
    func emptied() throws {
        let reading = try #require(Self.reading([], added: 4, last: "1764499999500-3"))
        #expect(reading.position == EventID("1764499999500-3"))
        #expect(reading.floor == EventID("1764499999500-3"))
    }

    @Test("no stream: the position is the moment before the reading, so that an event of the same millisecond is new")
    func missing() throws {
        for reading in [Self.reading([], exists: false), Self.reading([], added: 0)] {
            let reading = try #require(reading)
            #expect(reading.position == EventID("1764499999999-0"))
            #expect(reading.floor == EventID("1764496400000-0"))
            #expect(reading.events.isEmpty)
        }
    }

    @Test("nothing reaches back to before Redis had its data, be the stream there again or not")
    func beginning() throws {
        let began: RESPValue = .bulkString("1764499998000")
        let whole = try #require(Self.reading(["1764499999000-0"], began: began))
        #expect(whole.floor == EventID("1764499997999-0"))
        let missing = try #require(Self.reading([], began: began, exists: false))
        #expect(missing.floor == EventID("1764499997999-0"))
        // The mark itself is gone, or was made just now: a position of this very reading is good all the same.
        for began in [RESPValue.null, .bulkString("\(Self.now)")] {
            let reading = try #require(Self.reading([], began: began, exists: false))
            #expect(reading.floor == reading.position)
        }
    }

    @Test("replies in the form of RESP2 say the same")
    func oldProtocol() throws {
        let information: RESPValue = .array([
            .bulkString("last-generated-id"), .bulkString("5-0"), .bulkString("entries-added"), .integer(9),
        ])
        let reading = try #require(
            RedisHistoryReading(
                topic: "t", keepFor: .second,
                replies: [
                    .success(Self.time), .success(.null), .success(.array([Self.entry("5-0")])), .success(information),
                ]))
        #expect(reading.floor == EventID("5-0"))
    }

    @Test("a time far from ours and an endless keeping do not overflow")
    func extremes() {
        for (seconds, keepFor) in [("0", Nanoseconds.max), ("18446744073709551615", 0), ("18446744073709551615", -1)] {
            let reading = RedisHistoryReading(
                topic: "t", keepFor: keepFor,
                replies: [
                    .success(.array([.bulkString(seconds), .bulkString("0")])), .success(.bulkString("0")),
                    .success(.array([])), .failure(.error(code: "ERR", text: "ERR no such key")),
                ])
            #expect(reading != nil)
        }
    }

    @Test("a reply that is missing, failed or of another kind makes no reading", arguments: 0..<4)
    func faulty(_ index: Int) {
        let good: [Result<RESPValue, RedisFailure>] = [
            .success(Self.time), .success(.null), .success(.array([])),
            .failure(.error(code: "ERR", text: "ERR no such key")),
        ]
        #expect(RedisHistoryReading(topic: "t", keepFor: .second, replies: good) != nil)
        #expect(RedisHistoryReading(topic: "t", keepFor: .second, replies: Array(good.prefix(index))) == nil)
        let failures: [RedisFailure] = [
            .timedOut, .lost, .unavailable, .error(code: "NOPERM", text: "NOPERM this user has no permissions"),
        ]
        for failure in failures {
            var replies = good
            replies[index] = .failure(failure)
            #expect(RedisHistoryReading(topic: "t", keepFor: .second, replies: replies) == nil)
        }
        let strange: [RESPValue] = [.integer(1), .array([.integer(1)]), .map([]), .array([.bulkString("x"), .null])]
        for value in strange where index != 1 {
            var replies = good
            replies[index] = .success(value)
            #expect(RedisHistoryReading(topic: "t", keepFor: .second, replies: replies) == nil)
        }
    }

    @Test("a stream that vanished between two commands is read again, not taken for empty")
    func vanished() {
        let replies: [Result<RESPValue, RedisFailure>] = [
            .success(Self.time), .success(.null), .success(.array([Self.entry("5-0")])),
            .failure(.error(code: "ERR", text: "ERR no such key")),
        ]
        #expect(RedisHistoryReading(topic: "t", keepFor: .second, replies: replies) == nil)
    }

    // MARK: Events

    @Test("an entry that somebody else wrote is an event as far as it goes")
    func foreignEntry() throws {
        let event = try #require(Event(topic: "t", entry: Self.entry("5-6", [.bulkString("x"), .bulkString("y")])))
        #expect(event.id == EventID(milliseconds: 5, sequence: 6))
        #expect(event.name == "message")
        #expect(event.data.isEmpty)
        #expect(Event(topic: "t", entry: Self.entry("x")) == nil)
        #expect(Event(topic: "t", entry: .array([])) == nil)
        #expect(Event(topic: "t", entry: .null) == nil)
    }

    @Test(
        "a message with an id is taken apart, everything else is plain data",
        arguments: [
            ("@5-6 status\n{\"a\":1}", "5-6", "status", "{\"a\":1}"), ("@5-6 status\n", "5-6", "status", ""),
            ("@5-6 a\nb\nc", "5-6", "a", "b\nc"), ("{\"a\":1}", nil, "message", "{\"a\":1}"), ("", nil, "message", ""),
            ("@", nil, "message", "@"), ("@5-6 status", nil, "message", "@5-6 status"),
            ("@5-6\ndata", nil, "message", "@5-6\ndata"), ("@05-6 e\nd", nil, "message", "@05-6 e\nd"),
            ("@x y\nz", nil, "message", "@x y\nz"), ("@everybody come\n", nil, "message", "@everybody come\n"),
            ("@101-0 e\nd", nil, "message", "@101-0 e\nd"),
        ])
    func message(_ text: String, _ id: String?, _ name: String, _ data: String) {
        let event = Event(topic: "t", message: Array(text.utf8), latest: 100)
        #expect(event.id == id.flatMap { EventID($0) })
        #expect(event.name == name)
        #expect(String(decoding: event.data, as: UTF8.self) == data)
    }

    @Test("what is no UTF-8 is repaired, what is no JSON is text")
    func payloads() {
        let broken = Event(topic: "t", message: [0x22, 0xFF, 0x22])
        #expect(String(validatingUTF8: broken.data) == "\"\u{FFFD}\"")
        #expect(broken.isJSON)
        #expect(!Event(topic: "t", message: Array("{\"a\":1,\"a\":2}".utf8)).isJSON)
        #expect(!Event(topic: "t", message: []).isJSON)
    }
}

extension String {
    fileprivate init?(validatingUTF8 bytes: [UInt8]) {
        self.init(validating: bytes, as: UTF8.self)
    }
}
