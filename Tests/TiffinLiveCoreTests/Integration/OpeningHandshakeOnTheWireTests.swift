import Glibc
import Testing

@testable import TiffinLiveCore

/// Contract section 5 on a real connection: what is sent early, slowly, or too much of.
@Suite("Handshakes on the wire")
struct OpeningHandshakeOnTheWireTests {
    private static func request(_ token: String, _ headers: [(String, String)] = []) -> [UInt8] {
        RawClient.upgradeRequest("/rider/socket", headers: [("Authorization", "Bearer \(token)")] + headers)
    }

    private static func early(_ client: RawClient) -> [UInt8] {
        let subscription = #"{"type":"subscribe","topic":"riders:5521","ref":"early"}"#
        return RawFrame(opcode: RawFrame.text, payload: Array(subscription.utf8)).encoded(key: client.maskingKey)
            + [0x89, 0x81, 0, 0, 0, 0, 0x41]
    }

    // B19
    @Test("frames in the segment of the handshake are served")
    func earlyFrames() throws {
        let server = try LiveServer()
        let client = try server.connect()
        try client.send(Self.request(server.token()) + Self.early(client))
        #expect(try client.receiveUpgradeResponse().status == 101)
        #expect(try client.receiveText().contains("welcome"))
        #expect(try client.receiveText().contains(#""ref":"early""#))
        let pong = try client.receiveFrame()
        #expect(pong == RawFrame(opcode: RawFrame.pong, payload: [0x41]))
    }

    // B19
    @Test("frames behind a refused handshake are dropped, and the answer arrives whole")
    func earlyFramesRefused() throws {
        let server = try LiveServer()
        let client = try server.connect()
        try client.send(Self.request(server.token(ttl: -10)) + Self.early(client))
        let response = try client.receiveUpgradeResponse()
        #expect(response.status == 401)
        #expect(response.text == #"{"error":"token_expired"}"#)
        #expect(response.only("Connection") == "close")
        #expect(try client.expectEnd() == .finished)
        #expect(try server.metric("tiffin_live_messages_received_total") == 0)
    }

    // B19
    @Test("a request behind a refused one is never served")
    func pipelinedRequest() throws {
        let server = try LiveServer()
        let client = try server.connect()
        try client.send(Self.request("x") + RawClient.requestHead("GET", "/healthz"))
        #expect(try client.receiveResponse().status == 401)
        #expect(try client.expectEnd() == .finished)
    }

    // B20
    @Test("a handshake in single bytes is accepted")
    func singleBytes() throws {
        let server = try LiveServer()
        let client = try server.connect()
        for byte in Self.request(server.token()) {
            try client.send([byte])
            usleep(byte == 0x0D ? 5000 : 300)
        }
        #expect(try client.receiveUpgradeResponse().status == 101)
    }

    // B20
    @Test("a header without end is refused at the limit, whatever is sent after it")
    func endlessHeader() throws {
        let server = try LiveServer()
        let client = try server.connect()
        try client.send("GET /rider/socket HTTP/1.1\r\nHost: x\r\nX-Long: ")
        let piece = [UInt8](repeating: 0x61, count: 4096)
        for _ in 0..<5000 { try client.send(piece) }
        let response = try client.receiveResponse()
        #expect(response.status == 431)
        #expect(response.text == #"{"error":"head_too_large"}"#)
        client.finishSending()
        #expect(try client.expectEnd() == .finished)
        #expect(server.logged("error", of: "handshake_refused") == ["head_too_large"])
    }

    // B20
    @Test("large heads in single bytes cost no more than their length")
    func largeHeadsInBytes() throws {
        let server = try LiveServer(["limits.perUser=0", #"limits.handshake="10m""#])
        var clients: [RawClient] = []
        for _ in 0..<Volume.count(10, full: 200) { clients.append(try server.connect()) }
        let request = Self.request(server.token(), [("X-Long", String(repeating: "a", count: 16_000))])
        for byte in request {
            for client in clients { try client.send([byte]) }
        }
        for client in clients { #expect(try client.receiveUpgradeResponse().status == 101) }
    }

    // B22
    @Test("large tokens and cookies are served, and a head over the limit is refused without its content in the log")
    func largeCredentials() throws {
        let server = try LiveServer()
        func token(ofLength length: Int) -> String {
            var pad = length * 3 / 4 - 300
            while true {
                let token = server.tokens.token(
                    exp: server.now + 900, iat: server.now,
                    extra: JSONObject(("pad", .string(String(repeating: "p", count: pad)))))
                if token.utf8.count >= length { return token }
                pad += 1
            }
        }
        let large = token(ofLength: 8754)
        let cookies = (0..<40).map { "name\($0)=" + String(repeating: "v", count: 140) }.joined(separator: "; ")
        let ours = ("Cookie", cookies + "; tiffin_session=abcdef")
        for headers in [[("Authorization", "Bearer \(large)")], [("Authorization", "Bearer \(large)"), ours]] {
            #expect(try server.connect().upgrade("/rider/socket", headers: headers).status == 101)
        }
        let small = [("Authorization", "Bearer \(server.token())"), ours]
        #expect(try server.connect().upgrade("/rider/socket", headers: small).status == 101)
        let base = Self.request(server.token(), [("X-Pad", "")]).count
        for (count, status) in [(32 << 10, 101), ((32 << 10) + 1, 431)] {
            let pad = String(repeating: "q", count: count - base - "X-Pad: \r\n".utf8.count)
            let client = try server.connect()
            try client.send(Self.request(server.token(), [("X-Pad", pad)]))
            #expect(try client.receiveUpgradeResponse().status == status)
        }
        try eventually("the line") { server.logged("error", of: "handshake_refused") == ["head_too_large"] }
        #expect(!server.logText().contains("qqqq"))
    }

    // B23
    @Test("a handshake has one deadline, which no byte extends, and others are served meanwhile")
    func slowHandshakes() throws {
        let server = try LiveServer([#"limits.handshake="1s""#])
        let silent = try (0..<100).map { _ in try server.connect() }
        let dribbling = try (0..<100).map { _ in try server.connect() }
        for client in dribbling { try client.send("GET /rider/socket HTTP/1.1\r\n") }
        for turn in 0..<6 {
            usleep(150_000)
            for client in dribbling { try client.send("X-Line-\(turn): x\r\n") }
            #expect(try server.connect().openWebSocket("/rider/socket", token: server.token()).status == 101)
        }
        for client in silent { #expect(try client.expectEnd() == .finished) }
        for client in dribbling {
            #expect(try client.receiveResponse().status == 408)
            client.finishSending()
            #expect(try client.expectEnd() == .finished)
        }
    }

    /// Framing of a body where none may be.
    static let bodies: [(method: String, headers: [(String, String)])] = [
        ("GET", [("Content-Length", "10485760")]),
        ("GET", [("Transfer-Encoding", "chunked")]),
        ("GET", [("Transfer-Encoding", "chunked"), ("Content-Length", "5")]),
        ("GET", [("Content-Length", "5"), ("Content-Length", "6")]),
        ("POST", [("Content-Length", "5")]),
        ("POST", []),
    ]

    // B25
    @Test("a handshake with a body is refused at once and its body is never read as frames", arguments: bodies.indices)
    func bodyOfHandshake(_ index: Int) throws {
        let (method, headers) = Self.bodies[index]
        let server = try LiveServer()
        let client = try server.connect()
        let upgrade = Self.request(server.token(), headers)
        try client.send(Array("\(method)".utf8) + upgrade.dropFirst(3) + Self.early(client))
        let response = try client.receiveResponse()
        #expect([400, 405, 411, 413].contains(response.status), "\(response.status)")
        #expect(response.only("Connection") == "close")
        client.finishSending()
        #expect(try client.expectEnd() == .finished)
        #expect(try server.metric("tiffin_live_messages_received_total") == 0)
    }

    static let offers: [(offered: [String], answered: String?)] = [
        (["tiffin.v1"], "tiffin.v1"),
        (["other, tiffin.v1"], "tiffin.v1"),
        (["tiffin.v1, bearer.TOKEN"], "tiffin.v1"),
        (["TOKEN"], nil),
        (["foo,bar"], nil),
        (["foo", "tiffin.v1"], "tiffin.v1"),
        ([], nil),
    ]

    // B26
    @Test("a sub-protocol is answered only if it is ours", arguments: offers.indices)
    func subprotocol(_ index: Int) throws {
        let (offered, answered) = Self.offers[index]
        let server = try LiveServer()
        let token = server.token()
        let secret = server.token("9999")
        let headers = offered.map {
            (
                "Sec-WebSocket-Protocol",
                $0.split(separator: "TOKEN", omittingEmptySubsequences: false).joined(separator: secret)
            )
        }
        let response = try server.connect().upgrade(
            "/rider/socket", headers: headers + [("Authorization", "Bearer \(token)")])
        #expect(response.status == 101)
        #expect(response.values("Sec-WebSocket-Protocol") == (answered.map { [$0] } ?? []))
        #expect(!response.fields.contains { $0.value.contains("eyJ") })
        #expect(!server.logText().contains("eyJ"))
    }
}
