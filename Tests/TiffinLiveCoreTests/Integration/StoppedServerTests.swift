import Testing

@testable import TiffinLiveCore

/// A program may start and stop servers as often as it likes.
@Suite("A server that has stopped")
struct StoppedServerTests {
    /// Held by every loop, through its clock.
    private final class Witness: Sendable {
        func read() -> Moment { Clock.now() }
    }

    @Test("no loop of it is left, and with the loops their descriptors are closed", arguments: [false, true])
    func freed(withRedis: Bool) throws {
        guard !withRedis || RedisServer.isInstalled else { return }
        weak var witness: Witness?
        try {
            let held = Witness()
            witness = held
            let redis = withRedis ? try RedisServer() : nil
            let server = try LiveServer(redis.map { [#"redis={url:"\#($0.url)"}"#] } ?? [], witnessedBy: held.read)
            if withRedis { try eventually("the server to be ready") { try server.isReady() } }
            let client = try server.rider()
            #expect(try server.metric(#"tiffin_live_connections{transport="websocket"}"#) == 1)
            #expect(server.stop() == 0)
            #expect(try client.expectClose().code == 1012)
        }()
        // The thread has said its status before it lets go of the last.
        try eventually("everything to be freed") { witness == nil }
    }
}
