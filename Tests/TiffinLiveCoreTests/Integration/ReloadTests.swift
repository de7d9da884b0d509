import Glibc
import Testing

@testable import TiffinLiveCore

/// SIGHUP (contract section 3): the whole configuration, all or nothing, while connections stay.
@Suite("Reload", .enabled(if: ServerProcess.isBuilt))
struct ReloadTests {
    /// Sends SIGHUP and waits for what came of it.
    private func reload(_ server: ServerProcess, _ text: String) throws -> JSONObject {
        try server.configure(text)
        let before = try answers(server).count
        server.signal(SIGHUP)
        try eventually("an answer to the reload") { try answers(server).count > before }
        // Each loop has had a turn since.
        _ = try server.metric("tiffin_live_ready")
        return try #require(try answers(server).last)
    }

    private func answers(_ server: ServerProcess) throws -> [JSONObject] {
        try server.logObjects().filter { line in
            ["configuration_reloaded", "configuration_refused"].contains(line["event"]?.stringValue)
        }
    }

    @Test("settings that can change do, those that cannot are named, and open connections stay")
    func changes() throws {
        let server = try ServerProcess(file: "{ expiry: { maxAge: '2h' } }")
        let rider = try server.rider()
        let line = try reload(
            server,
            """
            {
              redis: { url: "redis://127.0.0.1:1" },
              routes: { "/other": { transports: ["websocket"], topics: ["riders:{sub}"], credentials: ["bearer"] } },
              limits: { perUser: 1, perUserPolicy: "refuse", message: "128B" },
              heartbeat: { ping: "0s" },
              log: { level: "debug" },
            }
            """)
        #expect(
            line["changed"]
                == .strings([
                    "heartbeat.ping", "limits.message", "limits.perUser", "limits.perUserPolicy", "log.level", "routes",
                ]))
        #expect(line["restart"] == .strings(["redis"]))
        // The route is gone for those who come, and is still the name of what it opened.
        #expect(try server.connect().get("/rider/socket").status == 404)
        let second = try server.connect().upgrade(
            "/other", headers: [("Authorization", "Bearer \(server.token())")])
        #expect(second.status == 429)
        let other = try server.connect().upgrade(
            "/other", headers: [("Authorization", "Bearer \(server.token("other"))")])
        #expect(other.status == 101)
        let list = String(decoding: try server.adminGet("/connections?user=5521").body, as: UTF8.self)
        #expect(list.contains(#""route":"/rider/socket""#))
        try server.publish("riders:5521", "1")
        #expect(try rider.receiveText().contains(#""data":1"#))
        try rider.sendText(#"{"type":"x","padding":"\#(String(repeating: "x", count: 200))"}"#)
        #expect(try rider.expectCloseAndEnd().code == 1009)
        #expect(try server.metric(#"tiffin_live_reloads_total{outcome="accepted"}"#) == 1)
    }

    @Test("a faulty file changes nothing, and every fault is said with file, line and key")
    func faulty() throws {
        let server = try ServerProcess()
        let rider = try server.rider()
        let line = try reload(server, "{\n limits: { perUser: 1 },\n drain: { spread: 30 },\n thread: 1 }")
        #expect(line["event"]?.stringValue == "configuration_refused")
        try eventually("a line for each fault") { try server.logObjects("configuration_refused").count == 2 }
        let faults = try server.logObjects("configuration_refused")
        let places = faults.map { "\($0["line"]?.numberValue?.text ?? ""): \($0["key"]?.stringValue ?? "")" }
        #expect(places.sorted() == ["3: drain.spread", "4: thread"])
        #expect(faults.allSatisfy { $0["file"]?.stringValue?.hasSuffix("/config.json5") == true })
        let again = try server.rider()
        _ = (rider, again)
        #expect(try server.openSessions() == 2, "the limit of one is not in force")
        #expect(try server.metric(#"tiffin_live_reloads_total{outcome="refused"}"#) == 1)
    }

    @Test("keys that cannot be read hold back all the rest")
    func faultyKeys() throws {
        let server = try ServerProcess()
        _ = try server.rider()
        try server.write(keys: "{ no keys")
        let line = try reload(server, "{ limits: { perUser: 1, perUserPolicy: 'refuse' } }")
        #expect(line["event"]?.stringValue == "configuration_refused")
        #expect(line["error"]?.stringValue?.hasPrefix("tokens.keys: ") == true)
        let (first, second) = (try server.rider("two"), try server.rider("two"))
        _ = (first, second)
        try server.write(keys: server.tokens.key.publicJWKS)
        #expect(
            try reload(server, "{ limits: { perUser: 1, perUserPolicy: 'refuse' } }")["event"]?.stringValue
                == "configuration_reloaded")
        let third = try server.connect().upgrade(
            "/rider/socket", headers: [("Authorization", "Bearer \(server.token("two"))")])
        #expect(third.status == 429)
    }

    @Test("`onKeyRemoval: close` ends the connections of a key that is gone with 4001, and their tickets open nothing")
    func keyRemoval() throws {
        let (old, new) = (try TestKeys.first(.ES256, kid: "old"), try TestKeys.second(.ES256))
        let server = try ServerProcess(
            [#"tokens.onKeyRemoval="close""#, #"tickets.roles=["restaurant"]"#], tokens: TokenFactory(old))
        let both = "{\"keys\":[\(Self.key(in: old.publicJWKS)),\(Self.key(in: new.publicJWKS))]}"
        try server.write(keys: both)
        try eventually("the new key") { try server.metric("tiffin_live_keys") == 2 }
        let tokens = try TokenFactory(new)
        let claims = JSONObject(("restaurants", .array([.string("88")])))
        func token(_ factory: TokenFactory) -> String {
            factory.token(sub: "r1", role: "restaurant", exp: server.now + 900, extra: claims)
        }
        func ticket(_ factory: TokenFactory) throws -> String {
            let response = try server.connect().post(
                "/live/tickets", headers: [("Authorization", "Bearer \(token(factory))")], body: "")
            return try #require(try JSONReader.read(response.body)["ticket"]?.stringValue)
        }
        func stream(ticket: String) throws -> RawResponse {
            try server.connect().get(
                "/restaurants/88/events?ticket=\(ticket)", headers: [("Accept", "text/event-stream")])
        }
        let stays = try server.connect()
        try stays.openWebSocket("/restaurants/88/events", token: token(tokens))
        let goes = try server.connect()
        try goes.openWebSocket("/restaurants/88/events", token: token(server.tokens))
        let bought = try server.connect()
        try bought.openWebSocket("/restaurants/88/events?ticket=\(try ticket(server.tokens))", token: nil)
        let unused = try ticket(server.tokens)
        try server.write(keys: new.publicJWKS)
        for client in [goes, bought] {
            let (code, reason) = try client.expectCloseAndEnd(passingOverMessages: true)
            #expect(code == 4001)
            #expect(reason == "token_expired")
        }
        #expect(try stream(ticket: unused).status == 401)
        _ = try stays.receiveText(containing: "welcome")
        try stays.sendText(#"{"type":"ping"}"#)
        #expect(try stays.receiveText(containing: "pong").contains("pong"))
    }

    private static func key(in set: String) -> Substring {
        guard let start = set.firstIndex(of: "["), let end = set.lastIndex(of: "]") else { return "" }
        return set[set.index(after: start)..<end]
    }
}
