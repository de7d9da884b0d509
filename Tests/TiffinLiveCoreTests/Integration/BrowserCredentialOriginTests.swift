import Testing

@testable import TiffinLiveCore

/// What a browser's handshake looks like on the wire.
struct BrowserHandshake {
    static let page = "https://app.example.com"
    static let settings = [#"browser={origins:["\#(page)"],cookie:{name:"sid"}}"#, #"lookups.timeout="20s""#]

    /// The status of a handshake at the restaurant's feed; the connection stays as it is until `client` goes.
    static func open(
        _ server: LiveServer, isWebSocket: Bool, _ headers: [(String, String)],
        target: String = "/restaurants/88/events"
    ) throws -> (response: RawResponse, client: RawClient) {
        let client = try server.connect()
        if isWebSocket { return (try client.upgrade(target, headers: headers), client) }
        try client.send(RawClient.requestHead("GET", target, headers: headers))
        return (try client.receiveResponseHead(), client)
    }

    static func status(
        _ server: LiveServer, isWebSocket: Bool, _ headers: [(String, String)],
        target: String = "/restaurants/88/events"
    ) throws -> Int {
        try open(server, isWebSocket: isWebSocket, headers, target: target).response.status
    }

    static func token(_ server: LiveServer, _ user: String = "u1", ttl: Int64 = 900) -> String {
        server.tokens.token(
            sub: .string(user), role: "restaurant", exp: server.now + ttl, iat: server.now,
            extra: ["restaurants": ["88"]])
    }

    /// A ticket bought with a bearer token.
    static func ticket(_ server: LiveServer, _ user: String = "u1", ttl: Int64 = 900, body: String = "") throws
        -> String
    {
        let response = try server.connect().post(
            "/live/tickets", headers: [("Authorization", "Bearer \(token(server, user, ttl: ttl))")], body: body)
        guard response.status == 200, let ticket = try JSONReader.read(response.body)["ticket"]?.stringValue else {
            throw UnexpectedAnswer(what: "ticket: \(response.status) \(response.text)")
        }
        return ticket
    }
}

@Suite("Browsers on the wire: origins")
struct BrowserCredentialOriginTests {
    typealias Browser = BrowserHandshake

    @Test("who is asked where it comes from, and who is not (B32)", arguments: [true, false])
    func matrix(isWebSocket: Bool) throws {
        let server = try LiveServer(Browser.settings)
        let opened = isWebSocket ? 101 : 200
        let cookie = ("Cookie", "sid=\(Browser.token(server))")
        let bearer = ("Authorization", "Bearer \(Browser.token(server))")
        let foreign = ("Origin", "https://evil.example")
        let listed = ("Origin", Browser.page)
        let crossSite = ("Sec-Fetch-Site", "cross-site")
        let withoutOrigin = isWebSocket ? 403 : 200
        let cases: [(name: String, headers: [(String, String)], status: Int)] = [
            ("bearer, no Origin", [bearer], opened), ("bearer, foreign", [bearer, foreign], opened),
            ("bearer, listed", [bearer, listed], opened),
            ("bearer and cookie, foreign", [bearer, cookie, foreign], opened),
            ("cookie, no Origin", [cookie], withoutOrigin), ("cookie, foreign", [cookie, foreign], 403),
            ("cookie, listed", [cookie, listed], opened), ("cookie, null", [cookie, ("Origin", "null")], 403),
            ("cookie, two", [cookie, listed, foreign], 403), ("cookie, cross-site", [cookie, crossSite], 403),
            ("cookie, same-origin", [cookie, ("Sec-Fetch-Site", "same-origin")], withoutOrigin),
            ("cookie, listed and cross-site", [cookie, listed, crossSite], opened),
            ("nothing, foreign", [foreign], 401),
        ]
        for (name, headers, status) in cases {
            #expect(try Browser.status(server, isWebSocket: isWebSocket, headers) == status, "\(name)")
        }
        for (name, headers) in [("no Origin", []), ("foreign", [foreign]), ("listed", [listed])] {
            let target = "/restaurants/88/events?ticket=\(try Browser.ticket(server))"
            let status = try Browser.status(server, isWebSocket: isWebSocket, headers, target: target)
            #expect(status == opened, "ticket, \(name)")
        }
    }

    @Test(
        "look-alikes of a listed origin are 403 before a ticket or a signature is spent (B29, B31)",
        arguments: [true, false])
    func lookAlikes(isWebSocket: Bool) throws {
        let server = try LiveServer(Browser.settings)
        let cookie = ("Cookie", "sid=\(Browser.token(server))")
        let refused = [
            "https://app.example.com.evil.test", "https://evilapp.example.com", "https://evilexample.com",
            "https://app.example.com@evil.test", "https://app.example.com%2eevil.test", "https://app.example.com:8443",
            "http://app.example.com", "https://app.example.com/", "https://app.example.com.", "null", "*",
        ]
        for origin in refused {
            let (response, client) = try Browser.open(server, isWebSocket: isWebSocket, [cookie, ("Origin", origin)])
            #expect(response.status == 403, "\(origin)")
            #expect(response.only("Access-Control-Allow-Origin") == nil)
            #expect(response.only("Connection")?.lowercased() == "close")
            _ = client
        }
        for origin in ["https://APP.Example.COM", "https://app.example.com:443"] {
            for host in ["live.example.com", "live.example.com:443"] {
                let headers = [cookie, ("Origin", origin), ("Host", host)]
                #expect(try Browser.status(server, isWebSocket: isWebSocket, headers) == (isWebSocket ? 101 : 200))
            }
        }
        #expect(try server.metric(#"tiffin_live_handshakes_total{outcome="origin_refused"}"#) == Double(refused.count))
    }

    @Test("the copies of a cookie count as a set (B28)", arguments: [true, false])
    func copies(isWebSocket: Bool) throws {
        let server = try LiveServer(Browser.settings)
        let good = Browser.token(server)
        let expired = Browser.token(server, ttl: -5)
        let other = Browser.token(server, "u2")
        let opened = isWebSocket ? 101 : 200
        for (cookie, status) in [
            ("sid=\(expired); sid=\(good)", opened), ("sid=\(good); sid=\(expired)", opened),
            ("sid=\(good); sid=\(other)", 401), ("sid=\(other); sid=\(good)", 401), ("SID=\(good)", 401),
            ("xsid=x; sid=\(good)", opened), ("sid=\"\(good)\"", opened), ("sid=\(good)=", 401),
        ] {
            let headers = [("Cookie", cookie), ("Origin", Browser.page)]
            #expect(try Browser.status(server, isWebSocket: isWebSocket, headers) == status)
        }
    }

    @Test("a session id is looked up in the store, and neither it nor a token is in the log")
    func sessions() throws {
        let server = try LiveServer([
            #"browser={origins:["\#(Browser.page)"],cookie:{name:"sid",session:["GET","session:{cookie}"]}}"#,
            #"lookups.timeout="20s""#,
        ])
        let id = "s3ss10n-of-u1"
        let json = #"{\"sub\":\"u1\",\"role\":\"restaurant\",\"exp\":\#(server.now + 900),\"restaurants\":[\"88\"]}"#
        try server.admin("/store", #"{"command":["SET","session:\#(id)","\#(json)"]}"#)
        let headers = [("Cookie", "sid=\(id)"), ("Origin", Browser.page)]
        let (response, client) = try Browser.open(server, isWebSocket: true, headers)
        #expect(response.status == 101)
        #expect(try client.receiveText().contains(#""user":"u1""#))
        #expect(try Browser.status(server, isWebSocket: false, headers) == 200)
        #expect(try Browser.status(server, isWebSocket: false, [("Cookie", "sid=other-id"), headers[1]]) == 401)
        try server.admin("/revoke", #"{"user_id":"u1"}"#)
        #expect(try client.expectCloseAndEnd().code == 4003)
        #expect(try Browser.status(server, isWebSocket: false, headers) == 401)
        server.stop()
        #expect(!server.logText().contains(id))
        #expect(!server.logText().contains("other-id"))
    }

    @Test("a page of a listed origin can read the stream and its errors; a preflight keeps the connection")
    func cors() throws {
        let server = try LiveServer(Browser.settings)
        let client = try server.connect()
        let preflight = try client.request(
            "OPTIONS", "/restaurants/88/events",
            headers: [("Origin", Browser.page), ("Access-Control-Request-Method", "GET")])
        #expect(preflight.status == 204)
        #expect(preflight.only("Access-Control-Allow-Origin") == Browser.page)
        try client.send(
            RawClient.requestHead(
                "GET", "/restaurants/88/events",
                headers: [("Origin", Browser.page), ("Cookie", "sid=\(Browser.token(server))")]))
        let stream = try client.receiveResponseHead()
        #expect(stream.status == 200)
        let refused = try Browser.open(server, isWebSocket: false, [("Origin", Browser.page)]).response
        #expect(refused.status == 401)
        for response in [stream, refused] {
            #expect(response.only("Access-Control-Allow-Origin") == Browser.page)
            #expect(response.only("Access-Control-Allow-Credentials") == "true")
            #expect(response.only("Vary") == "Origin")
        }
    }
}
