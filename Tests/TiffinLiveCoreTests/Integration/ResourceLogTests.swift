import Glibc
import Testing

@testable import TiffinLiveCore

/// What the log may cost: nobody's time when it is not read, and not a line for every client of a storm.
@Suite("The cost of the log", .enabled(if: ServerProcess.isBuilt))
struct ResourceLogTests {
    /// A user whose lines are long.
    private let user = String(repeating: "u", count: 100)

    /// Has the server write a line of about 400 bytes for each.
    private func sendBadTokens(_ count: Int, on client: RawClient) throws {
        for _ in 0..<count / 100 {
            for _ in 0..<100 { try client.sendText(#"{"type":"auth","token":"x"}"#) }
            for _ in 0..<100 { _ = try client.receiveText(containing: #""ok":false"#) }
        }
    }

    @Test("a pipe that nobody reads holds up no client, no memory and not the end; lost lines are counted and told")
    func fullPipe() throws {
        let server = try ServerProcess(
            [#"log.repeat="0s""#, "limits.messages={rate:0,burst:0}"], logsToPipe: true)
        let talker = try server.rider(user)
        let listener = try server.rider("listener")
        let dropped = "tiffin_live_log_lines_dropped_total"
        // A pipe holds 64 KiB, and 1 MiB each is being written and waits: past that, lines are lost.
        var sent = 0
        while try server.metric(dropped) == 0 {
            try sendBadTokens(1000, on: talker)
            sent += 1000
            try #require(sent < 20_000)
        }
        let memory = try server.residentBytes()
        let lines = try server.metric("tiffin_live_log_lines_total")
        try sendBadTokens(4000, on: talker)
        #expect(try server.metric("tiffin_live_log_lines_total") == lines)
        #expect(try server.metric(dropped) ?? 0 >= 4000)
        let growth = try server.residentBytes() - memory
        #expect(SanitizedRun.isActive || growth < 2 << 20)
        try server.publish("riders:listener", #""on time""#)
        _ = try listener.receiveText(containing: "on time")
        _ = try server.rider("newcomer")

        // Somebody reads again.
        let lost = try server.metric(dropped) ?? 0
        try eventually("the loss to be told") {
            try server.logObjects("log_dropped").reduce(0) { $0 + ($1["lines"]?.numberValue?.double ?? 0) } == lost
        }
        #expect(try server.logObjects("refresh_refused").count + Int(lost) >= sent + 4000)
        try sendBadTokens(100, on: talker)
        #expect(try server.metric(dropped) == lost)
    }

    @Test("a server whose log nobody reads ends in time all the same")
    func end() throws {
        let server = try ServerProcess(
            [#"log.repeat="0s""#, "limits.messages={rate:0,burst:0}"], logsToPipe: true)
        let talker = try server.rider(user)
        while try server.metric("tiffin_live_log_lines_dropped_total") == 0 { try sendBadTokens(1000, on: talker) }
        server.signal(SIGTERM)
        #expect(try talker.expectCloseAndEnd().code == 1012)
        #expect(server.waitForExit() == 0)
    }

    /// Things that thousands may do at once.
    enum Storm: CaseIterable {
        case expired, forged, noToken, noRoute, malformed, tokenInURL, foreignOrigin, largeHead, publish, revocation,
            refresh, scan
    }

    @Test("a storm is a handful of lines, and gives back its descriptors and its memory", arguments: Storm.allCases)
    func storm(_ storm: Storm) throws {
        let server = try ServerProcess(["limits.messages={rate:0,burst:0}", "limits.perUser=0"])
        try rage(storm, 20, server)
        let descriptors = server.descriptorsAtRest()
        let memory = try server.residentBytes()
        let lines = try server.metric("tiffin_live_log_lines_total") ?? 0
        try rage(storm, 400, server)
        // One open connection more or less, and the summaries of what was folded.
        let written = try server.metric("tiffin_live_log_lines_total") ?? 0
        #expect(written - lines <= 12)
        #expect(try server.metric("tiffin_live_log_lines_dropped_total") == 0)
        try eventually("the descriptors to be given back") { server.descriptorCount() <= descriptors }
        let growth = try server.residentBytes() - memory
        #expect(SanitizedRun.isActive || growth < 4 << 20)
    }

    private func rage(_ storm: Storm, _ count: Int, _ server: ServerProcess) throws {
        let bearer = [("Authorization", "Bearer \(server.token(ttl: -60))")]
        let client = storm == .refresh ? try server.rider() : nil
        for index in 0..<count {
            switch storm {
            case .expired: _ = try server.connect().upgrade("/rider/socket", headers: bearer)
            case .forged:
                let token = server.token(jti: "\(index)").dropLast(4) + "AAAA"
                _ = try server.connect().upgrade("/rider/socket", headers: [("Authorization", "Bearer \(token)")])
            case .noToken: _ = try server.connect().upgrade("/rider/socket")
            case .noRoute: _ = try server.connect().get("/wp-login\(index).php")
            case .malformed: _ = try server.connect().get("/\(index)", headers: [("Host", "b")])
            case .tokenInURL: _ = try server.connect().upgrade("/rider/socket?access_token=\(index)")
            case .foreignOrigin:
                let headers = [("Origin", "https://o\(index).example"), ("Cookie", "a=b")]
                _ = try server.connect().upgrade("/orders/\(index)/events", headers: headers)
            case .largeHead:
                let field = ("X", String(repeating: "x", count: 40_000))
                _ = try? server.connect().upgrade("/rider/socket", headers: [field])
            case .publish: try server.admin("/publish", "{\(index)")
            case .revocation: try server.admin("/revoke", "{\(index)")
            case .refresh:
                try client?.sendText(#"{"type":"auth","token":"\#(index)"}"#)
                _ = try client?.receiveText(containing: #""ok":false"#)
            case .scan: try server.connect().reset()
            }
        }
        if let client {
            try client.sendClose(1000)
            _ = try client.receiveToEnd()
        }
    }
}
