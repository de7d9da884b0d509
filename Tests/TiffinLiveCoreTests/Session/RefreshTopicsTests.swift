import Testing

@testable import TiffinLiveCore

@Suite("Contract 7.4: a refresh authorizes the topics again")
struct RefreshTopicsTests {
    private static func staff(_ harness: SessionHarness, _ restaurants: [String], ttl: Int64 = 900) -> String {
        harness.token(
            "1", role: "restaurant", ttl: ttl, extra: ["restaurants": .array(restaurants.map { .string($0) })])
    }

    private func open(_ harness: SessionHarness, subscribing: [String] = []) throws -> HarnessClient {
        let client = try harness.openWebSocket(
            "/restaurants/88/events", token: Self.staff(harness, ["88", "89", "90"]))
        for topic in subscribing {
            client.send(text: #"{"type":"subscribe","topic":"\#(topic)"}"#)
            #expect(try client.message()["type"] == "subscribed")
        }
        return client
    }

    @Test("what the new token does not give is dropped and named")
    func lost() throws {
        let harness = try SessionHarness()
        let client = try open(harness, subscribing: ["restaurants:89", "restaurants:90"])
        client.send(text: RefreshTests.auth(Self.staff(harness, ["88"], ttl: 500)))
        #expect(
            try client.texts() == [
                #"{"type":"auth","ok":true,"expires_in":500,"lost":["restaurants:89","restaurants:90"]}"#
            ])
        #expect(client.topics == ["restaurants:88"])
        #expect(client.unlistened == ["restaurants:89", "restaurants:90"])
        harness.publish("restaurants:89", "1")
        #expect(client.pending.isEmpty)
        harness.publish("restaurants:88", "1")
        #expect(try client.message()["topic"] == "restaurants:88")
    }

    @Test("when everything is lost the connection ends with 4004")
    func allLost() throws {
        let harness = try SessionHarness()
        let client = try open(harness)
        client.send(text: RefreshTests.auth(Self.staff(harness, ["7"])))
        let close = try client.close(passingOverMessages: true)
        #expect(close.code == 4004)
        #expect(close.reason == "forbidden")
        #expect(client.topics.isEmpty)
    }

    @Test("a connection that had no topic loses nothing")
    func nothingToLose() throws {
        let harness = try SessionHarness([#"routes={"/any":{transports:["websocket"],topics:[]}}"#])
        let client = try harness.openWebSocket("/any")
        client.send(text: RefreshTests.auth(harness.token(ttl: 100)))
        #expect(try client.texts() == [#"{"type":"auth","ok":true,"expires_in":100}"#])
        #expect(client.session.isOpen)
    }

    private func courier(_ harness: SessionHarness) throws -> HarnessClient {
        harness.own("123", by: "7001")
        return try harness.openWebSocket("/orders/123/events", token: harness.token("7001", role: "customer"))
    }

    @Test("owners are asked again once the answer has aged, and input waits for them in order")
    func lookUp() throws {
        let harness = try SessionHarness()
        let client = try courier(harness)
        harness.advance(seconds: 10)
        harness.lookUps = .later
        client.send(
            .text(RefreshTests.auth(harness.token("7001", role: "customer", ttl: 700))),
            .text(#"{"type":"ping","ref":1}"#), .ping("A"))
        #expect(client.pending.isEmpty)
        harness.answerLookUps()
        let frames = try client.frames()
        #expect(
            frames.map(\.text) == [
                #"{"type":"auth","ok":true,"expires_in":700}"#, #"{"type":"pong","ref":1}"#, "A",
            ])
    }

    @Test(
        "a failed or late look-up refuses the refresh as unavailable; topics and deadline stay",
        arguments: [true, false])
    func lookUpFails(late: Bool) throws {
        let harness = try SessionHarness(["expiry.jitter=\"0s\"", "expiry.warning=\"0s\""])
        let client = try courier(harness)
        harness.advance(seconds: 10)
        harness.lookUps = late ? .later : .failing
        client.send(text: RefreshTests.auth(harness.token("7001", role: "customer", ttl: 3000)))
        if late { harness.advance(by: 500 * .millisecond) }
        #expect(try client.texts() == [#"{"type":"auth","ok":false,"error":"unavailable"}"#])
        #expect(client.topics == ["orders:123"])
        harness.answerLookUps()
        #expect(client.pending.isEmpty, "an answer that comes too late changes nothing")
        harness.advance(seconds: 891)
        #expect(try client.close().code == 4001)
    }

    @Test("a topic that was lost to another owner is dropped, and 4004 when it was the only one")
    func newOwner() throws {
        let harness = try SessionHarness()
        let client = try courier(harness)
        harness.advance(seconds: 10)
        harness.own("123", by: "7002")
        client.send(text: RefreshTests.auth(harness.token("7001", role: "customer")))
        let frames = try client.frames()
        #expect(frames.first?.text.contains(#""lost":["orders:123"]"#) == true)
        #expect(frames.last?.payload.prefix(2).elementsEqual([0x0F, 0xA4]) == true)
    }

    @Test("the deadline passes while the owner is looked up: closed at the old time, and never acknowledged (B43)")
    func deadlineWhileLookingUp() throws {
        let harness = try SessionHarness(["expiry.jitter=\"0s\"", "expiry.warning=\"0s\""])
        let client = try courier(harness)
        harness.advance(seconds: 899.8)
        harness.lookUps = .later
        client.send(text: RefreshTests.auth(harness.token("7001", role: "customer", ttl: 900)))
        harness.advance(by: 200 * .millisecond)
        #expect(try client.close().code == 4001)
        harness.answerLookUps()
        #expect(client.pending.isEmpty)
        #expect(client.refreshed.isEmpty)
    }

    @Test("a revocation while the owner is looked up refuses the new token or closes the connection")
    func revocationWhileLookingUp() throws {
        for selector in [#"{"jti":"new"}"#, #"{"user_id":"7001"}"#] {
            let harness = try SessionHarness()
            let client = try courier(harness)
            harness.advance(seconds: 10)
            harness.lookUps = .later
            client.send(text: RefreshTests.auth(harness.token("7001", role: "customer", jti: "new")))
            try harness.revoke(selector)
            harness.answerLookUps()
            if selector.contains("jti") {
                #expect(try client.message()["error"] == "revoked")
                #expect(client.session.isOpen)
            } else {
                #expect(try client.close().code == 4003)
            }
        }
    }

    @Test("a refresh within milliseconds of the close ends in exactly one of two ways (B43)", arguments: 0..<100)
    func race(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let harness = try SessionHarness(seed: UInt64(seed))
        let client = try harness.openWebSocket(token: harness.token(ttl: 4))
        let offset = Nanoseconds.random(in: -20...20, using: &random) * .millisecond
        harness.advance(by: max(0, client.session.deadlines.close - harness.now.monotonic + offset))
        let isOpen = client.session.isOpen
        client.send(text: RefreshTests.auth(harness.token(ttl: 900)))
        let text = String(decoding: client.pending, as: UTF8.self)
        #expect(text.contains(#""ok":true"#) == isOpen)
        #expect(text.contains("token_expired") == !isOpen)
        harness.advance(seconds: 700)
        #expect(client.session.isOpen == isOpen)
        harness.advance(seconds: 200)
        #expect(!client.session.isOpen)
    }

    @Test("a late failure of an earlier question is no answer to a later one")
    func lateFailure() throws {
        let harness = try SessionHarness()
        let client = try courier(harness)
        harness.own("124", by: "7001")
        harness.lookUps = .later
        client.send(text: #"{"type":"subscribe","topic":"orders:124"}"#)
        harness.advance(by: 500 * .millisecond)
        #expect(try client.message()["error"] == "unavailable")
        harness.own("125", by: "7001")
        client.send(text: #"{"type":"subscribe","topic":"orders:125"}"#)
        let asked = try #require(harness.lookUpsSent.first { $0.topic == "orders:124" })
        client.perform { $0.lookUpCompleted(asked, isGranted: nil, $1) }
        #expect(client.pending.isEmpty)
        client.perform { $0.lookUpCompleted(asked, isGranted: false, $1) }
        #expect(client.pending.isEmpty)
        harness.answerLookUps()
        #expect(try client.message()["topic"] == "orders:125")
    }
}
