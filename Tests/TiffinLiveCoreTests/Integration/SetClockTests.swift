import Testing

@testable import TiffinLiveCore

/// The real process on a machine whose wall clock is set while connections are open (B88). Not under the sanitizers, which
/// want to be loaded before any other library.
@Suite(
    "A machine whose wall clock is set",
    .enabled(if: ServerProcess.isBuilt && FakedClock.isInstalled && !SanitizedRun.isActive))
struct SetClockTests {
    private let clock: FakedClock
    private let server: ServerProcess

    init() throws {
        clock = try FakedClock()
        server = try ServerProcess(
            [#"expiry.jitter="0s""#, #"expiry.warning="0s""#, #"tokens.maxLifetime="3h""#, #"expiry.maxAge="4h""#],
            environment: clock.environment)
    }

    private func expectAnswer(_ rider: RawClient) throws {
        try rider.sendText(#"{"type":"ping"}"#)
        #expect(try rider.receiveText() == #"{"type":"pong"}"#)
    }

    @Test("an hour ahead: what has expired by that clock is closed with 4001 before any further event, the rest stays")
    func ahead() throws {
        let riders = try (0..<10).map { try server.rider("u\($0)", ttl: 900) }
        let lasting = try server.rider("lasting", ttl: 2 * 3600)
        try clock.set(seconds: 3600)
        for index in riders.indices { try server.publish("riders:u\(index)", "1") }
        for rider in riders {
            let (code, reason) = try rider.expectCloseAndEnd()
            #expect(code == 4001)
            #expect(reason == "token_expired")
        }
        try server.publish("riders:lasting", "2")
        #expect(try lasting.receiveText().contains(#""data":2"#))
        let late = try server.connect().upgrade(
            "/rider/socket", headers: [("Authorization", "Bearer \(server.token(ttl: 900))")])
        #expect(late.text == #"{"error":"token_expired"}"#)
        try eventually("a line about the clock") { try !server.logObjects("clock_stepped").isEmpty }
    }

    @Test("back by an hour or ten seconds: nothing ends, and nothing lasts longer for it", arguments: [3600, 10])
    func back(seconds: Int) throws {
        let short = try server.rider("short", ttl: 8)
        let lasting = try server.rider("lasting", ttl: 900)
        try clock.set(seconds: -seconds)
        for rider in [short, lasting] { try expectAnswer(rider) }
        // By the wall clock alone it would come later than a client of these tests waits.
        #expect(try short.expectCloseAndEnd().code == 4001)
        try server.publish("riders:lasting", "1")
        #expect(try lasting.receiveText().contains(#""data":1"#))
        #expect(try server.openSessions() == 1)
    }
}
