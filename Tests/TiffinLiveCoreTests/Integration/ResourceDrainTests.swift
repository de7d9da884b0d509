import Glibc
import Testing

@testable import TiffinLiveCore

/// SIGTERM (contract section 11): readiness goes off, a grace, closes spread over a time, and exit status 0.
@Suite("Draining", .enabled(if: ServerProcess.isBuilt))
struct ResourceDrainTests {
    @Test("a fleet is sent away with 1012 and a delay, also who is half open or still in the handshake")
    func fleet() throws {
        let server = try ServerProcess([
            #"drain.grace="1s""#, #"drain.spread="1s""#, #"limits.closing="2s""#, "limits.perUser=0",
        ])
        try server.admin("/store", #"{"command":["HSET","order:1","customer_id","7001"]}"#)
        let riders = try (0..<200).map { try server.rider("u\($0)") }
        let streams = try (0..<50).map { _ in
            try server.connect().openEventStream("/orders/1/events", token: server.token("7001", role: "customer"))
        }
        let silent = try (0..<5).map { _ in try server.connect() }
        let halfway = try (0..<5).map { _ in try server.connect() }
        for client in halfway { try client.send("GET /rider/socket HTTP/1.1\r\nHost: x\r\n") }
        // Does not read, nor answer the close.
        let halfOpen = try server.rider("half-open", receiveBuffer: 4096)
        #expect(try server.connect().get("/readyz").status == 200)

        server.signal(SIGTERM)
        try eventually("readiness to go off") { try server.connect().get("/readyz").status == 503 }
        #expect(try server.connect().get("/healthz").status == 200)
        #expect(try server.metric("tiffin_live_ready") == 0)
        for client in riders {
            let close = try client.expectCloseAndEnd()
            #expect(close.code == 1012)
            #expect(close.reason.hasPrefix("restart; retry="))
        }
        for stream in streams {
            let close = try #require(try stream.nextEvent(named: "close"))
            #expect(close.data?.hasPrefix(#"{"code":1012,"reason":"restart; retry="#) == true)
            #expect(try stream.nextEvent() == nil)
            #expect(stream.ending == .lastChunk)
        }
        for client in silent + halfway { _ = try client.receiveToEnd() }
        // After the grace nobody is let in any more.
        #expect(throws: (any Error).self) {
            let response = try server.connect().upgrade(
                "/rider/socket", headers: [("Authorization", "Bearer \(server.token())")])
            if response.status == 503 { throw UnexpectedAnswer(what: "503, which is as good") }
        }
        try eventually("the process to end") { server.hasExited }
        #expect(server.waitForExit() == 0)
        _ = try halfOpen.receiveToEnd()
        #expect(try server.logObjects().last?["event"]?.stringValue == "stopped")
        let closed = try server.logObjects("connection_closed")
        #expect(closed.count == 251)
        #expect(closed.allSatisfy { $0["reason"]?.stringValue == "restart" })
    }

    @Test("the closes are spread over the time and not all at once")
    func spread() throws {
        let server = try ServerProcess([#"drain.spread="2s""#])
        let clients = try (0..<40).map { try server.rider("u\($0)") }
        server.signal(SIGTERM)
        for client in clients { #expect(try client.expectCloseAndEnd().code == 1012) }
        #expect(server.waitForExit() == 0)
        // By the server's own time stamps, in milliseconds since the start of the drain.
        let start = try #require(try server.logObjects("drain_started").first?["at"]?.stringValue)
        let times = try server.logObjects("connection_closed").compactMap { $0["at"]?.stringValue }
        #expect(times.count == 40)
        #expect(Set(times).count >= 10)
        #expect(times.allSatisfy { $0 >= start })
    }

    @Test("a second SIGTERM hurries, in the grace and in the spread", arguments: ["60s", "0s"])
    func hurried(grace: String) throws {
        let server = try ServerProcess([#"drain.grace="\#(grace)""#, #"drain.spread="60s""#])
        let clients = try (0..<20).map { try server.rider("u\($0)") }
        server.signal(SIGTERM)
        try eventually("the drain") { try !server.logObjects("stopping").isEmpty }
        server.signal(SIGTERM)
        for client in clients { #expect([1012, 1001].contains(try client.expectCloseAndEnd().code)) }
        try eventually("the process to end") { server.hasExited }
        #expect(server.waitForExit() == 0)
    }

    @Test("who waits to be accepted when the server goes away gets an answer", arguments: [1, 2])
    func backlog(loops: Int) throws {
        let server = try ServerProcess(["threads=\(loops)", "limits.perUser=0"])
        // It stands still while they connect and ask.
        kill(server.id, SIGSTOP)
        let request = RawClient.upgradeRequest(
            "/rider/socket", headers: [("Authorization", "Bearer \(server.token())")])
        let clients = try (0..<100).map { _ in
            let client = try server.connect()
            try client.send(request)
            return client
        }
        server.signal(SIGTERM)
        kill(server.id, SIGCONT)
        for client in clients {
            // Let in just before, and sent away, or not let in.
            let response = try client.receiveUpgradeResponse()
            #expect(response.status == 101 || response.status == 503)
            guard response.status == 101 else { continue }
            #expect(try client.expectCloseAndEnd(passingOverMessages: true).code == 1012)
        }
        #expect(server.waitForExit() == 0)
    }

    @Test("peers that never answer do not keep the process")
    func unresponsive() throws {
        let server = try ServerProcess([#"limits.closing="1s""#])
        let clients = try (0..<10).map { try server.rider("u\($0)", receiveBuffer: 4096) }
        let handshakes = try (0..<10).map { _ in try server.connect() }
        server.signal(SIGINT)
        try eventually("the process to end") { server.hasExited }
        #expect(server.waitForExit() == 0)
        for client in clients { #expect(try client.expectClose().code == 1012) }
        for client in handshakes { _ = try client.receiveToEnd() }
    }

    @Test("a server without connections ends at once")
    func empty() throws {
        let server = try ServerProcess()
        server.signal(SIGTERM)
        #expect(server.waitForExit() == 0)
    }
}
