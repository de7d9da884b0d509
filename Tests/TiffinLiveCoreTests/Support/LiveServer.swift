import Glibc

@testable import TiffinLiveCore

/// A whole server on loopback for one test: free ports, keys of the test factory, logs into a file that can be read.
final class LiveServer: ServerUnderTest {
    let running: RunningServer
    let port: Int
    let adminPort: Int
    let tokens: TokenFactory
    private let folder: String
    private let log: Int32
    private let clock: SteppedClock?

    /// `settings` are `key=value` overrides as on the command line, after those that every test wants.
    /// `clock` is what the server goes by, and the tokens made here too; nil = the system's.
    convenience init(_ settings: [String] = [], tokens: TokenFactory = .hs256, clock: SteppedClock? = nil) throws {
        try self.init(settings, tokens: tokens, stepped: clock, service: .none, clock: clock?.read ?? Clock.now)
    }

    /// A server of a test that plays systemd. `clock` is read in every thread.
    convenience init(service: ServiceEnvironment, clock: @escaping @Sendable () -> Moment) throws {
        try self.init([], tokens: .hs256, stepped: nil, service: service, clock: clock)
    }

    /// A server whose loops hold a clock of the test's.
    convenience init(_ settings: [String], witnessedBy clock: @escaping @Sendable () -> Moment) throws {
        try self.init(settings, tokens: .hs256, stepped: nil, service: .none, clock: clock)
    }

    private init(
        _ settings: [String], tokens: TokenFactory, stepped: SteppedClock?, service: ServiceEnvironment,
        clock: @escaping @Sendable () -> Moment
    ) throws {
        self.clock = stepped
        self.tokens = tokens
        var template = Array("/tmp/tiffin-live-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SystemError.last("mkdtemp") }
        folder = String(cString: made)
        let keyFile = folder + "/keys.json"
        try Self.write(tokens.key.publicJWKS, to: keyFile)
        log = open(folder + "/log", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let own = [
            #"listen=["127.0.0.1:0"]"#, #"admin=["127.0.0.1:0"]"#, #"tokens.keys="file:\#(keyFile)""#, "threads=2",
            #"drain.grace="0s""#, #"drain.spread="0s""#, #"log.level="debug""#,
        ]
        let configuration = try ServerConfiguration.load(path: nil, overrides: own + settings)
        running = try RunningServer.start(configuration, service: service, logDescriptor: log, clock: clock)
        port = Self.port(running.listenAddresses[0])
        adminPort = Self.port(running.adminAddresses[0])
    }

    deinit {
        stop()
        close(log)
        unlink(folder + "/log")
        unlink(folder + "/keys.json")
        rmdir(folder)
    }

    /// Drains and waits for the end; the exit status.
    @discardableResult
    func stop() -> Int32 {
        clock?.run()
        running.stop()
        return running.wait()
    }

    var now: Int64 { (clock?.read() ?? Clock.now()).wall / .second }

    // MARK: Files

    /// Everything that was logged up to now.
    func logText() -> String {
        running.logger.settle(limit: 10 * .second)
        return String(decoding: (try? SecretReference.file(folder + "/log").read()) ?? [], as: UTF8.self)
    }

    func replaceKeys(_ json: String) throws {
        try Self.write(json, to: folder + "/keys.new")
        rename(folder + "/keys.new", folder + "/keys.json")
    }

    private static func write(_ text: String, to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { throw SystemError.last("open \(path)") }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else { throw SystemError.last("write \(path)") }
    }

    private static func port(_ address: String) -> Int {
        Int(address.split(separator: ":").last ?? "") ?? 0
    }
}
