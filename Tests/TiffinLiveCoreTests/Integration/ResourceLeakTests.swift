import Glibc
import Testing

@testable import TiffinLiveCore

/// Thousands of short connections of every kind: what they used is given back, whichever way they ended.
@Suite("Nothing is left behind", .enabled(if: ServerProcess.isBuilt))
struct ResourceLeakTests {
    private let start = Clock.now().wall / .second

    enum Kind: CaseIterable {
        case unauthorized, abortedHandshake, reset, resetInFrame, expiry, revocation, refreshes, stream, streamReset,
            orderlyClose
    }

    @Test("after each batch the gauges, the list and the descriptors are back, and memory does not grow")
    func batches() throws {
        let server = try ServerProcess([#"expiry.jitter="0s""#, "limits.perUser=0"])
        for order in 0..<10 {
            try server.admin("/store", #"{"command":["HSET","order:\#(order)","customer_id","c\#(order)"]}"#)
        }
        var descriptors = 0
        var memory: [Int] = []
        for batch in 0..<Volume.count(3, full: 10) {
            var kept: [RawClient] = []
            for index in 0..<Volume.count(100, full: 1000) {
                for kind in Kind.allCases {
                    if let client = try run(kind, index, batch, server) { kept.append(client) }
                }
            }
            try server.admin("/revoke", #"{"user_id":"revoked\#(batch)"}"#)
            for client in kept { _ = try client.receiveToEnd() }
            kept = []
            try eventually("all sessions to be gone") { try server.openSessions() == 0 }
            #expect(try server.adminGet("/connections").text == "[]")
            if batch == 0 {
                descriptors = server.descriptorsAtRest()
            } else {
                try eventually("the descriptors to be given back") { server.descriptorCount() <= descriptors }
            }
            memory.append(try server.residentBytes())
        }
        if Volume.isFull {
            sleep(60)
            memory.append(try server.residentBytes())
            #expect(memory[memory.count - 1] < memory[0] * 11 / 10, "resident bytes after each batch: \(memory)")
        } else {
            #expect(SanitizedRun.isActive || memory[2] - memory[1] < 2 << 20, "resident bytes: \(memory)")
        }
        #expect(try server.metric("tiffin_live_queued_bytes") == 0)
        #expect(try server.metric("tiffin_live_connections_past_deadline") == 0)
    }

    /// Lets one connection live and end; one that the server is to end is returned.
    private func run(_ kind: Kind, _ index: Int, _ batch: Int, _ server: ServerProcess) throws -> RawClient? {
        let user = "u\(index % 50)"
        switch kind {
        case .unauthorized:
            let response = try server.connect().upgrade("/rider/socket", headers: [("Authorization", "Bearer x.y.z")])
            guard response.status == 401 else { throw UnexpectedAnswer(what: "\(response.status)") }
        case .abortedHandshake:
            try server.connect().send(Array(RawClient.upgradeRequest("/rider/socket").prefix(index)))
        case .reset:
            try server.rider(user).reset()
        case .resetInFrame:
            let client = try server.rider(user)
            try client.send([0x81, 0xFE, 0x10, 0x00, 1, 2, 3, 4, 5])
            client.reset()
        case .expiry:
            return try server.rider(user, ttl: 2)
        case .revocation:
            return try server.rider("revoked\(batch)")
        case .refreshes:
            let client = try server.rider(user)
            for round in 0..<5 {
                // The same for all of a user's connections: what is remembered of tokens is bounded, and not looked at here.
                let token = server.tokens.token(
                    sub: .string(user), role: "rider", exp: start + 900 + Int64(round), iat: start)
                try client.sendText(#"{"type":"auth","token":"\#(token)"}"#)
                guard try client.receiveText().contains(#""ok":true"#) else { throw UnexpectedAnswer(what: "refresh") }
            }
        case .stream, .streamReset:
            let order = index % 10
            let client = try server.connect()
            let stream = try client.openEventStream(
                "/orders/\(order)/events", token: server.token("c\(order)", role: "customer"))
            guard try stream.nextEvent()?.event == "welcome" else { throw UnexpectedAnswer(what: "no welcome") }
            if kind == .streamReset { client.reset() }
        case .orderlyClose:
            let client = try server.rider(user)
            try client.sendClose(1000)
            guard try client.expectClose().code == 1000 else { throw UnexpectedAnswer(what: "close") }
        }
        return nil
    }
}
