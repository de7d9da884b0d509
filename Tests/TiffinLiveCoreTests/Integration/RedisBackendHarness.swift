import Glibc
import Testing

@testable import TiffinLiveCore

/// A `RedisBackend` on a loop that the test turns itself, and what it passed on. It is ready.
final class RedisBackendHarness {
    /// What a Redis without data says to a server.
    static let healthy: [String: ScriptedRedis.Answer] = [
        "TIME": .text("*2\r\n$10\r\n1764500000\r\n$1\r\n0\r\n"), "GET": .text("$1\r\n0\r\n"),
        "XREVRANGE": .text("*0\r\n"), "XINFO": .text("-ERR no such key\r\n"), "ZRANGEBYSCORE": .text("*0\r\n"),
        "FCALL": .text("$15\r\n1764500000000-0\r\n"),
    ]

    let loop: EventLoop
    let backend: RedisBackend
    private(set) var delivered: [Event] = []
    private(set) var revocations: [Revocation] = []
    private(set) var malformed = 0
    private let log: Int32

    init(_ url: String, resolver: @escaping NameResolution.Resolver = NameResolution.system) throws {
        loop = try EventLoop()
        log = open("/dev/null", O_WRONLY | O_CLOEXEC)
        let configuration = try ServerConfiguration.load(
            path: nil, overrides: [#"tokens.keys="file:x""#, #"redis={url:"\#(url)",timeout:"60s"}"#])
        let settings = try #require(configuration.redis)
        var link = try settings.connectionSettings()
        link.resolver = resolver
        link.backoff = ReconnectBackoff(base: 20 * .millisecond, cap: 200 * .millisecond)
        backend = try RedisBackend(
            settings, link: link, configuration: configuration, server: "test", loop: loop,
            logger: try Logger(descriptor: log, level: .error, repeatWindow: 0))
        backend.deliver = { [unowned self] in delivered.append($0) }
        backend.revocations.act = { [unowned self] revocation, _, closed in
            revocations.append(revocation)
            closed(0)
        }
        backend.revocations.malformed = { [unowned self] in malformed += 1 }
        backend.start()
        try until("a ready backend") { backend.isReady }
    }

    deinit {
        backend.stop()
        close(log)
    }

    /// Turns the loop until the answer is yes. The limit is a safety net.
    func until(_ what: String, _ condition: () -> Bool) throws {
        let end = Clock.monotonic() + 60 * .second
        while !condition() {
            guard Clock.monotonic() < end else { throw RawClientError.timedOut(waitingFor: what) }
            loop.turn(waitingAtMost: 10 * .millisecond)
        }
    }
}
