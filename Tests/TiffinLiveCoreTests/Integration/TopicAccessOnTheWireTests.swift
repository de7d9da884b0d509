import Testing

@testable import TiffinLiveCore

/// Contract section 3: no rule, no access, and identity comes from the connection alone.
@Suite("Topics and messages on the wire")
struct TopicAccessOnTheWireTests {
    private static let settings = ["limits.messages={rate:0,burst:0}", LiveServer.feeds]

    // B49
    @Test("no spelling of another user's topic gets one of their events")
    func othersTopics() throws {
        let server = try LiveServer(Self.settings)
        let other = try server.rider("5522")
        let client = try server.rider("5521")
        let publisher = try NumberedPublisher(adminPort: server.adminPort, topic: "riders:5522")
        let topics = [
            "riders:5522", "riders:5522*", "riders:*", "riders:{rider}", "RIDERS:5522", "riders:5521/../5522",
            "riders%3A5522", "riders:5522\\u0000", "riders: 5522", "riders:5521,riders:5522", "riders:", "", ":", "*",
            "orders:1", "feeds:", "feeds:a b", String(repeating: "r", count: 10 << 10), "riders:5521 ", " riders:5522",
        ]
        for topic in topics {
            try client.sendText(#"{"type":"subscribe","topic":"\#(topic)","ref":"r"}"#)
            let answer = try client.receiveText()
            #expect(answer.hasPrefix(#"{"type":"error","error":"forbidden","topic":"#), "\(topic): \(answer)")
            #expect(answer.hasSuffix(#","ref":"r"}"#))
        }
        try client.sendText(#"{"type":"subscribe","topic":"riders:5522","user_id":"5522","sub":"5522"}"#)
        #expect(try client.receiveText().contains("forbidden"))
        for _ in 0..<100 { #expect(try other.receiveText().contains(#""topic":"riders:5522""#)) }
        publisher.stop()
        // Still there, and nothing else on the line.
        try client.sendText(#"{"type":"ping","ref":1}"#)
        #expect(try client.receiveText() == #"{"type":"pong","ref":1}"#)
    }

    // B49
    @Test("topics of a connection are counted, and ten thousand more are refused one by one")
    func manyTopics() throws {
        let server = try LiveServer(Self.settings)
        let client = try server.rider()
        var answers: [String: Int] = [:]
        for start in stride(from: 0, to: 10_000, by: 100) {
            for topic in start..<start + 100 { try client.sendText(#"{"type":"subscribe","topic":"feeds:\#(topic)"}"#) }
            for _ in 0..<100 {
                let answer = try JSONReader.read(Array(try client.receiveText().utf8))
                answers[answer["error"]?.stringValue ?? answer["type"]?.stringValue ?? "", default: 0] += 1
            }
        }
        // The rider's own is one of the 32.
        #expect(answers == ["subscribed": 31, "too_many_topics": 9969])
        try client.sendText(#"{"type":"unsubscribe","topic":"feeds:0"}"#)
        #expect(try client.receiveText() == #"{"type":"unsubscribed","topic":"feeds:0"}"#)
        try client.sendText(#"{"type":"subscribe","topic":"feeds:40"}"#)
        #expect(try client.receiveText().contains("subscribed"))
        try server.publish("feeds:0", "0")
        try server.publish("feeds:40", "40")
        #expect(try client.receiveText().contains(#""topic":"feeds:40""#))
    }

    @Test("an owner decides about an order, and a look-up that nobody can answer denies")
    func owners() throws {
        let server = try LiveServer(Self.settings)
        try server.admin("/store", #"{"command":["HSET","order:1","customer_id","7001"]}"#)
        try server.admin("/store", #"{"command":["SET","order:3","no hash"]}"#)
        let client = try server.connect()
        try client.openWebSocket("/orders/1/events", token: server.token("7001", role: "customer"))
        _ = try client.receiveText(containing: "welcome")
        for (order, error) in [("2", "forbidden"), ("3", "unavailable")] {
            try client.sendText(#"{"type":"subscribe","topic":"orders:\#(order)"}"#)
            #expect(try client.receiveText() == #"{"type":"error","error":"\#(error)","topic":"orders:\#(order)"}"#)
        }
        for (order, status) in [("1", 403), ("2", 403), ("3", 503)] {
            let token = server.token("7002", role: "customer")
            let response = try server.connect().upgrade(
                "/orders/\(order)/events", headers: [("Authorization", "Bearer \(token)")])
            #expect(response.status == status)
        }
        let rider = try server.connect().upgrade(
            "/orders/1/events", headers: [("Authorization", "Bearer \(server.token("7001"))")])
        #expect(rider.status == 403)
    }

    @Test("an application message goes to the backends under the connection's identity only")
    func inbound() throws {
        let server = try LiveServer(Self.settings)
        let early = try server.rider()
        try early.sendText(#"{"type":"accept","ref":"0","offer":1}"#)
        #expect(try early.receiveText() == #"{"type":"ack","ref":"0"}"#)
        let watcher = try server.adminClient().openEventStream("/inbound")
        let client = try server.rider("5522")
        let claim = #""user_id":"1","rider_id":2,"customer_id":3,"restaurant_id":4,"sub":"5""#
        try client.sendText(#"{"type":"accept","ref":7,"offer":981,\#(claim),"nested":{"user_id":"kept"}}"#)
        #expect(try client.receiveText() == #"{"type":"ack","ref":7}"#)
        let first = try JSONReader.read(Array(try #require(try watcher.nextEvent()?.data).utf8))
        #expect(first["user"]?.stringValue == "5521")
        #expect(first["ref"]?.stringValue == "0")
        let second = try JSONReader.read(Array(try #require(try watcher.nextEvent()?.data).utf8))
        #expect(second["user"]?.stringValue == "5522")
        #expect(second["role"]?.stringValue == "rider")
        #expect(second["type"]?.stringValue == "accept")
        #expect(second["ref"]?.numberValue?.int64 == 7)
        #expect(second["connection"]?.stringValue?.utf8.count == 16)
        #expect(second["at"]?.stringValue?.hasSuffix("Z") == true)
        let body = try #require(second["body"]?.objectValue)
        #expect(body.members.map(\.name) == ["type", "ref", "offer", "nested"])
        #expect(body["nested"]?["user_id"]?.stringValue == "kept")
    }

    @Test("what is no message is answered so, and a binary one ends the connection")
    func badMessages() throws {
        let server = try LiveServer(Self.settings)
        let client = try server.rider()
        for text in ["", "x", "[]", "7", #"{"ref":1}"#, #"{"type":7}"#, #"{"type":"a","type":"b"}"#, #"{"type":""}"#] {
            try client.sendText(text)
            #expect(try client.receiveText().hasPrefix(#"{"type":"error","error":"bad_message""#), "\(text)")
        }
        try client.sendBinary([1, 2, 3])
        #expect(try client.expectCloseAndEnd().code == 1003)
        let customer = try server.connect()
        try server.admin("/store", #"{"command":["HSET","order:1","customer_id","7001"]}"#)
        try customer.openWebSocket("/orders/1/events", token: server.token("7001", role: "customer"))
        _ = try customer.receiveText(containing: "welcome")
        try customer.sendText(#"{"type":"accept","ref":"7"}"#)
        #expect(try customer.receiveText() == #"{"type":"error","error":"not_accepted","ref":"7"}"#)
    }

    @Test("who sends too many messages is closed with 4029")
    func rate() throws {
        let server = try LiveServer(["limits.messages={rate:5,burst:10}"])
        let client = try server.rider()
        for _ in 0..<11 { try client.sendText(#"{"type":"ping"}"#) }
        for _ in 0..<10 { #expect(try client.receiveText() == #"{"type":"pong"}"#) }
        #expect(try client.expectCloseAndEnd().code == 4029)
    }
}
