import Glibc
import Testing

@testable import TiffinLiveCore

/// Contract section 11: balancers that name their clients in a PROXY header, with TLS behind it and without (B83).
@Suite("The PROXY protocol on the wire")
struct ProxyProtocolOnTheWireTests {
    private static let on = ["proxy.protocol=true", "limits.perUser=0"]
    private let files: TLSFiles

    init() throws {
        files = try TLSFiles(TLSCertificate())
    }

    private func remotes(_ server: LiveServer) throws -> [String] {
        let list = try JSONReader.read(try server.adminGet("/connections").body).arrayValue ?? []
        return list.compactMap { $0["remote"]?.stringValue }
    }

    @Test(
        "the header's address is the client's, whole and byte by byte",
        arguments: [
            (ProxyHeaderBytes.line(from: "198.51.100.7"), "198.51.100.7"),
            (ProxyHeaderBytes.line(from: "2001:db8::9"), "2001:db8::9"),
            (ProxyHeaderBytes.binary(from: [198, 51, 100, 7]), "198.51.100.7"),
            (ProxyHeaderBytes.binary(from: [198, 51, 100, 7], extra: [4, 0, 2, 0, 0]), "198.51.100.7"),
            (ProxyHeaderBytes.local, "127.0.0.1"),
        ])
    func named(header: [UInt8], client: String) throws {
        let server = try LiveServer(Self.on)
        let whole = try server.connect()
        try whole.send(
            header
                + RawClient.upgradeRequest("/rider/socket", headers: [("Authorization", "Bearer \(server.token())")]))
        #expect(try whole.receiveUpgradeResponse().status == 101)
        let split = try server.connect()
        for byte in header { try split.send([byte]) }
        _ = try server.rider("5522", on: split)
        #expect(try remotes(server) == [client, client])
        #expect(try LiveServer.eventually { server.logged("remote", of: "connection_opened") == [client, client] })
        for open in [whole, split] { open.close() }
    }

    @Test("an address is limited by its own connections, and not by the balancer's")
    func perAddress() throws {
        let server = try LiveServer(Self.on + ["limits.perAddress=2"])
        var clients: [RawClient] = []
        func status(_ user: String, from address: [UInt8]) throws -> Int {
            let client = try server.connect()
            clients.append(client)
            try client.send(ProxyHeaderBytes.binary(from: address))
            return try client.upgrade("/rider/socket", headers: [("Authorization", "Bearer \(server.token(user))")])
                .status
        }
        for number in 0..<3 { #expect(try status("a\(number)", from: [198, 51, 100, 7]) == (number < 2 ? 101 : 429)) }
        #expect(try status("b", from: [198, 51, 100, 8]) == 101)
    }

    @Test("a missing or malformed header ends the connection quietly, is counted, and makes one line, not many")
    func refused() throws {
        let server = try LiveServer(Self.on)
        for _ in 0..<20 {
            let missing = try server.connect()
            try missing.send(RawClient.requestHead("GET", "/healthz"))
            #expect(try missing.expectEnd() == .finished)
            let malformed = try server.connect()
            try malformed.send("PROXY TCP4 1.2.3.4 nonsense\r\n")
            #expect(try malformed.expectEnd() == .finished)
        }
        #expect(try server.metric(#"tiffin_live_handshakes_total{outcome="proxy_header_missing"}"#) == 20)
        #expect(try server.metric(#"tiffin_live_handshakes_total{outcome="proxy_header_malformed"}"#) == 20)
        #expect(server.stop() == 0)
        let lines = try server.logObjects("proxy_refused")
        #expect(lines.reduce(0) { $0 + ($1["repeated"]?.numberValue?.int64 ?? 1) } == 40)
        #expect(lines.count < 10)
        #expect(lines.allSatisfy { $0["remote"]?.stringValue == "127.0.0.1" })
        #expect(!server.logText().contains("nonsense"))
    }

    @Test("a header that does not come is waited for no longer than for a handshake")
    func late() throws {
        let server = try LiveServer(Self.on + [#"limits.handshake="1s""#])
        let silent = try server.connect()
        let half = try server.connect()
        try half.send(Array(ProxyHeaderBytes.local.dropLast()))
        #expect(try silent.expectEnd() == .finished)
        #expect(try half.expectEnd() == .finished)
        #expect(server.logLines("proxy_refused").isEmpty)
    }

    @Test("an address that is not trusted connects as ever, and cannot name another")
    func untrusted() throws {
        let server = try LiveServer(Self.on + [#"proxy.trusted=["10.0.0.0/8"]"#])
        let rider = try server.rider()
        let liar = try server.connect()
        try liar.send(ProxyHeaderBytes.line(from: "1.2.3.4") + RawClient.requestHead("GET", "/healthz"))
        #expect(try liar.receiveResponse().status == 400)
        #expect(try remotes(server) == ["127.0.0.1"])
        rider.close()
    }

    @Test("a balancer on a Unix socket is on this machine, and names its clients too")
    func unixSocket() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/live.sock"
        let server = try LiveServer(Self.on + [#"listen=["127.0.0.1:0","unix:\#(path)"]"#])
        let client = try RawClient(unixPath: path)
        try client.send(ProxyHeaderBytes.binary(from: [198, 51, 100, 7]))
        let rider = try server.rider(on: client)
        #expect(try remotes(server) == ["198.51.100.7"])
        rider.close()
        let local = try RawClient(unixPath: path)
        try local.send(ProxyHeaderBytes.local)
        _ = try server.rider("5522", on: local)
        #expect(try LiveServer.eventually { try remotes(server) == ["127.0.0.1"] })
        local.close()
        server.stop()
    }

    // MARK: With TLS behind the header

    @Test("the header comes in front of TLS, in one segment with the handshake")
    func tls() throws {
        let server = try LiveServer(files.settings + Self.on)
        let headers = [ProxyHeaderBytes.line(from: "198.51.100.7"), ProxyHeaderBytes.binary(from: [198, 51, 100, 7])]
        let riders = try headers.map { header in
            try server.rider(on: TLSTunnel(port: server.port, peer: TLSRawPeer(), preface: header).client)
        }
        #expect(try remotes(server) == ["198.51.100.7", "198.51.100.7"])
        for rider in riders { rider.close() }
    }

    @Test("header and handshake may come byte by byte")
    func tlsSplit() throws {
        let server = try LiveServer(files.settings + Self.on)
        let peer = try TLSRawPeer()
        peer.shakeHands()
        let client = try server.connect()
        for byte in ProxyHeaderBytes.binary(from: [198, 51, 100, 7]) + peer.takeOutput() { try client.send([byte]) }
        while !peer.shakeHands() { peer.feed(try client.receive(1)) }
        try client.send(peer.takeOutput())
        peer.write(RawClient.requestHead("GET", "/healthz", headers: [("Connection", "close")]))
        try client.send(peer.takeOutput())
        peer.feed(try client.receiveToEnd())
        #expect(String(decoding: peer.read(), as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
    }

    @Test("TLS without the header is closed quietly, and a failed handshake behind one is its client's")
    func tlsRefused() throws {
        let server = try LiveServer(files.settings + Self.on)
        let peer = try TLSRawPeer()
        peer.shakeHands()
        let hello = peer.takeOutput()
        let missing = try server.connect()
        try missing.send(hello)
        _ = try missing.expectEnd()
        #expect(try server.metric(#"tiffin_live_handshakes_total{outcome="proxy_header_missing"}"#) == 1)
        let garbage = try server.connect()
        try garbage.send(ProxyHeaderBytes.line(from: "198.51.100.7") + [0, 1, 2, 3, 4, 5, 6])
        _ = try garbage.receiveToEnd()
        #expect(try LiveServer.eventually { server.logged("remote", of: "tls_refused") == ["198.51.100.7"] })
        // The header's end and then nothing: the handshake's time is the header's too.
        let gone = try server.connect()
        try gone.send(ProxyHeaderBytes.local)
        gone.finishSending()
        _ = try gone.expectEnd()
        #expect(server.logLines("tls_refused").count == 1)
    }
}
