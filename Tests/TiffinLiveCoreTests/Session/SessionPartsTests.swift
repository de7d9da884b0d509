import Testing

@testable import TiffinLiveCore

@Suite("The small parts of a session")
struct SessionPartsTests {
    private static func event(_ number: Int) -> Event {
        Event(topic: "t", id: nil, data: Array("\(number)".utf8), isJSON: true)
    }

    @Test("a backlog gives its events in order, also those that come while it is being emptied")
    func backlog() {
        let backlog = Backlog((0..<3).map(Self.event))
        var taken: [[UInt8]] = []
        var next = 3
        while let event = backlog.popFirst() {
            taken.append(event.data)
            if next < 10 {
                backlog.append(contentsOf: [Self.event(next)])
                next += 1
            }
            #expect(backlog.count == next - taken.count)
        }
        #expect(backlog.isEmpty)
        #expect(taken == (0..<10).map { Self.event($0).data })
        #expect(backlog.popFirst() == nil)
    }

    @Test("positions advance by topic and are written in the route's order")
    func positions() {
        let zero = EventID(milliseconds: 0, sequence: 0)
        let positions = TopicPositions([("b", zero), ("a", zero), ("c", EventID(milliseconds: 3, sequence: 1))])
        positions.advance("a", to: EventID(milliseconds: 5, sequence: 6))
        positions.advance("unknown", to: EventID(milliseconds: 9, sequence: 9))
        let buffer = ByteBuffer()
        positions.append(to: buffer)
        #expect(String(decoding: buffer.array, as: UTF8.self) == "0-0,5-6,3-1")
    }

    @Test("the loop's random numbers are those of SplitMix64, and the same for the same seed")
    func random() {
        var random = LoopRandom(seed: 0)
        #expect(random.next() == 0xE220_A839_7B1D_CDAF)
        #expect(random.next() == 0x6E78_9E6A_A1B9_65F4)
        var one = LoopRandom(seed: 42)
        var other = LoopRandom(seed: 42)
        for _ in 0..<100 { #expect(one.next() == other.next()) }
    }

    @Test("a pending question is answered when no look-up is open")
    func pendingQuestion() {
        let lookup = OwnerLookup(topic: "t", command: ["GET", "x"], user: "1", asksAboutUser: false)
        let pending = PendingQuestion(
            .subscription(topic: "t", after: nil, ref: nil),
            checks: [.init(topic: "a", isGranted: true), .init(topic: "t", lookup: lookup)])
        #expect(!pending.isAnswered)
        pending.checks[1].lookup = nil
        #expect(pending.isAnswered)
    }

    @Test("the Date line changes once a second, and follows a clock that is set back")
    func date() throws {
        let harness = try SessionHarness()
        func line() throws -> String? {
            let client = try harness.connect()
            client.send(SessionHarness.request("GET", "/healthz"))
            return try client.response().only("Date")
        }
        #expect(try line() == "Sun, 30 Nov 2025 12:00:00 GMT")
        harness.advance(by: 999 * .millisecond)
        #expect(try line() == "Sun, 30 Nov 2025 12:00:00 GMT")
        harness.advance(by: .millisecond)
        #expect(try line() == "Sun, 30 Nov 2025 12:00:01 GMT")
        harness.stepWall(by: -86_400 * .second)
        #expect(try line() == "Sat, 29 Nov 2025 12:00:01 GMT")
    }

    @Test("a session knows whether it is open, known and wants input, in every phase")
    func phases() throws {
        let harness = try SessionHarness()
        harness.attachments = .later
        let client = try harness.connect()
        #expect(!client.session.isOpen && !client.session.isKnown && client.session.wantsInput)
        client.send(SessionHarness.upgrade("/rider/socket", token: harness.token()))
        #expect(!client.session.isOpen && client.session.isKnown)
        #expect(!client.session.wasOpen)
        harness.answerAttachments()
        #expect(client.session.isOpen && client.session.isKnown && client.session.wasOpen)
        client.send(.close(1000))
        #expect(!client.session.isOpen && !client.session.isKnown && !client.session.isClosed)
        client.sendEnd()
        #expect(client.session.isClosed && client.session.wasOpen)
    }

    @Test("a session's slot is the lower half of its handle")
    func slot() throws {
        let context = try SessionHarness().context
        let session = Session(handle: 0xFFFF_0001_0000_0007, client: IPAddress(version4: 0), context: context)
        #expect(session.slot == 7)
        #expect(session.framing == .webSocket)
    }

    @Test("whatever way sessions end, nothing of them stays in the loop's registers (B71)", arguments: 0..<10)
    func nothingStays(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let harness = try SessionHarness()
        for _ in 0..<50 {
            harness.attachments = Bool.random(using: &random) ? .atOnce : .later
            harness.lookUps = Bool.random(using: &random) ? .atOnce : .later
            harness.own("123", by: "7001")
            let client = try harness.connect()
            let customer = harness.token("7001", role: "customer")
            switch Int.random(in: 0..<3, using: &random) {
            case 0: client.send(SessionHarness.upgrade("/rider/socket", token: harness.token()))
            case 1: client.send(SessionHarness.stream("/orders/123/events", token: customer))
            default: client.send(SessionHarness.upgrade("/orders/123/events", token: customer))
            }
            if Bool.random(using: &random) { harness.answerLookUps() }
            if Bool.random(using: &random) { harness.answerAttachments() }
            harness.publish("orders:123", "1")
            client.room = Bool.random(using: &random) ? nil : 40
            switch Int.random(in: 0..<6, using: &random) {
            case 0: client.sendEnd()
            case 1: client.reset()
            case 2: client.send(.close(1000))
            case 3: client.send([0xFF, 0xFF])
            case 4: client.perform { $0.disconnect(.restart, $1) }
            default: harness.advance(seconds: 1000)
            }
            client.drain()
            harness.answerLookUps()
            harness.answerAttachments()
            harness.advance(seconds: 1000)
            #expect(client.session.isClosed)
            #expect(client.ended == 1)
        }
        #expect(harness.context.topics.subscriptionCount == 0)
        #expect(harness.context.topics.count == 0)
        #expect(harness.context.output.isEmpty)
        #expect(harness.context.actions.isEmpty)
    }
}
