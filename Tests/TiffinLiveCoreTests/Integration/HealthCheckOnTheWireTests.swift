import Testing

@testable import TiffinLiveCore

/// Balancers and monitors knock every second, each in its own way (contract section 11): they get their word, cost no
/// signature, and leave no line in the log.
@Suite("Health checks on the wire")
struct HealthCheckOnTheWireTests {
    private let files: TLSFiles

    init() throws {
        files = try TLSFiles(TLSCertificate())
    }

    enum Shape: CaseIterable {
        case get, head, http10, http10Host, keptAlive
        case connectAndClose, connectAndReset, halfRequest
    }

    private func check(_ shape: Shape, _ client: RawClient, preface: [UInt8] = []) throws {
        try client.send(preface)
        switch shape {
        case .get:
            #expect(try client.get("/readyz", headers: [("Connection", "close")]).text == "ready\n")
        case .head:
            #expect(try client.request("HEAD", "/healthz").status == 200)
            client.finishSending()
        case .http10:
            try client.send("GET /healthz HTTP/1.0\r\n\r\n")
            #expect(try client.receiveResponse().text == "ok\n")
        case .http10Host:
            try client.send("HEAD /readyz HTTP/1.0\r\nHost: live\r\nUser-Agent: check\r\n\r\n")
            #expect(try client.receiveResponse(to: "HEAD").status == 200)
        case .keptAlive:
            for _ in 0..<3 { #expect(try client.get("/healthz").status == 200) }
            client.finishSending()
        case .connectAndClose:
            return client.close()
        case .connectAndReset:
            return client.reset()
        case .halfRequest:
            try client.send("GET /heal")
            client.finishSending()
        }
        try client.expectEnd()
    }

    /// The lines since the server listens.
    private func lines(_ server: LiveServer) throws -> [JSONObject] {
        let quiet = ["starting", "listening", "keys_loaded", "certificate_loaded", "descriptors_few"]
        return try server.logObjects().filter { !quiet.contains($0["event"]?.stringValue ?? "") }
    }

    /// A connection behind all others has made its line, and it is the only one.
    private func expectOnlyLine(of last: RawClient, _ server: LiveServer) throws {
        try eventually("the last line") { server.logLines("connection_opened").count == 1 }
        #expect(try lines(server).map { $0["event"]?.stringValue } == ["connection_opened"])
        last.close()
    }

    @Test("each shape is answered, or let go, without a line", arguments: Shape.allCases)
    func quiet(shape: Shape) throws {
        let server = try LiveServer()
        for _ in 0..<20 { try check(shape, try server.connect()) }
        try expectOnlyLine(of: server.rider("last"), server)
    }

    @Test("the same behind a LOCAL header, and the header alone", arguments: Shape.allCases)
    func local(shape: Shape) throws {
        let server = try LiveServer(["proxy.protocol=true"])
        for _ in 0..<20 { try check(shape, try server.connect(), preface: ProxyHeaderBytes.local) }
        let last = try server.connect()
        try last.send(ProxyHeaderBytes.local)
        try expectOnlyLine(of: server.rider("last", on: last), server)
        #expect(try server.metric(#"tiffin_live_handshakes_total{outcome="proxy_header_missing"}"#) == 0)
    }

    @Test("a TLS port that is knocked at, with a handshake, half of one or none, says nothing either")
    func tls() throws {
        let server = try LiveServer(files.settings)
        for round in 0..<20 {
            let tunnel = try TLSTunnel(port: server.port, peer: TLSRawPeer())
            if round % 2 == 0 { #expect(try tunnel.client.get("/readyz").status == 200) }
            tunnel.client.finishSending()
            _ = tunnel.wait()
            try server.connect().close()
            let peer = try TLSRawPeer()
            peer.shakeHands()
            let half = try server.connect()
            try half.send(Array(peer.takeOutput().dropLast(round + 1)))
            half.finishSending()
            try half.expectEnd()
        }
        let tunnel = try TLSTunnel(port: server.port, peer: TLSRawPeer())
        try expectOnlyLine(of: server.rider("last", on: tunnel.client), server)
    }

    @Test("a check that asks for another path or method is told so, in one line and a count")
    func misguided() throws {
        let server = try LiveServer()
        for _ in 0..<30 {
            #expect(try server.connect().request("OPTIONS", "/").status == 404)
            #expect(try server.connect().request("OPTIONS", "/readyz").status == 405)
        }
        #expect(server.stop() == 0)
        let refused = try server.logObjects("handshake_refused")
        #expect(refused.reduce(0) { $0 + ($1["repeated"]?.numberValue?.int64 ?? 1) } == 60)
        #expect(refused.count < 10)
    }
}
