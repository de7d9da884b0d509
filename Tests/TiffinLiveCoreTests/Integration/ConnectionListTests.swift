import Testing

@testable import TiffinLiveCore

/// `GET /connections` of a running server (contract section 11).
@Suite("The list of connections")
struct ConnectionListTests {
    private func list(_ server: LiveServer, _ query: String) throws -> [JSONObject] {
        let response = try server.adminGet("/connections\(query)")
        #expect(response.status == 200, "\(query)")
        return try JSONReader.read(response.body).arrayValue?.compactMap(\.objectValue) ?? []
    }

    private func users(_ server: LiveServer, _ query: String) throws -> [String] {
        try list(server, query).compactMap { $0["user"]?.stringValue }.sorted()
    }

    @Test("conditions choose, and all that are given must hold")
    func conditions() throws {
        let server = try LiveServer()
        let riders = try ["1", "1", "2"].map { try server.rider($0) }
        let streams = try [("7001", "a"), ("7002", "b"), ("1", "c")].map { try server.customer($0, order: $1) }
        let events = "/orders/{order}/events"
        for (query, expected) in [
            ("", ["1", "1", "1", "2", "7001", "7002"]), ("?user=1", ["1", "1", "1"]), ("?role=rider", ["1", "1", "2"]),
            ("?role=customer", ["1", "7001", "7002"]), ("?user=1&role=customer", ["1"]),
            ("?topic=orders:b", ["7002"]), ("?topic=riders:1", ["1", "1"]), ("?topic=orders:b&user=7001", []),
            ("?route=\(events)", ["1", "7001", "7002"]), ("?route=/rider/socket&user=1", ["1", "1"]),
            ("?route=\(events)&role=customer&topic=orders:c&user=1", ["1"]), ("?user=nobody", []), ("?role=", []),
            ("?topic=orders", []), ("?route=/rider", []), ("?user=1&limit=2", ["1", "1"]),
        ] {
            #expect(try users(server, query) == expected, "\(query)")
        }
        #expect(riders.count + streams.count == 6)
    }

    @Test(
        "a parameter that is unknown, doubled or malformed is 400",
        arguments: ["usr=1", "limit=0", "after=x", "user=1&user=1"])
    func badParameters(query: String) throws {
        let server = try LiveServer()
        let response = try server.adminGet("/connections?" + query)
        #expect(response.status == 400)
        #expect(response.text == #"{"error":"bad_request"}"#)
    }

    @Test("pages are in order, and who is there all the time is listed once while others come and go")
    func pages() throws {
        let server = try LiveServer(["limits.perUser=0"])
        let staying = try (0..<23).map { try server.rider("stays\($0 % 5)") }
        var passing = try (0..<10).map { try server.rider("goes\($0)") }
        var seen: [String] = []
        var names: [String] = []
        var after = ""
        while true {
            let page = try list(server, "?limit=4\(after)")
            #expect(page.count <= 4)
            seen += page.compactMap { $0["user"]?.stringValue }.filter { $0.hasPrefix("stays") }
            names += page.compactMap { $0["connection"]?.stringValue }
            guard page.count == 4, let last = page.last?["connection"]?.stringValue else { break }
            after = "&after=\(last)"
            if let client = passing.popLast() {
                try client.sendClose(1000)
                _ = try client.receiveToEnd()
            }
            passing.insert(try server.rider("comes"), at: 0)
            if passing.count > 12 { passing.removeLast().reset() }
        }
        #expect(names == Set(names).sorted())
        #expect(seen.count == staying.count)
    }

    @Test("more connections than one turn looks at are all listed and counted, and one of them is found by its name")
    func severalTurns() throws {
        let count = ConnectionWalk.slotsPerTurn + 200
        let server = try LiveServer(["limits.perUser=0", "threads=1", "log.level=\"error\""])
        let token = server.token("many")
        let clients = try (0..<count).map { _ in
            let client = try server.connect()
            try client.send(RawClient.upgradeRequest("/rider/socket", headers: [("Authorization", "Bearer \(token)")]))
            return client
        }
        for client in clients { #expect(try client.receiveUpgradeResponse().status == 101) }
        #expect(try server.metric("tiffin_live_sockets") == Double(count))
        var names: Set<String> = []
        var after = ""
        while true {
            let page = try list(server, "?role=rider\(after)").compactMap { $0["connection"]?.stringValue }
            for name in page { #expect(names.insert(name).inserted) }
            guard page.count == ConnectionFilter.maximumLimit, let last = page.last else { break }
            after = "&after=\(last)"
        }
        #expect(names.count == count)
        let last = try #require(names.max())
        #expect(try server.admin("/disconnect", #"{"connection":"\#(last)"}"#).text == #"{"closed":1}"#)
        try eventually("its end") { try server.openSessions() == count - 1 }
    }
}
