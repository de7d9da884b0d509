import Glibc
import Testing

@testable import TiffinLiveCore

/// Peers that half-close or vanish while output waits for them, over TCP and over a Unix socket: the end comes within
/// `limits.closing`, and the loop does not spin on a hang-up until then.
@Suite("Hang-ups with output under way", .enabled(if: ServerProcess.isBuilt))
struct ResourceHangUpTests {
    enum Ending: CaseIterable {
        case halfClose, reset, close
    }

    private func connect(_ server: ServerProcess, overUnix: Bool) throws -> RawClient {
        if overUnix { return try RawClient(unixPath: server.folder + "/live.sock") }
        return try server.connect(receiveBuffer: 4096)
    }

    @Test(
        "the session ends in time and costs no processor", arguments: Ending.allCases, [false, true])
    func hangUp(ending: Ending, overUnix: Bool) throws {
        let server = try ServerProcess([
            #"listen=["unix:{folder}/live.sock","127.0.0.1:0"]"#, #"limits.closing="2s""#, #"limits.outbound="16MiB""#,
            #"heartbeat.ping="0s""#,
        ])
        _ = try server.rider("warm-up")
        try eventually("the first to be gone") { try server.openSessions() == 0 }
        let descriptors = server.descriptorsAtRest()
        let clients = try (0..<5).map { try server.rider("u\($0)", on: try connect(server, overUnix: overUnix)) }
        let filling = String(repeating: "x", count: 100_000)
        for index in clients.indices {
            for _ in 0..<40 { try server.publish("riders:u\(index)", "\"\(filling)\"") }
        }
        try eventually("queues") { try server.metric("tiffin_live_queued_bytes") ?? 0 > 1_000_000 }
        for client in clients {
            switch ending {
            case .halfClose: client.finishSending()
            case .reset: client.reset()
            case .close: client.close()
            }
        }
        #expect(try server.processorShare(overMilliseconds: 800) < 0.3)
        try eventually("the sessions to end") { try server.openSessions() == 0 }
        try eventually("the descriptors to be given back") { server.descriptorCount() <= descriptors }
        try eventually("the queues to be freed") { try server.metric("tiffin_live_queued_bytes") == 0 }
        // Whoever kept the other half open sees an end too.
        if ending == .halfClose { for client in clients { _ = try client.receiveToEnd() } }
        server.signal(SIGTERM)
        #expect(server.waitForExit() == 0)
        let lines = try server.logObjects("connection_closed").filter { $0["user"]?.stringValue != "warm-up" }
        #expect(lines.count == 5)
        #expect(lines.allSatisfy { ["peer_gone", "connection_reset"].contains($0["reason"]?.stringValue) })
    }

    @Test("a half-close that comes with an unanswered question ends without a spin")
    func halfCloseAtOnce() throws {
        let server = try ServerProcess([#"limits.closing="2s""#])
        let clients = try (0..<50).map { _ in try server.connect() }
        for (index, client) in clients.enumerated() {
            let request = RawClient.upgradeRequest(
                "/rider/socket", headers: [("Authorization", "Bearer \(server.token("u\(index)"))")])
            try client.send(index % 2 == 0 ? request : Array(request.dropLast(2)))
            client.finishSending()
        }
        #expect(try server.processorShare(overMilliseconds: 800) < 0.3)
        for client in clients { _ = try client.receiveToEnd() }
        try eventually("all to be gone") { try server.openSessions() == 0 }
    }

    @Test(
        "a hang-up while the server reads no more, because an answer of Redis is due, is seen and ends the session",
        .enabled(if: RedisServer.isInstalled), arguments: [Ending.reset, .close])
    func whileNotReading(ending: Ending) throws {
        let redis = try RedisServer()
        let server = try ServerProcess([
            #"redis={url:"\#(redis.url)",timeout:"60s"}"#, #"limits.closing="2s""#, #"heartbeat.ping="0s""#,
            "limits.messages={rate:0,burst:0}", "limits.perUser=0",
        ])
        try eventually("the server to be ready") { try server.adminGet("/readyz").status == 200 }
        let descriptors = server.descriptorsAtRest()
        let clients = try (0..<5).map { try server.rider("u\($0)") }
        redis.pause()
        defer { redis.resume() }
        let filling = String(repeating: "x", count: 8_000)
        for client in clients {
            // So many wait for Redis; what comes behind them is left in the socket.
            for number in 0..<60 { try client.sendText(#"{"type":"n","ref":\#(number),"filling":"\#(filling)"}"#) }
        }
        try eventually("the reading to end") {
            let before = try server.metric("tiffin_live_received_bytes_total") ?? 0
            usleep(100_000)
            return try before > 0 && server.metric("tiffin_live_received_bytes_total") == before
        }
        let sent = Double(5 * 60 * filling.utf8.count)
        #expect(try server.metric("tiffin_live_received_bytes_total") ?? .infinity < sent)
        for client in clients { if ending == .reset { client.reset() } else { client.close() } }
        #expect(try server.processorShare(overMilliseconds: 800) < 0.3)
        try eventually("the sessions to end") { try server.openSessions() == 0 }
        try eventually("the descriptors to be given back") { server.descriptorCount() <= descriptors }
    }
}
