import Testing

@testable import TiffinLiveCore

@Suite("The opening handshake (RFC 6455 §4.2)")
struct OpeningHandshakeTests {
    static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    static let supported = ["tiffin.v1"]
    static let date = HTTPDate(wall: 784_111_777 * .second)

    /// The fields of a good request, with some replaced (nil: left out) and others put at the end.
    static func request(
        method: String = "GET", version: HTTPVersion = .http11, contentLength: Int = 0, isChunked: Bool = false,
        replacing replaced: [String: String?] = [:], adding added: [(name: String, value: String)] = []
    ) -> HTTPRequest {
        var fields: [(name: String, value: String)] = [
            ("Host", "live.example"), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
            ("Sec-WebSocket-Key", key), ("Sec-WebSocket-Version", "13"),
        ]
        fields = fields.compactMap { field in
            guard let other = replaced[field.name] else { return field }
            return other.map { (name: field.name, value: $0) }
        }
        return HTTPRequest(
            method: method, target: RequestTarget(path: "/live", segments: ["live"], query: []), version: version,
            fields: HTTPFields(fields + added),
            contentLength: contentLength, isChunked: isChunked)
    }

    static func status(_ request: HTTPRequest) -> Int {
        do throws(HTTPError) {
            _ = try OpeningHandshake.read(request, supportedSubprotocols: supported)
            return 101
        } catch {
            return error.status
        }
    }

    static func response(_ request: HTTPRequest) throws -> String {
        let buffer = ByteBuffer()
        try OpeningHandshake.read(request, supportedSubprotocols: supported).appendResponse(to: buffer, date: date)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    @Test("the example of §1.3 is answered as it says")
    func example() throws {
        #expect(
            try Self.response(Self.request()) == """
                HTTP/1.1 101 Switching Protocols\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
                \r

                """)
    }

    @Test(
        "names and tokens are taken in any case and in lists",
        arguments: [
            ["Upgrade": "WebSocket"], ["Upgrade": "WEBSOCKET"], ["Upgrade": "h2c, websocket"],
            ["Connection": "keep-alive, Upgrade"], ["Connection": "upgrade,keep-alive"],
            ["Connection": ",, UPGRADE ,"], ["Connection": "keep-alive,\tupgrade"],
        ])
    func tolerated(replaced: [String: String]) {
        #expect(Self.status(Self.request(replacing: replaced)) == 101)
    }

    @Test("the tokens may stand on lines of their own")
    func severalLines() {
        let request = Self.request(
            replacing: ["Connection": "keep-alive"], adding: [("connection", "x"), ("CONNECTION", "Upgrade")])
        #expect(Self.status(request) == 101)
        #expect(Self.status(Self.request(replacing: ["Upgrade": "h2c"], adding: [("Upgrade", "websocket")])) == 101)
    }

    @Test("offers of extensions are ignored, good or bad")
    func extensions() throws {
        for offer in ["permessage-deflate; client_max_window_bits", "permessage-deflate; nonsense=\"", "x-own", ";;,"] {
            let response = try Self.response(Self.request(adding: [("Sec-WebSocket-Extensions", offer)]))
            #expect(!response.contains("Extensions"))
        }
    }

    @Test("other methods are refused", arguments: ["POST", "HEAD", "PUT", "OPTIONS", "get"])
    func methods(method: String) throws {
        #expect(Self.status(Self.request(method: method)) == 405)
        #expect(Self.refusal(Self.request(method: method)).contains("Allow: GET\r\n"))
    }

    @Test("HTTP/1.0 and requests with a body are refused")
    func versionAndBody() {
        #expect(Self.status(Self.request(version: .http10)) == 400)
        #expect(Self.status(Self.request(contentLength: 10_485_760)) == 400)
        #expect(Self.status(Self.request(contentLength: 1)) == 400)
        #expect(Self.status(Self.request(isChunked: true)) == 400)
        #expect(Self.status(Self.request(contentLength: 0, adding: [("Content-Length", "0")])) == 101)
    }

    @Test(
        "a request that does not ask for the upgrade is told of it",
        arguments: [nil, "", "h2c", "websockets", "web socket", "websocket2", "websocket/13"] as [String?])
    func noUpgrade(value: String?) {
        let request = Self.request(replacing: ["Upgrade": value])
        #expect(Self.status(request) == 426)
        #expect(Self.refusal(request).contains("Upgrade: websocket\r\n"))
    }

    @Test(
        "without its token in Connection it is no upgrade",
        arguments: [nil, "", "keep-alive", "close", "upgraded", "up grade"] as [String?])
    func noConnection(value: String?) {
        #expect(Self.status(Self.request(replacing: ["Connection": value])) == 400)
    }

    @Test(
        "every version but 13 is refused with the version we speak",
        arguments: [nil, "", "8", "0", "99", "-13", "013", "13.0", "13, 8", "8, 13", "13,13", "+13"] as [String?])
    func versions(value: String?) {
        let request = Self.request(replacing: ["Sec-WebSocket-Version": value])
        #expect(Self.status(request) == 426)
        let response = Self.refusal(request)
        #expect(response.hasPrefix("HTTP/1.1 426 "))
        #expect(response.contains("Sec-WebSocket-Version: 13\r\n"))
        #expect(response.contains("Connection: close\r\n"))
        #expect(response.components(of: "Upgrade: websocket") == 1)
    }

    @Test("two versions are refused, even if they agree")
    func versionTwice() {
        #expect(Self.status(Self.request(adding: [("Sec-WebSocket-Version", "13")])) == 426)
        #expect(Self.status(Self.request(adding: [("sec-websocket-version", "8")])) == 426)
    }

    @Test(
        "a key that is not 16 bytes in base64 is refused",
        arguments: [
            nil, "", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25j",
            "dGhlIHNhbXBsZSBub25jZTE=", "dGhlIHNhbXBsZSBub25jZTEx", "dGhlIHNhbXBsZSBub25jZ===",
            "dGhlIHNhbXBsZSBub25j!Q==", "dGhlIHNhbXBsZSBub2-_ZQ==", "dGhlIHNhbXBsZ SBub25jQ==",
            "=GhlIHNhbXBsZSBub25jZQ=",
            "dGhlIHNhbXBsZSBub25jZQ==, x",
        ] as [String?])
    func keys(value: String?) {
        #expect(Self.status(Self.request(replacing: ["Sec-WebSocket-Key": value])) == 400)
    }

    @Test("two keys are refused, even if they agree")
    func keyTwice() {
        #expect(Self.status(Self.request(adding: [("Sec-WebSocket-Key", Self.key)])) == 400)
    }

    @Test("another key has another answer")
    func otherKey() throws {
        let response = try Self.response(Self.request(replacing: ["Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw=="]))
        #expect(response.contains("Sec-WebSocket-Accept: HSmrc0sMlYUkAGmm5OPpG2HaGWk=\r\n"))
    }

    /// The answer to a request that must be refused, as text.
    static func refusal(_ request: HTTPRequest) -> String {
        do throws(HTTPError) {
            _ = try OpeningHandshake.read(request, supportedSubprotocols: supported)
            return ""
        } catch {
            let buffer = ByteBuffer()
            OpeningHandshake.refusal(error).append(to: buffer, date: date, closes: true, version: .http11)
            return String(decoding: buffer.bytes, as: UTF8.self)
        }
    }
}

@Suite("The choice of a subprotocol (RFC 6455 §4.2.2)")
struct SubprotocolTests {
    static func chosen(_ offers: [String], supported: [String] = ["tiffin.v1"]) throws -> String? {
        let request = OpeningHandshakeTests.request(
            adding: offers.map { (name: "Sec-WebSocket-Protocol", value: $0) })
        return try OpeningHandshake.read(request, supportedSubprotocols: supported).subprotocol
    }

    @Test(
        "the one of ours that was offered is chosen",
        arguments: [
            ["tiffin.v1"], ["tiffin.v1, bearer.eyJhbGciOiJFUzI1NiJ9.e30.c2ln"], ["foo,bar,tiffin.v1"],
            ["foo", "tiffin.v1"], ["tiffin.v1, tiffin.v1"], [" ,, tiffin.v1 ,"], ["bearer.abc", "tiffin.v1"],
        ])
    func ours(offers: [String]) throws {
        #expect(try Self.chosen(offers) == "tiffin.v1")
    }

    @Test(
        "nothing is chosen that is not ours, least of all a token",
        arguments: [
            [], [""], ["foo,bar"], ["eyJhbGciOiJFUzI1NiJ9.e30.c2ln"], ["bearer.eyJhbGciOiJFUzI1NiJ9.e30.c2ln"],
            ["TIFFIN.V1"], ["tiffin.v1x"], ["tiffin.v"], ["tiffin. v1"], ["foo", "bar"],
        ])
    func notOurs(offers: [String]) throws {
        #expect(try Self.chosen(offers) == nil)
    }

    @Test("of several of ours the client's order decides")
    func order() throws {
        #expect(try Self.chosen(["tiffin.v2, tiffin.v1"], supported: ["tiffin.v1", "tiffin.v2"]) == "tiffin.v2")
        #expect(try Self.chosen(["x", "tiffin.v1"], supported: ["tiffin.v1", "tiffin.v2"]) == "tiffin.v1")
        #expect(try Self.chosen(["tiffin.v1"], supported: []) == nil)
    }

    @Test("the response has the field once when one was chosen, and otherwise not at all")
    func response() throws {
        let with = OpeningHandshakeTests.request(
            adding: [("Sec-WebSocket-Protocol", "tiffin.v1, bearer.SECRET"), ("Sec-WebSocket-Protocol", "tiffin.v1")])
        let text = try OpeningHandshakeTests.response(with)
        #expect(text.components(of: "Sec-WebSocket-Protocol") == 1)
        #expect(text.contains("Sec-WebSocket-Protocol: tiffin.v1\r\n"))
        #expect(!text.contains("SECRET"))
        let without = OpeningHandshakeTests.request(adding: [("Sec-WebSocket-Protocol", "bearer.SECRET")])
        let other = try OpeningHandshakeTests.response(without)
        #expect(other.components(of: "Sec-WebSocket-Protocol") == 0)
        #expect(!other.contains("SECRET"))
    }
}

extension String {
    /// How often `part` occurs.
    fileprivate func components(of part: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: part) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
