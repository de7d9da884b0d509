import Testing

@testable import TiffinLiveCore

/// Peers that go away without a word, in every state.
@Suite("Connections that are abandoned")
struct AbandonedConnectionTests {
    // B16
    @Test("a thousand that end with FIN or RST leave one line each, and nothing behind")
    func thousand() throws {
        let server = try LiveServer([LiveServer.feeds, "limits.perUser=0", "limits.messages={rate:0,burst:0}"])
        let token = server.token()
        var clients: [RawClient] = []
        for _ in 0..<1000 {
            let client = try server.connect()
            try client.openWebSocket("/rider/socket", token: token)
            for feed in 1...4 { try client.sendText(#"{"type":"subscribe","topic":"feeds:\#(feed)"}"#) }
            clients.append(client)
        }
        for client in clients { _ = try client.receiveText(containing: #""topic":"feeds:4""#) }
        #expect(try server.openConnections() == 1000)
        var unfinished: [RawClient] = []
        for index in 0..<200 {
            let client = try server.connect()
            let request = RawClient.upgradeRequest("/rider/socket", headers: [("Authorization", "Bearer \(token)")])
            try client.send(Array(request.prefix(index * request.count / 200)))
            unfinished.append(client)
        }
        let half = RawFrame(opcode: RawFrame.text, payload: Array(#"{"type":"ping"}"#.utf8)).encoded(key: [1, 2, 3, 4])
        for (index, client) in (clients + unfinished).enumerated() {
            if index % 4 >= 2, index < 1000 { try client.send(Array(half.prefix(1 + index % (half.count - 1)))) }
            if index % 2 == 0 { client.reset() } else { client.close() }
        }
        #expect(try LiveServer.eventually { try server.openConnections() == 0 })
        #expect(try server.adminGet("/connections").text == "[]")
        // Nobody is left to deliver to, and no timer of theirs has anything to do.
        for feed in 1...4 { try server.publish("feeds:\(feed)", "1") }
        #expect(try server.metric("tiffin_live_events_delivered_total") == 0)
        server.stop()
        let opened = server.logged("connection", of: "connection_opened")
        let closed = server.logged("connection", of: "connection_closed")
        #expect(opened.count == 1000)
        #expect(closed.count == 1000)
        #expect(Set(opened).count == 1000)
        #expect(Set(opened) == Set(closed))
        let reasons = Set(server.logged("reason", of: "connection_closed"))
        #expect(reasons.isSubset(of: ["peer_gone", "connection_reset"]))
    }

    @Test("event streams that are left are gone at once, also in the midst of events")
    func eventStreams() throws {
        let server = try LiveServer(["limits.perUser=0"])
        try server.admin("/store", #"{"command":["HSET","order:1","customer_id","7001"]}"#)
        let token = server.token("7001", role: "customer")
        let publisher = try NumberedPublisher(adminPort: server.adminPort, topic: "orders:1")
        var clients: [RawClient] = []
        for _ in 0..<100 {
            let client = try server.connect()
            _ = try client.openEventStream("/orders/1/events", token: token).nextEvent()
            clients.append(client)
        }
        for (index, client) in clients.enumerated() {
            switch index % 3 {
            case 0: client.reset()
            case 1: client.close()
            default: client.finishSending()
            }
        }
        #expect(try LiveServer.eventually { try server.openConnections() == 0 })
        publisher.stop()
        for (index, client) in clients.enumerated() where index % 3 == 2 {
            _ = try client.receiveToEnd()
            #expect(client.end == .finished)
        }
        server.stop()
        #expect(server.logLines("connection_closed").count == 100)
    }
}
