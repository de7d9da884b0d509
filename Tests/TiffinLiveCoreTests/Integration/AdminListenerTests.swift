import Testing

@testable import TiffinLiveCore

/// Contract sections 9 and 11: the admin listener.
@Suite("The admin listener")
struct AdminListenerTests {
    @Test("connections are listed with all that an operator asks for")
    func connections() throws {
        let server = try LiveServer()
        try server.admin("/store", #"{"command":["HSET","order:1","customer_id","7001"]}"#)
        let rider = try server.rider("5521")
        let stream = try server.connect().openEventStream(
            "/orders/1/events", token: server.token("7001", role: "customer"))
        let welcome = try JSONReader.read(Array(try #require(try stream.nextEvent()?.data).utf8))
        let all = try #require(try JSONReader.read(try server.adminGet("/connections").body).arrayValue)
        #expect(all.count == 2)
        let list = try #require(try JSONReader.read(try server.adminGet("/connections?user=7001").body).arrayValue)
        #expect(list.count == 1)
        let entry = try #require(list.first?.objectValue)
        let names = [
            "connection", "user", "role", "route", "transport", "topics", "remote", "opened_at", "deadline", "queued",
        ]
        #expect(entry.members.map(\.name) == names)
        #expect(entry["connection"]?.stringValue == welcome["connection"]?.stringValue)
        #expect(entry["user"]?.stringValue == "7001")
        #expect(entry["role"]?.stringValue == "customer")
        #expect(entry["route"]?.stringValue == "/orders/{order}/events")
        #expect(entry["transport"]?.stringValue == "sse")
        #expect(entry["topics"]?.arrayValue?.compactMap(\.stringValue) == ["orders:1"])
        #expect(entry["remote"]?.stringValue == "127.0.0.1")
        let opened = try #require(entry["opened_at"]?.stringValue)
        let deadline = try #require(entry["deadline"]?.stringValue)
        #expect(opened < deadline)
        #expect(entry["queued"]?.numberValue?.int64 == 0)
        #expect(try server.adminGet("/connections?user=nobody").text == "[]")
        rider.close()
    }

    @Test("disconnect ends a user's connections or one of them, with 1012 or a code that was asked for")
    func disconnect() throws {
        let server = try LiveServer()
        let clients = try (0..<3).map { _ in try server.rider() }
        let bystander = try server.rider("5522")
        let list = try #require(try JSONReader.read(try server.adminGet("/connections?user=5521").body).arrayValue)
        let name = try #require(list.first?["connection"]?.stringValue)
        let one = try server.admin("/disconnect", #"{"connection":"\#(name)","code":4004}"#)
        #expect(one.text == #"{"closed":1}"#)
        #expect(try server.admin("/disconnect", #"{"connection":"\#(name)"}"#).text == #"{"closed":0}"#)
        #expect(try server.admin("/disconnect", #"{"user":5521}"#).text == #"{"closed":2}"#)
        let codes = try clients.map { try $0.expectCloseAndEnd().code ?? 0 }
        #expect(codes.sorted() == [1012, 1012, 4004])
        for body in [
            "", "{}", "[]", #"{"user":true}"#, #"{"user":"5522","code":1005}"#, #"{"user":"5522","code":99999}"#,
        ] {
            #expect(try server.admin("/disconnect", body).status == 400, "\(body)")
        }
        try bystander.sendText(#"{"type":"ping"}"#)
        #expect(try bystander.receiveText() == #"{"type":"pong"}"#)
    }

    @Test("a batch in is a batch out, in order, and a faulty item publishes none")
    func batch() throws {
        let server = try LiveServer()
        let rider = try server.rider()
        let items = (0..<10).map { #"{"topic":"riders:5521","data":\#($0)}"# }.joined(separator: ",")
        let response = try server.admin("/publish", "[\(items)]")
        #expect(response.status == 200)
        let ids = try #require(try JSONReader.read(response.body).arrayValue?.compactMap { $0["id"]?.stringValue })
        #expect(ids.count == 10)
        for (number, id) in ids.enumerated() {
            let expected = #"{"type":"event","topic":"riders:5521","id":"\#(id)","event":"message","data":\#(number)}"#
            #expect(try rider.receiveText() == expected)
        }
        #expect(try server.admin("/publish", #"[\#(items),{"topic":"riders:5521"}]"#).status == 400)
        #expect(try server.admin("/publish", "[]").text == "[]")
        try rider.sendText(#"{"type":"ping"}"#)
        #expect(try rider.receiveText() == #"{"type":"pong"}"#)
    }

    @Test("an idempotency key publishes once, and with another body it is a conflict")
    func idempotency() throws {
        let server = try LiveServer()
        let rider = try server.rider()
        let key = [("Idempotency-Key", "order-981-offer")]
        let body = #"{"topic":"riders:5521","event":"offer","data":{"order":981}}"#
        let first = try server.admin("/publish", body, headers: key)
        #expect(first.status == 200)
        for _ in 0..<5 { #expect(try server.admin("/publish", body, headers: key).text == first.text) }
        let other = try server.admin("/publish", #"{"topic":"riders:5521","data":1}"#, headers: key)
        #expect(other.status == 409)
        let again = try server.admin("/publish", body, headers: [("Idempotency-Key", "another")])
        #expect(again.status == 200)
        #expect(again.text != first.text)
        for (name, status) in [("", 400), (String(repeating: "k", count: 100_000), 431)] {
            #expect(try server.admin("/publish", body, headers: [("Idempotency-Key", name)]).status == status)
        }
        #expect(try rider.receiveText().contains(#""event":"offer""#))
        #expect(try rider.receiveText().contains(#""event":"offer""#))
        try rider.sendText(#"{"type":"ping"}"#)
        #expect(try rider.receiveText() == #"{"type":"pong"}"#)
        // A failed attempt does not use the key up.
        let retry = [("Idempotency-Key", "retry")]
        #expect(try server.admin("/publish", #"{"topic":""}"#, headers: retry).status == 400)
        #expect(try server.admin("/publish", body, headers: retry).status == 200)
    }

    @Test(
        "what cannot be published is refused and reaches nobody",
        arguments: [
            "", "{", "7", "null", "{}", #"{"topic":"riders:5521"}"#, #"{"data":1}"#, #"{"topic":"","data":1}"#,
            #"{"topic":"a b","data":1}"#, #"{"topic":"a\n","data":1}"#, #"{"topic":7,"data":1}"#,
            #"{"topic":"riders:5521","event":"a b","data":1}"#, #"{"topic":"riders:5521","event":7,"data":1}"#,
            #"{"topic":"riders:5521","event":"a\nid: 1","data":1}"#,
            #"{"topic":"riders:5521","data":1,"data":2}"#, #"{"topic":"riders:5521","data":\ud800}"#,
            #"{"topic":"riders:5521","data":"\ud800"}"#, #"[{"topic":"riders:5521","data":1},7]"#,
        ])
    func badPublication(_ body: String) throws {
        let server = try LiveServer()
        let rider = try server.rider()
        let response = try server.admin("/publish", body)
        #expect(response.status == 400)
        #expect(response.text.hasPrefix(#"{"error":""#))
        try rider.sendText(#"{"type":"ping"}"#)
        #expect(try rider.receiveText() == #"{"type":"pong"}"#)
        try eventually("the line") { server.logLines("publish_refused").count == 1 }
    }

    @Test("a body over the limit is refused with 413, one at the limit is served")
    func largeBodies() throws {
        let server = try LiveServer(["limits.outbound=\"4MiB\""])
        let rider = try server.rider()
        let frame = #"{"topic":"riders:5521","data":""}"#.utf8.count
        func body(_ count: Int) -> String {
            #"{"topic":"riders:5521","data":"\#(String(repeating: "d", count: count - frame))"}"#
        }
        #expect(try server.admin("/publish", body((1 << 20) + 1)).status == 413)
        #expect(try server.admin("/publish", body(1 << 20)).status == 200)
        #expect(try rider.receiveText().utf8.count > (1 << 20) - 100)
        let client = try server.adminClient()
        try client.send("POST /publish HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n")
        #expect([400, 413].contains(try client.receiveResponse().status))
    }

    @Test("the store answers as Redis would")
    func store() throws {
        let server = try LiveServer()
        let client = try server.adminClient()
        let commands: [(words: String, answer: String)] = [
            (#"["SET","a","1"]"#, #"{"result":"OK"}"#), (#"["GET","a"]"#, #"{"result":"1"}"#),
            (#"["get","a"]"#, #"{"result":"1"}"#), (#"["SET","a","2","NX"]"#, #"{"result":null}"#),
            (#"["GETDEL","a"]"#, #"{"result":"1"}"#), (#"["GETDEL","a"]"#, #"{"result":null}"#),
            (#"["HSET","h","f","v"]"#, #"{"result":1}"#), (#"["HGET","h","f"]"#, #"{"result":"v"}"#),
            (#"["HGET","h","g"]"#, #"{"result":null}"#), (#"["SADD","s",7,8]"#, #"{"result":2}"#),
            (#"["SISMEMBER","s","7"]"#, #"{"result":1}"#), (#"["SREM","s","7"]"#, #"{"result":1}"#),
            (#"["SISMEMBER","s","7"]"#, #"{"result":0}"#), (#"["EXPIRE","h",60]"#, #"{"result":1}"#),
            (#"["DEL","h","s","nothing"]"#, #"{"result":2}"#),
        ]
        for (words, answer) in commands {
            let response = try client.post("/store", body: #"{"command":\#(words)}"#)
            #expect(response.status == 200)
            #expect(response.text == answer, "\(words)")
        }
        for body in [
            "", "{}", #"{"command":[]}"#, #"{"command":"GET a"}"#, #"{"command":["GET",null]}"#,
            #"{"command":["FLUSHALL"]}"#, #"{"command":["GET"]}"#, #"{"command":["EXPIRE","a","x"]}"#,
        ] {
            #expect(try client.post("/store", body: body).status == 400, "\(body)")
        }
    }

    @Test("health, methods and unknown paths")
    func paths() throws {
        let server = try LiveServer()
        let client = try server.adminClient()
        #expect(try client.get("/healthz").text == "ok\n")
        #expect(try client.get("/readyz").text == "ready\n")
        #expect(try client.get("/metrics").status == 200)
        for path in ["/", "/publish/x", "/nothing", "/connections/1"] { #expect(try client.get(path).status == 404) }
        for path in ["/publish", "/revoke", "/store", "/grants", "/disconnect"] {
            #expect(try client.get(path).status == 405)
        }
        for path in ["/connections", "/metrics", "/healthz"] {
            #expect(try client.post(path, body: "{}").status == 405)
        }
        let onPublic = try server.connect()
        #expect(try onPublic.get("/healthz").text == "ok\n")
        #expect(try onPublic.get("/readyz").text == "ready\n")
        for path in ["/metrics", "/connections", "/inbound"] { #expect(try server.connect().get(path).status == 404) }
        for path in ["/publish", "/revoke"] { #expect(try server.connect().post(path, body: "{}").status == 404) }
    }
}
