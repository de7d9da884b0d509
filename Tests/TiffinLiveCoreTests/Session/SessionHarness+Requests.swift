import Testing

@testable import TiffinLiveCore

/// Requests as clients write them, and sessions that are open already.
extension SessionHarness {
    static func request(
        _ method: String = "GET", _ target: String, version: String = "HTTP/1.1", headers: [(String, String)] = []
    ) -> [UInt8] {
        var text = "\(method) \(target) \(version)\r\nHost: live.tiffin.example\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// An opening handshake. A header given replaces ours of the same name; an empty value leaves it out.
    static func upgrade(_ target: String, token: String? = nil, headers: [(String, String)] = []) -> [UInt8] {
        let names = Set(headers.map { $0.0.lowercased() })
        var all = [
            ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ].filter { !names.contains($0.0.lowercased()) }
        if let token { all.append(("Authorization", "Bearer \(token)")) }
        return request("GET", target, headers: all + headers.filter { !$0.1.isEmpty })
    }

    static func stream(
        _ target: String, token: String? = nil, lastEventID: String? = nil, version: String = "HTTP/1.1",
        headers: [(String, String)] = []
    ) -> [UInt8] {
        var all = [("Accept", "text/event-stream")] + headers
        if let token { all.append(("Authorization", "Bearer \(token)")) }
        if let lastEventID { all.append(("Last-Event-ID", lastEventID)) }
        return request("GET", target, version: version, headers: all)
    }

    /// A WebSocket whose welcome has been read.
    func openWebSocket(
        _ target: String = "/rider/socket", token: String? = nil, isWelcomed: Bool = true
    ) throws -> HarnessClient {
        let client = try connect()
        client.send(Self.upgrade(target, token: token ?? self.token()))
        let response = try client.response()
        guard response.status == 101 else { throw RawClientError.unexpected("\(response.status) \(response.text)") }
        if isWelcomed {
            client.welcome = try client.message()
            #expect(client.welcome["type"] == "welcome")
        }
        return client
    }

    /// An event stream whose `retry` and welcome have been read; the blocks behind them wait.
    func openStream(
        _ target: String = "/orders/123/events", token: String? = nil, lastEventID: String? = nil,
        version: String = "HTTP/1.1"
    ) throws -> HarnessClient {
        own("123", by: "7001")
        let client = try connect()
        client.send(
            Self.stream(
                target, token: token ?? self.token("7001", role: "customer"), lastEventID: lastEventID,
                version: version))
        try client.readStreamHead()
        return client
    }

    /// Three topics on one event stream, for everybody with a `sub`.
    static let threeTopics = [
        #"topics={"a:{x}":{claim:{sub:"{x}"}},"b:{x}":{claim:{sub:"{x}"}},"c:{x}":{claim:{sub:"{x}"}}}"#,
        #"routes={"/feeds":{transports:["sse","websocket"],topics:["a:{sub}","b:{sub}","c:{sub}"]}}"#,
    ]
}

extension HarnessClient {
    /// The head of an event stream and its first two blocks.
    func readStreamHead() throws {
        let response = try response(headOnly: true)
        guard response.status == 200, response.only("Content-Type") == "text/event-stream" else {
            throw RawClientError.unexpected("\(response.status) \(response.fields)")
        }
        isStreamChunked = response.only("Transfer-Encoding") == "chunked"
    }
}
