import Testing

@testable import TiffinLiveCore

/// Balancers that cut what is silent (B59), on clocks moved by hand: a connection that nobody uses outlives them.
@Suite("Behind a balancer that cuts silent connections")
struct ImpatientBalancerTests {
    private let clock = SteppedClock()

    private func balancer(_ server: LiveServer, seconds: Int64, isEachWay: Bool) throws -> Mux {
        let limit = seconds * Nanoseconds.second
        return try Mux(
            to: server.port, patience: Mux.Patience(limit: limit, isEachWay: isEachWay, clock: clock.read))
    }

    /// A second goes by, and what was sent in it has passed the balancer.
    private func second(_ server: LiveServer, _ balancer: Mux) throws {
        try server.advance(clock, by: .second)
        try eventually("all bytes to pass") {
            let sent = try server.metric("tiffin_live_sent_bytes_total")
            let received = try server.metric("tiffin_live_received_bytes_total")
            return balancer.passedBytes == [Int(received ?? -1), Int(sent ?? -1)]
        }
    }

    @Test("an idle WebSocket is heard from both ends, for ten minutes", arguments: [30, 60] as [Int64])
    func webSocket(limit: Int64) throws {
        let server = try LiveServer([#"expiry.warning="0s""#], clock: clock)
        let balancer = try balancer(server, seconds: limit, isEachWay: true)
        let rider = try server.rider(on: RawClient(port: balancer.port))
        for _ in 0..<600 {
            try second(server, balancer)
            let before = balancer.passedBytes[0]
            let pings = try rider.framesSoFar().filter { $0.opcode == RawFrame.ping }
            for ping in pings { try rider.send(RawFrame(opcode: RawFrame.pong, payload: ping.payload)) }
            try eventually("the answer to pass") { balancer.passedBytes[0] == before + 6 * pings.count }
        }
        #expect(balancer.linkCount == 1)
        try rider.sendText(#"{"type":"ping"}"#)
        #expect(try rider.receiveText(containing: "pong") == #"{"type":"pong"}"#)
    }

    @Test("an idle event stream is heard of, for ten minutes", arguments: [30, 60] as [Int64])
    func eventStream(limit: Int64) throws {
        let server = try LiveServer([#"expiry.warning="0s""#], clock: clock)
        let balancer = try balancer(server, seconds: limit, isEachWay: false)
        try server.admin("/store", #"{"command":["HSET","order:123","customer_id","7001"]}"#)
        let stream = try RawClient(port: balancer.port).openEventStream(
            "/orders/123/events", token: server.token("7001", role: "customer"))
        for _ in 0..<600 { try second(server, balancer) }
        #expect(balancer.linkCount == 1)
        try server.publish("orders:123", "1")
        #expect(try stream.nextEvent(named: "status")?.data == "1")
    }

    @Test("a balancer less patient than the period of the comments does cut")
    func cuts() throws {
        let server = try LiveServer(clock: clock)
        let balancer = try balancer(server, seconds: 5, isEachWay: false)
        let rider = try server.rider(on: RawClient(port: balancer.port))
        for _ in 0..<7 { try server.advance(clock, by: .second) }
        _ = try rider.receiveToEnd()
        #expect(rider.end == .reset)
        try eventually("the link to be gone") { balancer.linkCount == 0 }
    }
}
