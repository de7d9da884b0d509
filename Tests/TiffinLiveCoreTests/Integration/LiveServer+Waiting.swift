import Glibc

@testable import TiffinLiveCore

/// Waiting for what comes about a little later, and work beside the test's own. Times are safety nets.
extension LiveServer {
    /// The setting of a topic rule that lets everybody have feeds.
    static let feeds = #"topics."feeds:{feed}"={claim:{sub:"{sub}"}}"#

    /// Whether the condition comes true in time.
    static func eventually(withinSeconds seconds: Int64 = 20, _ condition: () throws -> Bool) throws -> Bool {
        let end = Clock.monotonic() + seconds * .second
        while try !condition() {
            guard Clock.monotonic() < end else { return false }
            usleep(5000)
        }
        return true
    }

    /// Sleeps until the wall clock shows that moment.
    static func sleep(until wall: Nanoseconds) {
        while true {
            let left = wall - Clock.now().wall
            guard left > 0 else { return }
            usleep(UInt32(clamping: left / .microsecond + 1))
        }
    }

    /// A client of the admin listener that keeps its connection.
    func adminClient() throws -> RawClient {
        try RawClient(port: adminPort)
    }

    /// The open connections of both kinds.
    func openConnections() throws -> Int {
        let webSockets = try metric(#"tiffin_live_connections{transport="websocket"}"#) ?? -1
        let streams = try metric(#"tiffin_live_connections{transport="sse"}"#) ?? -1
        return Int(webSockets + streams)
    }

    /// The log lines of one kind.
    func logLines(_ event: String) -> [JSONValue] {
        logText().split(separator: "\n").compactMap { try? JSONReader.read(Array($0.utf8)) }
            .filter { $0["event"]?.stringValue == event }
    }

    /// The value of one member of each log line of a kind.
    func logged(_ member: String, of event: String) -> [String] {
        logLines(event).compactMap { $0[member]?.stringValue }
    }
}
