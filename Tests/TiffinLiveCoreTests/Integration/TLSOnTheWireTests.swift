internal import COpenSSL
import Testing

@testable import TiffinLiveCore

/// Contract sections 3 and 11: TLS of the server's own. What runs over it is what runs without; the clients are the same.
@Suite("TLS on the wire")
struct TLSOnTheWireTests {
    private let files: TLSFiles
    private let server: LiveServer

    init() throws {
        files = try TLSFiles(TLSCertificate(name: "first"))
        server = try LiveServer(files.settings + ["limits.perUser=0"])
    }

    private func connect(_ version: Int32 = TLS1_3_VERSION, sendsFIN: Bool = true) throws -> TLSTunnel {
        try TLSTunnel(port: server.port, peer: TLSRawPeer(minimum: version, maximum: version), sendsFIN: sendsFIN)
    }

    @Test("A WebSocket lives over TLS: welcome, messages, events, close", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func webSocket(version: Int32) throws {
        let tunnel = try connect(version)
        let rider = try server.rider(on: tunnel.client)
        try rider.sendText(#"{"type":"ping"}"#)
        #expect(try rider.receiveText().contains("pong"))
        let id = try server.publish("riders:5521", #"{"n":1}"#)
        #expect(try rider.receiveText(containing: id).contains(#""n":1"#))
        try server.admin("/revoke", #"{"user_id":5521}"#)
        let close = try rider.expectClose()
        #expect(close.code == 4003)
        try rider.sendClose(4003)
        rider.finishSending()
        try rider.expectEnd()
        #expect(tunnel.wait().hasReceivedClose)
    }

    @Test("An event stream lives over TLS, and ends with a close_notify")
    func eventStream() throws {
        try server.admin("/store", #"{"command":["HSET","order:123","customer_id","7001"]}"#)
        let tunnel = try connect()
        let stream = try tunnel.client.openEventStream(
            "/orders/123/events", token: server.token("7001", role: "customer"))
        #expect(try stream.nextEvent()?.event == "welcome")
        try server.publish("orders:123", #"{"n":2}"#)
        #expect(try stream.nextEvent()?.data == #"{"n":2}"#)
        try server.admin("/disconnect", #"{"user":"7001"}"#)
        while try stream.nextEvent() != nil {}
        tunnel.client.finishSending()
        #expect(tunnel.wait().hasReceivedClose)
    }

    @Test("A refusal and a health check come over TLS as well, on one connection")
    func requests() throws {
        let tunnel = try connect()
        #expect(try tunnel.client.get("/healthz").status == 200)
        #expect(try tunnel.client.upgrade("/rider/socket").status == 401)
    }

    @Test("A close_notify without FIN is an end")
    func announcedEnd() throws {
        let tunnel = try connect(sendsFIN: false)
        let rider = try server.rider(on: tunnel.client)
        rider.finishSending()
        #expect(try LiveServer.eventually { try server.openSessions() == 0 })
        #expect(tunnel.wait().hasReceivedClose)
    }

    @Test("More than the kernel takes arrives in order, and a reader that is too slow is sent away")
    func backPressure() throws {
        let tunnel = try connect()
        let rider = try server.rider(on: tunnel.client)
        let text = String(repeating: "x", count: 20_000)
        for number in 0..<10 {
            try server.publish("riders:5521", #"{"n":\#(number),"text":"\#(text)"}"#)
        }
        for number in 0..<10 {
            #expect(try rider.receiveText(containing: #""n":\#(number),"#).utf8.count > 20_000)
        }
        // Nobody reads: the tunnel, both sockets and then the queue fill up.
        for number in 0..<2_000 where number % 50 != 0 || server.logText().contains("too_slow") == false {
            try server.publish("riders:5521", #"{"n":\#(number),"text":"\#(text)"}"#)
            if number % 50 == 49, try server.openSessions() == 0 { break }
        }
        #expect(try LiveServer.eventually { try server.openSessions() == 0 })
        #expect(server.logLines("connection_closed").last?["reason"]?.stringValue == "too_slow")
    }

    @Test("Plain HTTP is told what is wrong, garbage is not, and both are logged")
    func plaintext() throws {
        let client = try server.connect()
        try client.send("GET /rider/socket HTTP/1.1\r\nHost: a\r\n\r\n")
        let answer = String(decoding: try client.receiveToEnd(), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 400 "))
        #expect(answer.contains("tls_required"))
        let other = try server.connect()
        try other.send([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        _ = try other.receiveToEnd()
        #expect(try LiveServer.eventually { server.logLines("tls_refused").count == 2 })
        #expect(try server.connect().isQuiet(forMilliseconds: 10))
    }

    @Test("A handshake that never ends is ended by its deadline")
    func slowHandshake() throws {
        let server = try LiveServer(files.settings + [#"limits.handshake="1s""#])
        let peer = try TLSRawPeer()
        peer.shakeHands()
        let client = try server.connect()
        try client.send(Array(peer.takeOutput().dropLast(5)))
        #expect(try client.receiveToEnd().isEmpty)
    }

    @Test("Many handshakes at once all succeed, byte by byte too")
    func manyHandshakes() throws {
        let tunnels = try (0..<60).map { _ in try connect() }
        for tunnel in tunnels { #expect(try tunnel.client.get("/healthz").status == 200) }
        let peer = try TLSRawPeer()
        peer.shakeHands()
        let client = try server.connect()
        for byte in peer.takeOutput() { try client.send([byte]) }
        #expect(try client.receive(1) == [22])
    }

    @Test(
        "A client that comes back is spared the signature, whichever loop it lands on",
        arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func resumption(version: Int32) throws {
        let server = try LiveServer(files.settings + ["threads=4"])
        var session: TLSSession?
        for round in 0..<12 {
            let peer = try TLSRawPeer(minimum: version, maximum: version, session: session)
            let tunnel = try TLSTunnel(port: server.port, peer: peer)
            #expect(try tunnel.client.get("/healthz", headers: [("Connection", "close")]).status == 200)
            tunnel.client.finishSending()
            #expect(tunnel.wait().isResumed == (round > 0))
            session = peer.session
            #expect(session != nil)
        }
        #expect(try server.metric(#"tiffin_live_tls_handshakes_total{outcome="full"}"#) == 1)
        #expect(try server.metric(#"tiffin_live_tls_handshakes_total{outcome="resumed"}"#) == 11)
    }

    @Test("Clients that speak only HTTP/2, or only old versions, get the alert that says so, and are counted")
    func refusedHandshakes() throws {
        // The description of the alert (RFC 8446 section 6): no_application_protocol, protocol_version.
        let peers = [
            (try TLSRawPeer(protocols: Array("\u{2}h2".utf8)), UInt8(120)),
            (try TLSRawPeer(minimum: TLS1_VERSION, maximum: TLS1_1_VERSION, ciphers: "ALL:@SECLEVEL=0"), 70),
        ]
        for (peer, alert) in peers {
            peer.shakeHands()
            let client = try server.connect()
            try client.send(peer.takeOutput())
            #expect(try client.receiveToEnd().suffix(2) == [2, alert])
        }
        for outcome in ["no_application_protocol", "unsupported_version"] {
            #expect(try server.metric("tiffin_live_tls_handshakes_total{outcome=\"\(outcome)\"}") == 1)
        }
        #expect(try server.metric(#"tiffin_live_tls_handshakes_total{outcome="full"}"#) == 0)
    }

    @Test("A new certificate serves new connections, an unfit one changes nothing, open ones stay")
    func reload() throws {
        let before = try connect()
        let rider = try server.rider(on: before.client)
        #expect(before.soFar.serverName == "first")
        let end = try #require(try server.metric("tiffin_live_tls_certificate_end_time_seconds"))
        #expect(end > Double(Clock.now().wall / .second))
        try files.write(Array("nothing".utf8), "chain.pem")
        #expect(try LiveServer.eventually { server.logLines("certificate_refused").count >= 1 })
        let between = try connect()
        #expect(try between.client.get("/healthz").status == 200)
        #expect(between.soFar.serverName == "first")
        try files.replace(TLSCertificate(name: "second", until: 200_000))
        #expect(try LiveServer.eventually { server.logLines("certificate_loaded").count >= 2 })
        #expect(
            try LiveServer.eventually {
                let after = try connect()
                return try after.client.get("/healthz").status == 200 && after.soFar.serverName == "second"
            })
        let nextEnd = try #require(try server.metric("tiffin_live_tls_certificate_end_time_seconds"))
        #expect(nextEnd > end)
        try rider.sendText(#"{"type":"ping"}"#)
        #expect(try rider.receiveText().contains("pong"))
    }

    @Test("A server whose key does not fit does not start")
    func unfit() throws {
        try files.write(TLSCertificate().keyPEM, "key.pem")
        let error = #expect(throws: ServerError.self) { try LiveServer(files.settings) }
        #expect(error?.description == "tls: the private key belongs to another certificate")
    }
}
