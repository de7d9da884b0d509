import Glibc

@testable import TiffinLiveCore

/// A redis-server of a test's own, in a process and a folder of its own, on a free port of 127.0.0.1 and on a Unix
/// socket. Keeps nothing on disk unless its configuration says so. Ended with the object.
final class RedisServer {
    /// Where the program is; nil when it is not installed.
    static let program = ["/usr/bin", "/usr/local/bin", "/bin"].map { $0 + "/redis-server" }
        .first { access($0, X_OK) == 0 }
    static var isInstalled: Bool { program != nil }

    let folder: String
    private(set) var port = 0
    private(set) var id: pid_t = 0
    /// Of the user `default`, for the commands of the test itself.
    var password: String?
    private var configuration: [String]

    var socketPath: String { folder + "/redis.sock" }
    var url: String { "redis://127.0.0.1:\(port)" }

    /// `configuration` are lines of redis.conf; `{folder}` and `{port}` stand for the server's. `starts`: false leaves it to `start`, with the port known already.
    init(_ configuration: [String] = [], password: String? = nil, starts: Bool = true) throws {
        var template = Array("\(Self.temporaryFolder)/tiffin-redis-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SystemError.last("mkdtemp") }
        folder = String(cString: made)
        self.configuration = configuration
        self.password = password
        if let password { self.configuration.append("requirepass \"\(Self.quoted(password))\"") }
        for attempt in 1... {
            port = try Self.freePort()
            do {
                if starts { try start() }
                return
            } catch {
                // Somebody else took the port in between.
                guard attempt < 5 else { throw error }
            }
        }
    }

    deinit {
        stop()
        _ = try? ProgramRun(["/bin/rm", "-rf", folder])
    }

    // MARK: Life

    func start() throws {
        guard id == 0, let program = Self.program else { throw RawClientError.unexpected("no redis-server to start") }
        let lines =
            [
                "port \(port)", "bind 127.0.0.1", "unixsocket \(socketPath)", "dir \(folder)", "save \"\"",
                "appendonly no", "daemonize no", "logfile \(folder)/log", "enable-debug-command yes",
            ] + configuration
        let text = lines.joined(separator: "\n").replacing("{folder}", with: folder).replacing(
            "{port}", with: "\(port)")
        try write(Array((text + "\n").utf8), to: "redis.conf")
        id = try Spawn.start([program, folder + "/redis.conf"])
        do {
            try eventually("redis-server to answer") {
                guard !hasExited() else { throw RawClientError.unexpected("redis-server ended") }
                guard let descriptor = connection() else { return false }
                close(descriptor)
                return true
            }
        } catch {
            stop()
            throw error
        }
    }

    /// Ends it at once, as a crash does.
    func stop() {
        guard id != 0 else { return }
        kill(id, SIGKILL)
        _ = Spawn.wait(for: id)
        id = 0
        unlink(socketPath)
    }

    func restart() throws {
        stop()
        try start()
    }

    /// It does not run for a while, and its connections stay. All of its threads stand still when this returns.
    func pause() {
        kill(id, SIGSTOP)
        var word: Int32 = 0
        while waitpid(id, &word, WUNTRACED) < 0 && errno == EINTR {}
    }
    func resume() { kill(id, SIGCONT) }

    // MARK: Commands of the test

    /// The reply to one command on a connection of its own.
    @discardableResult
    func command(_ words: [String]) throws -> RESPValue {
        guard let descriptor = connection() else { throw RawClientError.unexpected("no connection to redis-server") }
        defer { close(descriptor) }
        let output = ByteBuffer()
        if let password { RESPEncoder.append(["AUTH", password], to: output) }
        RESPEncoder.append(words, to: output)
        var replies = try Self.replies(password == nil ? 1 : 2, to: output.array, on: descriptor)
        return replies.removeLast()
    }

    @discardableResult
    func command(_ words: String...) throws -> RESPValue { try command(words) }

    /// How many connections have subscribed to `channel`.
    func subscriberCount(_ channel: String) throws -> Int64 {
        try command("PUBSUB", "NUMSUB", channel).elements?.last?.integer ?? -1
    }

    /// `type` is `normal` or `pubsub`. How many were ended.
    @discardableResult
    func killClients(_ type: String) throws -> Int64 {
        try command("CLIENT", "KILL", "TYPE", type, "SKIPME", "yes").integer ?? -1
    }

    private static func replies(_ count: Int, to bytes: [UInt8], on descriptor: Int32) throws -> [RESPValue] {
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw SystemError.last("send to redis-server")
        }
        var decoder = RESPDecoder()
        var replies: [RESPValue] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while replies.count < count {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 20_000) == 1 else { throw RawClientError.timedOut(waitingFor: "redis-server") }
            let received = recv(descriptor, &buffer, buffer.count, 0)
            guard received > 0 else { throw SystemError.last("recv from redis-server") }
            try buffer[..<received].withUnsafeBytes { bytes in
                var input = bytes
                while let reply = try decoder.next(&input) { replies.append(reply) }
            }
        }
        return replies
    }

    /// By the socket in the own folder: on the port somebody else might be listening.
    private func connection() -> Int32? { LoopbackSocket.connect(path: socketPath) }

    // MARK: The process

    private func hasExited() -> Bool {
        var information = siginfo_t()
        guard waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return true }
        return information.si_signo != 0
    }

    private static let temporaryFolder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"

    private static func freePort() throws -> Int {
        let (descriptor, port) = try LoopbackSocket.listen()
        close(descriptor)
        return port
    }

    /// As redis.conf wants it between quotation marks.
    private static func quoted(_ text: String) -> String {
        text.utf8.reduce(into: "") { quoted, byte in
            let digits = String(byte, radix: 16)
            quoted += "\\x" + (digits.count < 2 ? "0" : "") + digits
        }
    }

    /// A file in the server's folder.
    func write(_ bytes: [UInt8], to name: String) throws {
        let file = open("\(folder)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError.last("open \(name)") }
        defer { close(file) }
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else { throw SystemError.last("write \(name)") }
    }
}
