import Testing

@testable import TiffinLiveCore

@Suite("Contract 11: connections that begin with a PROXY header (B83)")
struct ProxyHeaderTests {
    static let settings = ["proxy.protocol=true"]
    static let balancer = "127.0.0.1"

    private func harness(_ settings: [String] = []) throws -> SessionHarness {
        try SessionHarness(Self.settings + settings)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let header: [UInt8]
        let client: String

        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "version 1", header: ProxyHeaderBytes.line(from: "198.51.100.7"), client: "198.51.100.7"),
        Case(name: "version 1, IPv6", header: ProxyHeaderBytes.line(from: "2001:db8::9"), client: "2001:db8::9"),
        Case(name: "version 1, UNKNOWN", header: Array("PROXY UNKNOWN\r\n".utf8), client: balancer),
        Case(name: "version 2", header: ProxyHeaderBytes.binary(from: [198, 51, 100, 7]), client: "198.51.100.7"),
        Case(
            name: "version 2 with TLVs",
            header: ProxyHeaderBytes.binary(from: [198, 51, 100, 7], extra: [0xEA, 0, 3, 1, 2, 3, 4, 0, 1, 0]),
            client: "198.51.100.7"),
        Case(name: "version 2, LOCAL", header: ProxyHeaderBytes.local, client: balancer),
        Case(
            name: "version 2, no address",
            header: ProxyHeaderBytes.binary(command: 0x21, family: 0x00, [3, 0, 4, 1, 2, 3, 4]), client: balancer),
    ]

    @Test("the header names the client, and the request behind it is served, however both are split", arguments: cases)
    func client(_ row: Case) throws {
        let harness = try harness()
        let token = harness.token()
        let bytes = row.header + SessionHarness.upgrade("/rider/socket", token: token)
        try ChunkedFeed.check(bytes, randomRounds: 4) { chunks in
            let client = try harness.connect(from: Self.balancer)
            client.send(pieces: chunks)
            let response = try client.response()
            let welcome = try client.message()["type"]?.stringValue
            return [String(response.status), welcome, client.session.client.description]
        }
        let client = try harness.connect(from: Self.balancer)
        client.send(bytes)
        #expect(try client.response().status == 101)
        #expect(client.session.client == IPAddress(row.client))
    }

    @Test("a header of the greatest length is skipped whole")
    func longest() throws {
        let harness = try harness()
        let client = try harness.connect(from: Self.balancer)
        let filling = [UInt8](repeating: 13, count: 65_535 - 12)
        client.send(ProxyHeaderBytes.binary(from: [198, 51, 100, 7], extra: filling))
        #expect(!client.session.awaitsProxyHeader)
        client.send(SessionHarness.request("GET", "/healthz"))
        #expect(try client.response().status == 200)
        #expect(client.session.client == IPAddress("198.51.100.7"))
    }

    @Test("the named client's own word about its address is no balancer's")
    func forwardedByTheClient() throws {
        let harness = try harness()
        let client = try harness.connect(from: Self.balancer)
        client.send(
            ProxyHeaderBytes.line(from: "198.51.100.7")
                + SessionHarness.request("GET", "/healthz", headers: [("X-Forwarded-For", "1.2.3.4")]))
        #expect(client.session.client == IPAddress("198.51.100.7"))
    }

    @Test("a trusted proxy that is itself named by a header may name the client behind it, request by request")
    func chained() throws {
        let harness = try harness([#"proxy.trusted=["127.0.0.0/8","10.0.0.0/8"]"#])
        let client = try harness.connect(from: Self.balancer)
        client.send(ProxyHeaderBytes.line(from: "10.1.1.1"))
        for address in ["198.51.100.1", "198.51.100.2"] {
            client.send(SessionHarness.request("GET", "/healthz", headers: [("X-Forwarded-For", address)]))
            #expect(client.session.client == IPAddress(address))
        }
        client.send(SessionHarness.request("GET", "/healthz"))
        #expect(client.session.client == IPAddress("10.1.1.1"))
    }

    @Test(
        "a connection without its header is closed without a word, at the first byte that shows it",
        arguments: [
            (SessionHarness.request("GET", "/healthz"), ProxyHeaderError.missing),
            ([0x16, 3, 1, 2, 0], .missing), ([13, 10, 71], .missing), (Array("PROXZ".utf8), .missing),
            (Array("PROXY TCP4 1.2.3.4 5.6.7.8 1\r\n".utf8), .malformed),
            (ProxyHeaderBytes.binary(command: 0x31, family: 0x11, []), .malformed),
            (ProxyHeaderBytes.binary(command: 0x21, family: 0x21, [1, 2, 3]), .malformed),
        ])
    func refused(_ bytes: [UInt8], _ error: ProxyHeaderError) throws {
        let harness = try harness()
        for pieces in [[bytes], bytes.map { [$0] }] {
            let client = try harness.connect(from: Self.balancer)
            client.send(pieces: pieces)
            try client.expectEnd()
            #expect(client.bytesSent == 0)
            #expect(client.proxyHeadersRefused == [error])
            #expect(client.refused.isEmpty)
            #expect(client.ended == 1)
            #expect(client.session.ending == .refused)
        }
    }

    @Test("what came behind a refused header is never served")
    func nothingBehind() throws {
        let harness = try harness()
        let client = try harness.connect(from: Self.balancer)
        client.send(
            Array("PROXY TCP4 nobody\r\n".utf8) + SessionHarness.upgrade("/rider/socket", token: harness.token()))
        client.send(SessionHarness.request("GET", "/healthz"))
        try client.expectEnd()
        #expect(client.bytesSent == 0)
        #expect(harness.context.verifier.signatureCount == 0)
    }

    @Test("an address that is not trusted connects as ever, and its header is a malformed request")
    func untrusted() throws {
        let harness = try harness()
        let good = try harness.connect(from: "192.0.2.1")
        good.send(SessionHarness.upgrade("/rider/socket", token: harness.token()))
        #expect(try good.response().status == 101)
        for header in [ProxyHeaderBytes.line(from: "1.2.3.4"), ProxyHeaderBytes.binary(from: [1, 2, 3, 4])] {
            let client = try harness.connect(from: "192.0.2.1")
            client.send(header + SessionHarness.request("GET", "/healthz"))
            #expect(try client.lastResponse().status == 400)
            #expect(client.session.client == IPAddress("192.0.2.1"))
        }
    }

    @Test("without the setting a header is a malformed request, whoever sends it")
    func off() throws {
        let harness = try SessionHarness()
        for header in [ProxyHeaderBytes.line(from: "1.2.3.4"), ProxyHeaderBytes.local] {
            let client = try harness.connect(from: Self.balancer)
            client.send(header)
            #expect(try client.lastResponse().status == 400)
        }
    }

    @Test("the time for the handshake is counted from the accept, header and request together, and ends it quietly")
    func time() throws {
        let harness = try harness()
        let silent = try harness.connect(from: Self.balancer)
        let half = try harness.connect(from: Self.balancer)
        half.send(Array("PROXY TCP4 198.51".utf8))
        let named = try harness.connect(from: Self.balancer)
        harness.advance(seconds: 9)
        named.send(ProxyHeaderBytes.line(from: "198.51.100.7"))
        harness.advance(seconds: 0.9)
        for client in [silent, half, named] { #expect(!client.hasSentEnd) }
        harness.advance(seconds: 0.2)
        for client in [silent, half, named] {
            try client.expectEnd()
            #expect(client.bytesSent == 0)
            #expect(client.session.ending == .handshakeTimeout)
            #expect(client.refused.isEmpty)
            #expect(client.proxyHeadersRefused.isEmpty)
        }
    }

    @Test(
        "a balancer that only connects, or says LOCAL and goes, leaves no trace",
        arguments: [[], ProxyHeaderBytes.local])
    func healthCheck(_ bytes: [UInt8]) throws {
        let harness = try harness()
        let client = try harness.connect(from: Self.balancer)
        if !bytes.isEmpty { client.send(bytes) }
        client.sendEnd()
        #expect(client.hasSentEnd)
        #expect(client.bytesSent == 0)
        #expect(client.refused.isEmpty)
        #expect(client.proxyHeadersRefused.isEmpty)
    }

    @Test("a drain waits a moment for the header and the request behind it, and no longer")
    func drain() throws {
        let harness = try harness()
        let client = try harness.connect(from: Self.balancer)
        let silent = try harness.connect(from: Self.balancer)
        harness.context.isDraining = true
        for connection in [client, silent] { connection.perform { $0.disconnect(.restart, $1) } }
        client.send(ProxyHeaderBytes.binary(from: [198, 51, 100, 1]) + SessionHarness.request("GET", "/healthz"))
        #expect(try client.response().status == 200)
        try client.expectEnd()
        #expect(!silent.hasSentEnd)
        harness.advance(by: Session.lastRequestWait)
        try silent.expectEnd()
        #expect(silent.bytesSent == 0)
    }

    @Test("a forger named by a header is limited alone, and not the balancer")
    func penalty() throws {
        let harness = try harness(["limits.forged={rate:1,burst:1}"])
        func status(_ token: String, for client: [UInt8]) throws -> Int {
            let connection = try harness.connect(from: Self.balancer)
            connection.send(
                ProxyHeaderBytes.binary(from: client) + SessionHarness.upgrade("/rider/socket", token: token))
            return try connection.response().status
        }
        let forged = StormShieldTests.forger
        #expect(try status(forged.token(exp: harness.seconds + 5), for: [198, 51, 100, 1]) == 401)
        #expect(try status(forged.token(exp: harness.seconds + 6), for: [198, 51, 100, 1]) == 429)
        #expect(try status(harness.token("1"), for: [198, 51, 100, 1]) == 429)
        #expect(try status(harness.token("1"), for: [198, 51, 100, 2]) == 101)
    }
}
