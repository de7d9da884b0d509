import Testing

@testable import TiffinLiveCore

@Suite(
    "A link to Redis through TLS", .serialized, .enabled(if: RedisServer.isInstalled, "redis-server is not installed"))
struct RedisTLSTests {
    private static let authority = Result { try TLSCertificate(name: "authority", isAuthority: true) }

    /// A server that speaks TLS only, by a certificate for `names`.
    private static func server(names: String) throws -> RedisServer {
        let redis = try RedisServer(
            [
                "port 0", "tls-port {port}", "tls-cert-file {folder}/cert.pem", "tls-key-file {folder}/key.pem",
                "tls-auth-clients no",
            ], starts: false)
        let certificate = try TLSCertificate(name: "redis", alternativeNames: names, issuer: authority.get())
        try redis.write(certificate.pem, to: "cert.pem")
        try redis.write(certificate.keyPEM, to: "key.pem")
        try redis.start()
        return redis
    }

    private static func trust(_ settings: inout RedisConnectionSettings) throws {
        settings.tls = try TLSContext.client(trusting: .pem(authority.get().pem))
    }

    @Test("commands, big values and restarts", arguments: ["localhost", "127.0.0.1"])
    func commands(_ host: String) throws {
        let redis = try Self.server(names: "DNS:localhost,IP:127.0.0.1")
        let harness = try RedisHarness(.commands, "rediss://\(host):\(redis.port)") { try? Self.trust(&$0) }
        let value = String(repeating: "x", count: 3_000_000)
        for round in 1...3 {
            try harness.untilReady()
            harness.send(1, ["SET", "big", value], timeout: 60 * .second)
            harness.send(2, ["GET", "big"], timeout: 60 * .second)
            try harness.until("the replies") { harness.replies.count == 2 * round || harness.order.count == 2 * round }
            #expect(harness.replies[2] == .success(.bulkString(value)))
            redis.stop()
            try harness.untilLost(round)
            try redis.start()
        }
        try harness.untilReady()
    }

    @Test("channels, and a killed subscriber")
    func channels() throws {
        let redis = try Self.server(names: "DNS:localhost,IP:127.0.0.1")
        let harness = try RedisHarness(.subscriptions, "rediss://127.0.0.1:\(redis.port)") { try? Self.trust(&$0) }
        harness.connection.subscribe("revocations")
        for round in 1...3 {
            try harness.until("the subscription") { harness.connection.isSettled }
            try redis.command("PUBLISH", "revocations", "\(round)")
            try harness.until("the message") { harness.messages.count == round }
            try redis.killClients("pubsub")
            try harness.untilLost(round)
        }
    }

    @Test("a certificate of another host, of nobody we trust, or none at all: never signed in, told why")
    func distrusted() throws {
        let other = try Self.server(names: "DNS:elsewhere.example")
        let good = try Self.server(names: "DNS:localhost,IP:127.0.0.1")
        let plain = try RedisServer()
        let wrongHost = try RedisHarness(.commands, "rediss://127.0.0.1:\(other.port)") { try? Self.trust(&$0) }
        let unknown = try RedisHarness(.commands, "rediss://127.0.0.1:\(good.port)")
        let noTLS = try RedisHarness(.commands, "rediss://127.0.0.1:\(plain.port)") { settings in
            try? Self.trust(&settings)
            settings.connectTimeout = 300 * .millisecond
        }
        for harness in [wrongHost, unknown, noTLS] {
            try harness.until("the fault") { !harness.faults.isEmpty }
            #expect(harness.faults.first?.word == "tls", "\(harness.faults)")
            #expect(!harness.connection.isReady)
        }
    }

    @Test("plain on a TLS port is refused, and a peer that never answers the handshake is given up")
    func mismatched() throws {
        let redis = try Self.server(names: "DNS:localhost,IP:127.0.0.1")
        let plain = try RedisHarness(.commands, redis.url)
        try plain.until("the fault") { !plain.faults.isEmpty }
        let silent = try ScriptedRedis()
        let mux = try Mux(to: silent.port)
        mux.toServer = .blackHole
        let harness = try RedisHarness(.commands, "rediss://127.0.0.1:\(mux.port)") { settings in
            try? Self.trust(&settings)
            settings.connectTimeout = 100 * .millisecond
        }
        try harness.until("the fault") { harness.faults == [.tls("no answer to the handshake")] }
    }
}
