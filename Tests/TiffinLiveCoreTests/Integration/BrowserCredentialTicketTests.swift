import Testing

@testable import TiffinLiveCore

@Suite("Browsers on the wire: tickets")
struct BrowserCredentialTicketTests {
    typealias Browser = BrowserHandshake

    /// A machine under load may be late; that is not what is tested here.
    private static let patient = [#"lookups.timeout="20s""#]

    private func target(_ ticket: String, _ path: String = "/restaurants/88/events") -> String {
        "\(path)?ticket=\(ticket)"
    }

    private func status(_ server: LiveServer, _ ticket: String, path: String = "/restaurants/88/events") throws -> Int {
        try Browser.status(server, isWebSocket: false, [], target: target(ticket, path))
    }

    @Test("of fifty hands that hold one ticket exactly one gets in (B80)", arguments: [true, false])
    func manyHands(isWebSocket: Bool) throws {
        let server = try LiveServer(Self.patient + [#"limits.perUser=0"#])
        for _ in 0..<4 {
            let ticket = try Browser.ticket(server)
            let clients = try (0..<50).map { _ in try server.connect() }
            let bytes =
                isWebSocket
                ? RawClient.upgradeRequest(target(ticket)) : RawClient.requestHead("GET", target(ticket))
            for client in clients { try client.send(bytes) }
            let statuses = try clients.map { try $0.receiveResponseHead().status }
            #expect(statuses.count { $0 == (isWebSocket ? 101 : 200) } == 1)
            #expect(statuses.count { $0 == 401 } == 49)
        }
    }

    @Test("a ticket is random, opens once, and only as it is written (B80)")
    func once() throws {
        let server = try LiveServer(Self.patient)
        let tickets = try Set((0..<20).map { _ in try Browser.ticket(server) })
        #expect(tickets.count == 20)
        #expect(tickets.allSatisfy { $0.utf8.count == 43 })
        let ticket = try Browser.ticket(server)
        let swapped = String(ticket.map { $0.isLowercase ? $0.uppercased() : $0.lowercased() }.joined())
        #expect(try status(server, swapped) == 401)
        let client = try server.connect()
        #expect(try client.upgrade(target(ticket)).status == 101)
        #expect(try client.receiveText().contains(#""user":"u1""#))
        #expect(try status(server, ticket) == 401)
        try client.sendClose()
        _ = try client.expectClose(passingOverMessages: true)
        #expect(try status(server, ticket) == 401, "nor after the close")
        let bearer = try Browser.open(
            server, isWebSocket: false, [("Authorization", "Bearer \(Browser.token(server, "u2"))")],
            target: target(try Browser.ticket(server)))
        #expect(bearer.response.status == 200, "the bearer token counts")
        server.stop()
        #expect(!server.logText().contains(ticket))
        #expect(!server.logText().contains(swapped))
        #expect(server.logText().contains(#""event":"ticket_sold""#))
    }

    @Test("a ticket is over after its time")
    func expiry() throws {
        let clock = SteppedClock()
        let server = try LiveServer(Self.patient, clock: clock)
        let ticket = try Browser.ticket(server)
        try server.advance(clock, by: 31 * .second)
        #expect(try status(server, ticket) == 401)
    }

    @Test("a ticket for a path opens that path, and a path of somebody else is not sold")
    func paths() throws {
        let server = try LiveServer(Self.patient)
        let order = #"{"path":"/restaurants/88/events"}"#
        #expect(try status(server, Browser.ticket(server, body: order)) == 200)
        let other = try Browser.ticket(server, body: order)
        #expect(try status(server, other, path: "/restaurants/89/events") == 403)
        #expect(try status(server, other) == 401, "it was used up")
        #expect(throws: UnexpectedAnswer.self) {
            try Browser.ticket(server, body: #"{"path":"/restaurants/89/events"}"#)
        }
    }

    @Test("a value that another service wrote opens the path that it names")
    func plain() throws {
        let server = try LiveServer(Self.patient)
        for ticket in ["a", "b"] {
            try server.admin("/store", #"{"command":["SET","ticket:\#(ticket)","88","EX","30"]}"#)
        }
        #expect(try status(server, "a", path: "/restaurants/89/events") == 403)
        let stream = try server.connect().openEventStream(target("b"))
        #expect(try stream.nextEvent()?.event == "welcome")
        try server.publish("restaurants:88", "1")
        #expect(try stream.nextEvent()?.data == "1")
    }

    @Test("a connection by ticket ends with the buyer's token and by the buyer's revocation")
    func ends() throws {
        let clock = SteppedClock()
        let server = try LiveServer(Self.patient + [#"expiry.jitter="0s""#], clock: clock)
        let short = try Browser.ticket(server, ttl: 10)
        let socket = try server.connect()
        #expect(try socket.upgrade(target(short)).status == 101)
        try server.advance(clock, by: 11 * .second)
        #expect(try socket.expectCloseAndEnd(passingOverMessages: true).code == 4001)
        let stream = try server.connect().openEventStream(target(try Browser.ticket(server, "u3")))
        let kept = try Browser.ticket(server, "u3")
        _ = try stream.nextEvent()
        try server.admin("/revoke", #"{"user_id":"u3"}"#)
        #expect(try stream.nextEvent()?.data == #"{"code":4003,"reason":"revoked"}"#)
        let refused = try server.connect().get(target(kept))
        #expect(refused.status == 401)
        #expect(refused.text == #"{"error":"revoked"}"#)
    }
}
