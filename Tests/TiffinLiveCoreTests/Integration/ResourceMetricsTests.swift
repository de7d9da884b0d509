import Testing

@testable import TiffinLiveCore

/// `/metrics` of a running server: its text, and that each counter counts what its name says.
@Suite("Metrics of a running server")
struct ResourceMetricsTests {
    @Test("the answer is Prometheus text with figures of server and process, and none of a Redis that is not there")
    func text() throws {
        let server = try LiveServer()
        let response = try server.adminGet("/metrics")
        #expect(response.status == 200)
        #expect(response.only("Content-Type")?.hasPrefix("text/plain; version=0.0.4") == true)
        let exposition = try PrometheusExposition(response.text)
        #expect(exposition.samples.count > 40)
        #expect(exposition.types.keys.allSatisfy { !$0.contains("redis") })
        #expect(exposition.value("process_resident_memory_bytes") ?? 0 > 1_000_000)
        #expect(exposition.value("process_cpu_seconds_total") ?? 0 > 0)
        #expect(exposition.value("process_max_fds") ?? 0 >= 256)
        #expect(exposition.value("process_open_fds") ?? 20 >= 20)
        #expect(exposition.value("tiffin_live_connections_limit") == 1_000_000)
        #expect(exposition.value("tiffin_live_log_lines_total") ?? 0 >= 3)
        #expect(exposition.value("tiffin_live_loop_turns_total", ["loop": "control"]) ?? 0 > 0)
    }

    @Test("a token is remembered once, however many loops there are", arguments: [1, 4])
    func rememberedTokens(loops: Int) throws {
        let server = try LiveServer(["threads=\(loops)", "limits.perUser=0"])
        let token = server.token()
        for _ in 0..<8 {
            let response = try server.connect().upgrade(
                "/rider/socket", headers: [("Authorization", "Bearer \(token)")])
            #expect(response.status == 101)
        }
        #expect(try server.metric(#"tiffin_live_tokens_remembered{verdict="accepted"}"#) == 1)
        #expect(try server.metric("tiffin_live_signatures_verified_total") == 1)
    }

    @Test("a life of one rider and one customer moves the counters as it should")
    func counters() throws {
        let server = try LiveServer()
        let names = [
            #"connections{transport="websocket"}"#, #"connections{transport="sse"}"#, "connections_accepted_total",
            #"handshakes_total{outcome="accepted"}"#, #"handshakes_total{outcome="missing_token"}"#,
            #"refreshes_total{outcome="accepted"}"#, #"refreshes_total{outcome="invalid_token"}"#,
            "events_received_total", "events_delivered_total", "messages_received_total",
            "messages_handed_over_total", "published_total", "publishes_refused_total", "revocations_total",
            "revocations_malformed_total", #"closes_total{reason="revoked"}"#, #"closes_total{reason="client_closed"}"#,
            "revocation_duration_seconds_count", "handshake_duration_seconds_count", "queued_bytes",
        ]
        func figures() throws -> [Double] { try names.map { try server.metric("tiffin_live_" + $0) ?? -1 } }
        #expect(try figures() == names.map { _ in 0 })

        let rider = try server.rider()
        let stream = try server.customer()
        #expect(try server.connect().upgrade("/rider/socket").status == 401)
        try rider.sendText(#"{"type":"auth","token":"\#(server.token())"}"#)
        #expect(try rider.receiveText().contains(#""ok":true"#))
        try rider.sendText(#"{"type":"auth","token":"x"}"#)
        #expect(try rider.receiveText().contains(#""ok":false"#))
        try rider.sendText(#"{"type":"accept","ref":1}"#)
        #expect(try rider.receiveText().contains("ack"))
        for number in 1...3 {
            try server.publish("riders:5521", "\(number)")
            #expect(try rider.receiveText().contains(#""data":\#(number)"#))
        }
        try server.publish("orders:123", "1")
        #expect(try stream.nextEvent()?.data == "1")
        try server.publish("nobody:listens", "1")
        #expect(try server.admin("/publish", "{}").status == 400)
        #expect(try figures() == [1, 1, 3, 2, 1, 1, 1, 4, 4, 3, 1, 5, 1, 0, 0, 0, 0, 0, 2, 0])

        #expect(try server.admin("/revoke", "{}").status == 400)
        try server.admin("/revoke", #"{"user_id":"7001"}"#)
        try rider.sendClose(1000)
        _ = try rider.receiveToEnd()
        try eventually("the end of both") { try server.openSessions() == 0 }
        #expect(try figures() == [0, 0, 3, 2, 1, 1, 1, 4, 4, 3, 1, 5, 1, 1, 1, 1, 1, 1, 2, 0])
        #expect(try server.metric("tiffin_live_received_bytes_total") ?? 0 > 500)
        #expect(try server.metric("tiffin_live_sent_bytes_total") ?? 0 > 500)
    }
}
