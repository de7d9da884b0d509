import Glibc
import Testing

@testable import TiffinLiveCore

/// Contract sections 7.2 to 7.5: deadlines as clients and logs see them.
@Suite("Expiry and refresh on the wire")
struct ExpiryOnTheWireTests {
    private static let settings = [
        #"expiry.jitter="0s""#, #"expiry.warning="0s""#, "limits.messages={rate:0,burst:0}", "limits.perUser=0",
    ]

    private static func server(_ more: [String] = [], clock: SteppedClock? = nil) throws -> LiveServer {
        let server = try LiveServer(settings + more, clock: clock)
        try server.admin("/store", #"{"command":["HSET","order:1","customer_id","7001"]}"#)
        return server
    }

    private static func refresh(_ client: RawClient, _ token: String) throws {
        try client.sendText(#"{"type":"auth","token":"\#(token)"}"#)
    }

    // B41
    @Test("who only listens gets nothing that was published after the token's end")
    func silentListeners() throws {
        let server = try Self.server()
        let expiresAt = server.now + 6
        let token = server.tokens.token(sub: "7001", role: "customer", exp: expiresAt, iat: server.now)
        let publisher = try NumberedPublisher(adminPort: server.adminPort, topic: "orders:1")
        let socket = try server.connect()
        try socket.openWebSocket("/orders/1/events", token: token)
        let stream = try server.connect().openEventStream("/orders/1/events", token: token)
        var stamps: [Int64] = []
        var code: Int?
        while code == nil {
            let frame = try socket.receiveFrame()
            if frame.opcode == RawFrame.close {
                code = Int(frame.payload[0]) << 8 | Int(frame.payload[1])
            } else if let event = NumberedPublisher.read(try JSONReader.read(frame.payload)["data"]) {
                stamps.append(event.at)
            }
        }
        #expect(code == 4001)
        var last = RawEvent()
        while let event = try stream.nextEvent() {
            last = event
            if let event = NumberedPublisher.read(try JSONReader.read(Array((event.data ?? "").utf8))) {
                stamps.append(event.at)
            }
        }
        #expect(last.event == "close")
        #expect(last.data == #"{"code":4001,"reason":"token_expired"}"#)
        #expect(stream.ending == .lastChunk)
        publisher.stop()
        #expect(stamps.count > 100)
        #expect(stamps.allSatisfy { $0 < expiresAt * 1000 })
    }

    @Test("a fleet that shares one exp is closed over the whole window, nobody after exp")
    func spread() throws {
        let server = try Self.server([#"expiry.jitter="2s""#])
        let expiresAt = server.now + 9
        let token = server.tokens.token(sub: "7001", role: "customer", exp: expiresAt, iat: server.now)
        var sockets: [RawClient] = []
        var streams: [RawEventStream] = []
        for _ in 0..<150 {
            let socket = try server.connect()
            try socket.openWebSocket("/orders/1/events", token: token)
            sockets.append(socket)
            streams.append(try server.connect().openEventStream("/orders/1/events", token: token))
        }
        for socket in sockets { #expect(try socket.expectCloseAndEnd(passingOverMessages: true).code == 4001) }
        for stream in streams {
            #expect(try stream.nextEvent(named: "close")?.data == #"{"code":4001,"reason":"token_expired"}"#)
            #expect(try stream.nextBlock() == nil)
            #expect(stream.ending == .lastChunk)
        }
        #expect(try LiveServer.eventually { server.logLines("connection_closed").count == 300 })
        let moments = server.logged("at", of: "connection_closed").sorted()
        func text(_ beforeEnd: Nanoseconds) -> String { LogTimestamp.text(wall: expiresAt * .second - beforeEnd) }
        #expect(try #require(moments.first) >= text(2100 * .millisecond))
        #expect(try #require(moments.last) <= text(0))
        for quarter in 0..<4 {
            let start = text(Int64(2000 - quarter * 500) * .millisecond)
            let end = text(Int64(1500 - quarter * 500) * .millisecond)
            #expect(moments.count { $0 >= start && $0 < end } > 30, "quarter \(quarter)")
        }
        #expect(server.logged("reason", of: "connection_closed").allSatisfy { $0 == "token_expired" })
    }

    // B43
    @Test("a refresh around the end is either taken for good or too late, never both")
    func race() throws {
        let server = try Self.server()
        let expiresAt = server.now + 8
        let first = server.tokens.token(exp: expiresAt, iat: server.now)
        let second = server.token(ttl: 900)
        var clients: [RawClient] = []
        for _ in 0..<500 {
            let client = try server.connect()
            try client.openWebSocket("/rider/socket", token: first)
            _ = try client.receiveText(containing: "welcome")
            clients.append(client)
        }
        // The close is decided 50 ms before the end; the refreshes are sent around that moment.
        for (index, client) in clients.enumerated() {
            LiveServer.sleep(
                until: expiresAt * .second - 70 * .millisecond + Int64(index) * 40 * .millisecond / 500)
            try Self.refresh(client, second)
        }
        LiveServer.sleep(until: (expiresAt + 1) * .second)
        var (taken, late) = (0, 0)
        for client in clients {
            let frame = try client.receiveFrame()
            if frame.opcode == RawFrame.text {
                #expect(frame.text.hasPrefix(#"{"type":"auth","ok":true"#))
                try client.sendText(#"{"type":"ping"}"#)
                #expect(try client.receiveText() == #"{"type":"pong"}"#)
                taken += 1
            } else {
                #expect(frame.opcode == RawFrame.close)
                #expect(frame.payload.starts(with: RawFrame.closePayload(4001)))
                try client.sendClose(4001)
                #expect(try client.expectEnd() == .finished)
                late += 1
            }
        }
        #expect(taken + late == 500)
        let list = try JSONReader.read(try server.adminGet("/connections").body).arrayValue ?? []
        #expect(list.count == taken)
        let end = LogTimestamp.text(wall: expiresAt * .second + 600 * .second)
        #expect(list.allSatisfy { ($0["deadline"]?.stringValue ?? "") > end })
    }

    // B43
    @Test("a refresh may be the first frame, and of two behind each other the second decides")
    func refreshAtOnce() throws {
        let server = try Self.server()
        let client = try server.connect()
        let request = RawClient.upgradeRequest(
            "/rider/socket", headers: [("Authorization", "Bearer \(server.token(ttl: 60))")])
        let frames = [900, 300].map { (ttl: Int64) in
            RawFrame(
                opcode: RawFrame.text, payload: Array(#"{"type":"auth","token":"\#(server.token(ttl: ttl))"}"#.utf8)
            )
            .encoded(key: client.maskingKey)
        }
        try client.send(request + frames.joined())
        #expect(try client.receiveUpgradeResponse().status == 101)
        _ = try client.receiveText(containing: "welcome")
        for ttl in [900, 300] {
            let answer = try JSONReader.read(Array(try client.receiveText().utf8))
            #expect(answer["ok"]?.boolValue == true)
            #expect((ttl - 10...ttl).contains(Int(answer["expires_in"]?.numberValue?.int64 ?? 0)))
        }
    }

    // B44
    @Test("only the last accepted token decides, whether it ends earlier or later")
    func lastTokenDecides() throws {
        let clock = SteppedClock()
        let server = try Self.server(clock: clock)
        let shorter = try server.rider(ttl: 60)
        let longer = try server.rider(ttl: 10)
        let both = try server.rider(ttl: 10)
        let many = try server.rider(ttl: 10)
        let refused = try server.rider(ttl: 10)
        try Self.refresh(shorter, server.token(ttl: 10))
        for client in [longer, both] { try Self.refresh(client, server.token(ttl: 60)) }
        try Self.refresh(both, server.token(ttl: 10))
        for number in 0..<100 { try Self.refresh(many, server.token(ttl: 600, jti: "\(number)")) }
        try Self.refresh(refused, server.token(ttl: -1))
        for _ in 0..<2 { #expect(try both.receiveText().contains(#""ok":true"#)) }
        #expect(try shorter.receiveText().contains(#""ok":true"#))
        for _ in 0..<100 { #expect(try many.receiveText().contains(#""ok":true"#)) }
        _ = try longer.receiveText(containing: #""ok":true"#)
        #expect(try refused.receiveText() == #"{"type":"auth","ok":false,"error":"token_expired"}"#)
        try server.advance(clock, by: 11 * .second)
        for client in [shorter, both, refused] {
            #expect(try client.expectCloseAndEnd(passingOverMessages: true).code == 4001)
        }
        for client in [longer, many] {
            try client.sendText(#"{"type":"ping"}"#)
            #expect(try client.receiveText() == #"{"type":"pong"}"#)
        }
        #expect(server.logLines("connection_closed").count == 3)
    }

    @Test("a refresh with another user ends in 4002, with another role it is refused")
    func otherIdentity() throws {
        let server = try Self.server()
        let client = try server.rider()
        try Self.refresh(client, server.token(role: "customer"))
        #expect(try client.receiveText() == #"{"type":"auth","ok":false,"error":"forbidden"}"#)
        try Self.refresh(client, server.token("5522"))
        let close = try client.expectCloseAndEnd()
        #expect(close.code == 4002)
        #expect(close.reason == "different_user")
    }

    // B58
    @Test("an event stream ends cleanly, resumes with a new token, and an old one gets a plain 401")
    func streamEnd() throws {
        let clock = SteppedClock()
        let server = try Self.server(clock: clock)
        let old = server.token("7001", role: "customer", ttl: 10)
        let stream = try server.connect().openEventStream("/orders/1/events", token: old)
        let first = try #require(try stream.nextBlock())
        #expect(Int(first.retry ?? "") != nil)
        let id = try server.publish("orders:1", "1")
        #expect(try stream.nextEvent()?.id == id)
        try server.advance(clock, by: 11 * .second)
        #expect(try stream.nextEvent()?.event == "close")
        #expect(try stream.nextEvent() == nil)
        #expect(stream.ending == .lastChunk)
        let missed = try server.publish("orders:1", "2")
        let resumed = try server.connect().openEventStream(
            "/orders/1/events", token: server.token("7001", role: "customer"), lastEventID: id)
        #expect(try resumed.nextEvent()?.event == "welcome")
        #expect(try resumed.nextEvent()?.id == missed)
        for _ in 0..<100 {
            let client = try server.connect()
            let response = try client.get("/orders/1/events", headers: [("Authorization", "Bearer \(old)")])
            #expect(response.status == 401)
            #expect(response.only("Content-Type")?.contains("event-stream") == false)
            #expect(response.only("Connection") == "close")
            #expect(response.text == #"{"error":"token_expired"}"#)
            #expect(try client.expectEnd() == .finished)
        }
        #expect(try server.metric(#"tiffin_live_handshakes_total{outcome="token_expired"}"#) == 100)
        #expect(server.logLines("handshake_refused").count == 1)
    }

    @Test("a connection is told of its end before it comes")
    func warning() throws {
        let server = try LiveServer([#"expiry.jitter="1s""#])
        let client = try server.rider(ttl: 4)
        #expect(try client.receiveText().hasPrefix(#"{"type":"expiring","expires_in":"#))
        #expect(try client.expectCloseAndEnd().code == 4001)
    }
}
