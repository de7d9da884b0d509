import Testing

@testable import TiffinLiveCore

/// The trace of a handshake (W3C Trace Context) is in every line about what came of it.
@Suite("Traces in the log")
struct TraceOnTheWireTests {
    private let trace = "0af7651916cd43dd8448eb211c80319c"
    private let parent = "b7ad6b7169203331"
    private var field: (String, String) { ("traceparent", "00-\(trace)-\(parent)-01") }

    private func isTraced(_ line: JSONObject) -> Bool {
        line["trace_id"]?.stringValue == trace && line["parent_id"]?.stringValue == parent
    }

    private func open(_ server: LiveServer, _ headers: [(String, String)], on client: RawClient) throws {
        let bearer = ("Authorization", "Bearer \(server.token())")
        #expect(try client.upgrade("/rider/socket", headers: [bearer] + headers).status == 101)
        _ = try client.receiveText(containing: "welcome")
    }

    @Test("opening, refresh and end of a connection, and a refusal, carry the ids")
    func lines() throws {
        let server = try LiveServer(["log.repeat=\"0s\""])
        let client = try server.connect()
        try open(server, [field], on: client)
        try client.sendText(#"{"type":"auth","token":"\#(server.token())"}"#)
        _ = try client.receiveText(containing: #""ok":true"#)
        try client.sendText(#"{"type":"auth","token":"x"}"#)
        _ = try client.receiveText(containing: #""ok":false"#)
        try client.sendClose(1000)
        _ = try client.receiveToEnd()
        #expect(try server.connect().upgrade("/rider/socket", headers: [field]).status == 401)
        #expect(try server.connect().get("/nothing", headers: [field]).status == 404)
        for (event, count) in [
            ("connection_opened", 1), ("refresh_accepted", 1), ("refresh_refused", 1), ("connection_closed", 1),
            ("handshake_refused", 2),
        ] {
            try eventually("the line \(event)") { try server.logObjects(event).count == count }
            #expect(try server.logObjects(event).allSatisfy(isTraced), "\(event)")
        }
    }

    @Test(
        "a malformed one changes nothing and is not in the log",
        arguments: ["00-\(String(repeating: "0", count: 32))-b7ad6b7169203331-01", "x\"y", ""])
    func malformed(value: String) throws {
        let server = try LiveServer()
        let client = try server.connect()
        try open(server, [("traceparent", value)], on: client)
        try eventually("the line") { try !server.logObjects("connection_opened").isEmpty }
        let line = try #require(try server.logObjects("connection_opened").first)
        #expect(line["trace_id"] == nil && line["parent_id"] == nil)
    }

    @Test("the trace of an earlier request on the same connection is not the handshake's")
    func keptAlive() throws {
        let server = try LiveServer()
        let client = try server.connect()
        #expect(try client.get("/healthz", headers: [field]).status == 200)
        try open(server, [], on: client)
        try eventually("the line") { try !server.logObjects("connection_opened").isEmpty }
        let line = try #require(try server.logObjects("connection_opened").first)
        #expect(line["trace_id"] == nil)
        #expect(try server.logObjects("connection_opened").count == 1)
    }
}
