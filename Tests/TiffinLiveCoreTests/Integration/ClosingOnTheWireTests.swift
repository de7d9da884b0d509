import Glibc
import Testing

@testable import TiffinLiveCore

/// Contract section 6: a close is the last thing said, then FIN, never a reset.
@Suite("Closing an open connection")
struct ClosingOnTheWireTests {
    private static let settings = [
        #"expiry.jitter="0s""#, #"expiry.warning="0s""#, "limits.messages={rate:0,burst:0}", "limits.perUser=0",
    ]

    // B11
    @Test("an unsent close arrives after the event that is half sent, then FIN", arguments: [false, true])
    func unsentClose(throughProxy: Bool) throws {
        let server = try LiveServer(Self.settings)
        let proxy = throughProxy ? try DroppingProxy(to: server.port) : nil
        let expiresAt = server.now + 8
        let token = server.tokens.token(exp: expiresAt, iat: server.now)
        var clients: [RawClient] = []
        for _ in 0..<Volume.count(6, full: 25) {
            let client = try RawClient(port: proxy?.port ?? server.port, receiveBuffer: 4096)
            try client.openWebSocket("/rider/socket", token: token)
            _ = try client.receiveText(containing: "welcome")
            clients.append(client)
        }
        try Self.fillQueues(of: clients.count, server)
        // Input without pause until the token has ended, and a little more.
        while Clock.now().wall < expiresAt * .second + 200 * .millisecond {
            for client in clients { try client.sendPing("still here") }
        }
        for client in clients {
            let close = try client.expectCloseAndEnd(passingOverMessages: true)
            #expect(close.code == 4001)
        }
    }

    /// Publishes until output waits for every one of them, well below the limit.
    private static func fillQueues(of count: Int, _ server: LiveServer) throws {
        let data = #""\#(String(repeating: "x", count: 16_000))""#
        let enough = 64 << 10
        for _ in 0..<2000 {
            let list = try JSONReader.read(try server.adminGet("/connections").body).arrayValue ?? []
            let queued = list.compactMap { $0["queued"]?.numberValue?.int64 }
            try #require(queued.count == count)
            if queued.allSatisfy({ $0 >= enough }) { return }
            try server.publish("riders:5521", data)
        }
        Issue.record("the queues do not fill")
    }

    @Test("what is half sent is ended when its client was revoked, and the rest is dropped")
    func unsentRevocation() throws {
        let server = try LiveServer(Self.settings)
        let client = try server.rider(receiveBuffer: 4096)
        try Self.fillQueues(of: 1, server)
        try server.admin("/revoke", #"{"user_id":"5521"}"#)
        for _ in 0..<100 { try client.sendPing("still here") }
        #expect(try client.expectCloseAndEnd(passingOverMessages: true).code == 4003)
    }

    @Test("a client that has sent Close and FIN still gets everything that waits for it")
    func clientEndsFirst() throws {
        let server = try LiveServer(Self.settings)
        let client = try server.rider(receiveBuffer: 4096)
        try Self.fillQueues(of: 1, server)
        try client.sendClose(1000)
        client.finishSending()
        let close = try client.expectClose(passingOverMessages: true)
        #expect(close.code == 1000)
        #expect(try client.expectEnd() == .finished)
    }

    /// What ends a connection in the midst of events.
    enum Cause: CaseIterable {
        case expiry, revocation, drain, disconnect

        var code: Int {
            switch self {
            case .expiry: 4001
            case .revocation: 4003
            case .drain, .disconnect: 1012
            }
        }
    }

    // B13
    @Test("there is exactly one close in the midst of events, and nothing after it", arguments: Cause.allCases)
    func nothingAfterClose(_ cause: Cause) throws {
        let server = try LiveServer(Self.settings)
        try server.admin("/store", #"{"command":["HSET","order:1","customer_id","7001"]}"#)
        let token = server.token("7001", role: "customer", ttl: cause == .expiry ? 8 : 900)
        let publisher = try NumberedPublisher(adminPort: server.adminPort, topic: "orders:1")
        var sockets: [RawClient] = []
        var streams: [RawEventStream] = []
        for _ in 0..<8 {
            let socket = try server.connect()
            try socket.openWebSocket("/orders/1/events", token: token)
            sockets.append(socket)
            streams.append(try server.connect().openEventStream("/orders/1/events", token: token))
        }
        for socket in sockets { _ = try socket.receiveText(containing: #""number""#) }
        switch cause {
        case .expiry: break
        case .revocation: try server.admin("/revoke", #"{"user_id":7001}"#)
        case .drain: server.running.stop()
        case .disconnect: try server.admin("/disconnect", #"{"user":"7001"}"#)
        }
        for socket in sockets {
            #expect(try socket.expectCloseAndEnd(passingOverMessages: true).code == cause.code)
        }
        for stream in streams {
            let close = try #require(try stream.nextEvent(named: "close")?.data)
            #expect(close.hasPrefix(#"{"code":\#(cause.code),"reason":""#))
            #expect(try stream.nextBlock() == nil)
            #expect(stream.ending == .lastChunk)
        }
        publisher.stop()
    }

    // B14
    @Test("pings that cross the close are no fault")
    func pingsCross() throws {
        let server = try LiveServer(Self.settings)
        let expiresAt = server.now + 2
        let client = try server.connect()
        try client.openWebSocket("/rider/socket", token: server.tokens.token(exp: expiresAt, iat: server.now))
        _ = try client.receiveText(containing: "welcome")
        LiveServer.sleep(until: expiresAt * .second - 100 * .millisecond)
        for _ in 0..<100 {
            try client.sendPing("p")
            usleep(1500)
        }
        #expect(try client.expectCloseAndEnd(passingOverMessages: true).code == 4001)
        server.stop()
        #expect(!server.logText().contains(#""level":"error""#))
    }

    // B17
    @Test("what came before a Close with FIN was done")
    func closeWithEnd() throws {
        let server = try LiveServer(Self.settings)
        let client = try server.rider()
        let subscription = RawFrame(
            opcode: RawFrame.text, payload: Array(#"{"type":"accept","ref":1}"#.utf8))
        let close = RawFrame(opcode: RawFrame.close, payload: RawFrame.closePayload(1000))
        let key = client.maskingKey
        try client.send(subscription.encoded(key: key) + close.encoded(key: key))
        client.finishSending()
        #expect(try client.expectClose(passingOverMessages: true).code == 1000)
        #expect(try client.expectEnd() == .finished)
        #expect(try server.metric("tiffin_live_messages_handed_over_total") == 1)
        #expect(try LiveServer.eventually { server.logLines("connection_closed").count == 1 })
        let line = try #require(server.logLines("connection_closed").first)
        #expect(line["code"]?.numberValue?.int64 == 1000)
        #expect(line["reason"]?.stringValue == "client_closed")
    }

    // B17
    @Test("a subscription in the same bytes as Close and FIN is answered first")
    func subscriptionWithClose() throws {
        let server = try LiveServer(Self.settings + [LiveServer.feeds])
        let client = try server.rider()
        let subscription = RawFrame(
            opcode: RawFrame.text, payload: Array(#"{"type":"subscribe","topic":"feeds:1"}"#.utf8))
        let close = RawFrame(opcode: RawFrame.close, payload: RawFrame.closePayload(1000))
        let key = client.maskingKey
        try client.send(subscription.encoded(key: key) + close.encoded(key: key))
        client.finishSending()
        #expect(try client.receiveText().hasPrefix(#"{"type":"subscribed","topic":"feeds:1""#))
        #expect(try client.expectClose().code == 1000)
        #expect(try client.expectEnd() == .finished)
    }

    // B17
    @Test("a Close between the fragments of a message is a Close")
    func closeInsideMessage() throws {
        let server = try LiveServer(Self.settings)
        let client = try server.rider()
        try client.send(RawFrame(opcode: RawFrame.text, payload: Array(#"{"type":"#.utf8), isFinal: false))
        try client.sendClose(1000)
        client.finishSending()
        #expect(try client.expectClose().code == 1000)
        #expect(try client.expectEnd() == .finished)
    }
}
