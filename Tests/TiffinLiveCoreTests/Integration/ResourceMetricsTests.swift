import Testing

@testable import TiffinLiveCore

/// `/metrics` of a running server: its text, and that each counter counts what its name says.
@Suite("Metrics of a running server")
struct ResourceMetricsTests {
    @Test("the answer is Prometheus text: every sample belongs to a family that was announced with help and type")
    func text() throws {
        let server = try LiveServer()
        let response = try server.adminGet("/metrics")
        #expect(response.status == 200)
        #expect(response.only("Content-Type")?.hasPrefix("text/plain; version=0.0.4") == true)
        let text = response.text
        #expect(text.hasSuffix("\n"))
        var (helped, typed, samples) = (Set<String>(), Set<String>(), Set<String>())
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("# HELP ") {
                #expect(helped.insert(String(words[2])).inserted)
            } else if line.hasPrefix("# TYPE ") {
                #expect(typed.insert(String(words[2])).inserted)
                #expect(["counter", "gauge", "histogram"].contains(words[3]))
            } else {
                let series = String(line[..<(line.lastIndex(of: " ") ?? line.startIndex)])
                #expect(samples.insert(series).inserted, "\(series) twice")
                #expect(Double(words.last ?? "") != nil)
                var family = String(series.prefix { $0 != "{" })
                for ending in ["_bucket", "_sum", "_count"] where !typed.contains(family) && family.hasSuffix(ending) {
                    family.removeLast(ending.count)
                }
                #expect(typed.contains(family) && helped.contains(family), "\(family)")
            }
        }
        #expect(samples.count > 40)
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
