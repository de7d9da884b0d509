import Glibc
import Testing

@testable import TiffinLiveCore

/// Contract section 7.7 for a machine that slept: the link died meanwhile, and nobody could notice.
@Suite("Revocation over Redis after a standstill", .enabled(if: RedisServer.isInstalled))
struct RedisStandstillTests {
    @Test("what was said while the machine slept is read back, however long ago that is")
    func slept() throws {
        let redis = try RedisServer()
        let mux = try Mux(to: redis.port)
        let clock = SteppedClock()
        let server = try LiveServer(
            RedisFleet.settings + [#"redis={url:"redis://127.0.0.1:\#(mux.port)"}"#, #"expiry.jitter="0s""#],
            clock: clock)
        // Time stands still unless it is moved: links need it to come up and to come back.
        try eventually("the server to be ready") {
            clock.advance(by: 50 * .millisecond)
            return try server.isReady()
        }
        let token = server.tokens.token(sub: "5521", role: "rider", exp: server.now + 3000, iat: server.now - 30)
        let client = try server.connect()
        try client.openWebSocket("/rider/socket", token: token)
        _ = try client.receiveText(containing: "welcome")

        mux.toClient = .blackHole
        try redis.command("PUBLISH", "revocations", #"{"user_id":5521}"#)
        // Heard by nobody here; another server writes it down.
        try redis.command(
            "ZADD", "revocations:log", "\(Clock.now().wall / .millisecond)", #"{"user_id":5521}"#)
        // Ten minutes asleep: the monotonic clock stands still.
        clock.stepWall(by: 600 * .second)
        mux.toClient = .pass
        mux.cut()
        try eventually("the revocation to be read") {
            clock.advance(by: 50 * .millisecond)
            return try server.connect().upgrade("/rider/socket", headers: [("Authorization", "Bearer \(token)")]).status
                == 401
        }
        #expect(try client.expectClose(passingOverMessages: true).code == 4003)
    }
}
