import Testing

@testable import TiffinLiveCore

/// Contract section 11: no token, ticket, cookie, query string or message body ever, at any level; whole lines always.
@Suite("What the log never holds")
struct LogPrivacyTests {
    @Test("no secret and no content of a busy hour is in the log")
    func secrets() throws {
        let server = try LiveServer([#"log.level="debug""#, #"log.repeat="0s""#, "limits.forged={rate:0,burst:0}"])
        try server.admin("/store", #"{"command":["HSET","order:1","customer_id","7001"]}"#)
        var secrets = ["SECRETTICKET", "SECRETQUERY", "SECRETDATA", "SECRETEVENT", "SECRETBODY", "SECRETCOOKIE"]
        secrets += ["SECRETUSERAGENT", "SECRETREASON", "SECRETPATH", "SECRETSTORE", "SECRETPROTOCOL"]
        var tokens = [server.token(), server.token(ttl: -10), server.token("7001", role: "customer")]
        tokens.append(TokenFactory(.HS256).token(exp: server.now + 900))
        tokens.append(server.tokens.sign(header: #"{"alg":"none"}"#, payload: #"{"sub":"SECRETCLAIM"}"#))
        secrets.append("SECRETCLAIM")
        let noise = [
            ("Cookie", "tiffin_session=SECRETCOOKIE"), ("User-Agent", "SECRETUSERAGENT"),
            ("Sec-WebSocket-Protocol", "SECRETPROTOCOL"),
        ]
        for token in tokens {
            for target in ["/rider/socket?q=SECRETQUERY", "/orders/1/events?q=SECRETQUERY", "/SECRETPATH"] {
                let headers = noise + [("Authorization", "Bearer \(token)")]
                _ = try server.connect().upgrade(target, headers: headers)
            }
            for name in ["token", "access_token", "x"] {
                let response = try server.connect().upgrade("/rider/socket?\(name)=\(token)", headers: noise)
                #expect(response.status == 400)
            }
            _ = try server.connect().upgrade(
                "/rider/socket", headers: [("Sec-WebSocket-Protocol", "bearer.\(token)"), ("Cookie", "t=\(token)")])
            _ = try server.connect().get("/\(token)")
        }
        let ticket = try server.connect().get("/restaurants/88/events?ticket=SECRETTICKET")
        #expect(ticket.status == 401)
        let rider = try server.rider()
        for token in tokens {
            try server.rider().sendText(#"{"type":"auth","token":"\#(token)"}"#)
            // Another user's token would end this one.
            if token != tokens[2] { try rider.sendText(#"{"type":"auth","token":"\#(token)"}"#) }
        }
        try rider.sendText(#"{"type":"accept","note":"SECRETBODY"}"#)
        try rider.sendText("SECRETBODY no JSON")
        try rider.sendText(#"{"type":"subscribe","topic":"SECRETPATH:1","after":"SECRETQUERY"}"#)
        _ = try rider.receiveText(containing: "SECRETPATH")
        try server.publish("riders:5521", #"{"text":"SECRETDATA"}"#, event: "SECRETEVENT")
        _ = try rider.receiveText(containing: "SECRETDATA")
        try server.admin("/publish", #"{"topic":"SECRETDATA","event":"SECRET EVENT","data":"SECRETDATA"}"#)
        try server.admin("/revoke", #"{"SECRETBODY":"#)
        try server.admin("/store", #"{"command":["SET","SECRETSTORE","SECRETSTORE"]}"#)
        try server.admin("/store?q=SECRETQUERY", #"{"command":["SECRETSTORE"]}"#)
        try rider.sendClose(1000, reason: "SECRETREASON")
        #expect(try rider.expectClose(passingOverMessages: true).code == 1000)
        server.stop()
        let log = server.logText()
        #expect(log.utf8.count > 1000)
        for secret in secrets { #expect(!log.contains(secret), "\(secret)") }
        for token in tokens {
            for part in token.split(separator: ".") where part.utf8.count > 8 { #expect(!log.contains(part)) }
        }
        #expect(!log.contains("eyJ"))
    }

    // B89
    @Test("outside text cannot break a line or forge one")
    func forging() throws {
        let server = try LiveServer()
        let names = [
            #"a"b"#, #"a\b"#, "\u{1B}[2J", "x\u{2028}y", "x\u{2029}y", "{\"level\":\"error\"}", "é\u{7F}",
            String(repeating: "u", count: 256),
        ]
        for name in names {
            let token = server.tokens.token(sub: .string(name), exp: server.now + 900, iat: server.now)
            let client = try server.connect()
            let status = try client.upgrade("/rider/socket", headers: [("Authorization", "Bearer \(token)")]).status
            // A name with controls is no name; one that cannot be part of a topic has none.
            #expect([101, 401, 403].contains(status))
        }
        try server.admin("/disconnect", #"{"user":"a\nb\",\"level\":\"error\u2028","code":4000}"#)
        try server.admin("/revoke", #"{"user_id":"x","reason":"a\nb\",\"level\":\"error\",\"x\":\"\u0000\u2028"}"#)
        server.stop()
        let lines = server.logText().split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count > 5)
        for line in lines {
            let object = try JSONReader.read(Array(line.utf8)).objectValue
            let members = try #require(object?.members.map(\.name))
            #expect(members.starts(with: ["at", "level", "event"]))
            #expect(Set(members).count == members.count)
            #expect(object?["level"]?.stringValue != "error")
            #expect(!line.utf8.contains { $0 < 0x20 || $0 == 0x7F })
            #expect(!line.contains("\u{2028}"))
        }
    }
}
