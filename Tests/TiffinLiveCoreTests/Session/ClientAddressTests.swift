import Testing

@testable import TiffinLiveCore

@Suite("Contract 11: whose address counts (B82)")
struct ClientAddressTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let peer: String
        let headers: [(String, String)]
        let client: String

        var testDescription: String { name }

        init(_ name: String, from peer: String = "127.0.0.1", _ headers: [String], is client: String) {
            self.name = name
            self.peer = peer
            self.headers = headers.map { ("X-Forwarded-For", $0) }
            self.client = client
        }
    }

    static let cases = [
        Case("no header", [], is: "127.0.0.1"),
        Case("an address", ["198.51.100.7"], is: "198.51.100.7"),
        Case("a peer that is not trusted", from: "192.0.2.1", ["1.2.3.4"], is: "192.0.2.1"),
        Case("the client's own entry in front", ["1.2.3.4, 198.51.100.7"], is: "198.51.100.7"),
        Case("a trusted hop behind", ["198.51.100.7, 127.0.0.5"], is: "198.51.100.7"),
        Case("garbage at the end", ["198.51.100.7, garbage"], is: "127.0.0.1"),
        Case("two lines", ["1.2.3.4", "198.51.100.7"], is: "198.51.100.7"),
        Case("IPv6 with a port", ["[2001:db8::1]:4711"], is: "2001:db8::1"),
        Case("empty", [""], is: "127.0.0.1"),
    ]

    @Test("the right-most address that is not trusted, else the socket's", arguments: cases)
    func address(_ row: Case) throws {
        let harness = try SessionHarness()
        let client = try harness.connect(from: row.peer)
        client.send(SessionHarness.upgrade("/rider/socket", token: harness.token(), headers: row.headers))
        #expect(try client.response().status == 101)
        #expect(client.session.client == IPAddress(row.client))
    }

    @Test("is asked anew for each request of a connection that a proxy keeps")
    func reusedConnection() throws {
        let harness = try SessionHarness()
        let client = try harness.connect(from: "127.0.0.1")
        client.send(SessionHarness.request("GET", "/healthz", headers: [("X-Forwarded-For", "198.51.100.1")]))
        #expect(client.session.client == IPAddress("198.51.100.1"))
        client.send(
            SessionHarness.upgrade(
                "/rider/socket", token: harness.token(), headers: [("X-Forwarded-For", "198.51.100.2")]))
        #expect(client.session.client == IPAddress("198.51.100.2"))
    }

    @Test("a forger behind a trusted proxy is limited alone")
    func penalty() throws {
        let harness = try SessionHarness(["limits.forged={rate:1,burst:1}"])
        func status(_ token: String, for address: String) throws -> Int {
            let client = try harness.connect(from: "127.0.0.1")
            client.send(
                SessionHarness.upgrade("/rider/socket", token: token, headers: [("X-Forwarded-For", address)]))
            return try client.response().status
        }
        let forged = StormShieldTests.forger
        #expect(try status(forged.token(exp: harness.seconds + 5), for: "198.51.100.1") == 401)
        #expect(try status(forged.token(exp: harness.seconds + 6), for: "198.51.100.1") == 429)
        #expect(try status(forged.token(exp: harness.seconds + 7), for: "198.51.100.2") == 401)
    }
}
