import Glibc

@testable import TiffinLiveCore

/// The built program, `tiffin-live serve`, in a process of its own: for what can only be seen from outside, such as its
/// exit status, its signals, and what it uses of processor, memory and descriptors.
final class ServerProcess: ServerUnderTest {
    let tokens: TokenFactory
    private(set) var port = 0
    private(set) var adminPort = 0
    let id: pid_t
    let folder: String
    private var status: Int32?
    /// The reading end of a log that goes into a pipe; -1 for one that goes into a file.
    private var pipe: Int32 = -1
    private var pipeText: [UInt8] = []

    /// The program is built beside the tests.
    static let program = executableFolder() + "/tiffin-live"
    static var isBuilt: Bool { access(program, X_OK) == 0 }

    /// - Parameters:
    ///   - settings: `key=value` overrides after those that every test wants.
    ///   - file: the configuration file, JSON5.
    ///   - descriptorLimit: RLIMIT_NOFILE.
    ///   - environment: variables beside those of the test; `$$` in a value is the process's own id.
    ///   - passing: descriptors that it gets as 3, 4 and so on.
    ///   - logsToPipe: standard output is a pipe, which is read when `logText` is called and at no other time.
    ///   - listens: whether it is expected to come up; if not, `waitForExit` and `logText` tell what became of it.
    init(
        _ settings: [String] = [], file: String = "{}", tokens: TokenFactory = .hs256, descriptorLimit: Int? = nil,
        environment: [String: String] = [:], passing: [Int32] = [], logsToPipe: Bool = false,
        listens: Bool = true
    ) throws {
        self.tokens = tokens
        var template = Array("/tmp/tiffin-live-process-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SystemError.last("mkdtemp") }
        let folder = String(cString: made)
        self.folder = folder
        try Self.write(tokens.key.publicJWKS, to: folder + "/keys.json")
        try Self.write(file.replacing("{folder}", with: folder), to: folder + "/config.json5")
        let own = [
            #"listen=["127.0.0.1:0"]"#, #"admin=["127.0.0.1:0"]"#, #"tokens.keys="file:\#(folder)/keys.json""#,
            "threads=2", #"drain.grace="0s""#, #"drain.spread="0s""#,
        ]
        var arguments = [Self.program, "serve", "--config", folder + "/config.json5"]
        for setting in own + settings.map({ $0.replacing("{folder}", with: folder) }) {
            arguments += ["--set", setting]
        }
        if let descriptorLimit {
            arguments = ["/bin/sh", "-c", "ulimit -n \(descriptorLimit) && exec \"$0\" \"$@\""] + arguments
        }
        if !environment.isEmpty {
            let variables = environment.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: " ")
            arguments = ["/bin/sh", "-c", "\(variables) exec \"$0\" \"$@\""] + arguments
        }
        if logsToPipe {
            guard mkfifo(folder + "/log", 0o600) == 0 else { throw SystemError.last("mkfifo") }
            pipe = open(folder + "/log", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        }
        id = try Spawn.start(arguments, Spawn.Streams(output: folder + "/log"), passing: passing)
        if listens { try awaitListening() }
    }

    /// Writes the configuration file anew.
    func configure(_ text: String) throws {
        try Self.write(text.replacing("{folder}", with: folder), to: folder + "/config.json5")
    }

    /// Writes the key set anew, in place.
    func write(keys: String) throws {
        try Self.write(keys, to: folder + "/keys.json")
    }

    deinit {
        if status == nil {
            kill(id, SIGKILL)
            _ = waitForExit()
        }
        if pipe >= 0 { close(pipe) }
        for name in ["log", "keys.json", "config.json5"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    var now: Int64 { Clock.now().wall / .second }

    func logText() -> String {
        guard pipe >= 0 else { return (try? Self.text(of: folder + "/log")) ?? "" }
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(pipe, &chunk, chunk.count)
            guard count > 0 else { break }
            pipeText += chunk.prefix(count)
        }
        // The last line may be half written.
        let whole = pipeText.lastIndex(of: ASCII.lineFeed).map { pipeText[...$0] } ?? []
        return String(decoding: whole, as: UTF8.self)
    }

    // MARK: The process

    func signal(_ number: Int32) {
        kill(id, number)
    }

    /// Stops the process and waits until all of its threads stand still: until one of them has seen the signal, the others
    /// go on.
    func standStill() {
        kill(id, SIGSTOP)
        var word: Int32 = 0
        while waitpid(id, &word, WUNTRACED) < 0 && errno == EINTR {}
    }

    /// The exit status, or the negative number of the signal that ended it.
    func waitForExit() -> Int32 {
        if let status { return status }
        let result = Spawn.wait(for: id)
        status = result
        return result
    }

    /// Whether it has ended by itself.
    var hasExited: Bool {
        guard status == nil else { return true }
        var information = siginfo_t()
        guard waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return true }
        return information.si_signo != 0
    }

    /// Processor time used so far, in hundredths of a second.
    func processorTicks() throws -> Int {
        // The name, in parentheses, may hold anything: fields are counted behind it.
        let text = try Self.text(of: "/proc/\(id)/stat")
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Int(fields[12]), let system = Int(fields[13]) else {
            throw UnexpectedAnswer(what: text)
        }
        return user + system
    }

    /// Processor time used in a span of real time, as a share of one core. The span is as short as the test allows.
    func processorShare(overMilliseconds span: Int) throws -> Double {
        let before = try processorTicks()
        usleep(UInt32(span) * 1000)
        return Double(try processorTicks() - before) * 10 / Double(span)
    }

    func residentBytes() throws -> Int {
        let fields = try Self.text(of: "/proc/\(id)/statm").split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { throw UnexpectedAnswer(what: "statm") }
        return pages * 4096
    }

    /// The fewest descriptors over a while: connections that are just being closed do not count.
    func descriptorsAtRest() -> Int {
        (0..<20).map { _ in
            usleep(10_000)
            return descriptorCount()
        }.min() ?? 0
    }

    func descriptorCount() -> Int {
        guard let directory = opendir("/proc/\(id)/fd") else { return -1 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count - 2
    }

    // MARK: Starting

    private func awaitListening() throws {
        var line: JSONObject?
        try eventually("the server to listen") {
            guard !hasExited else { throw UnexpectedAnswer(what: "the server ended: \(logText())") }
            // The last line may be half written.
            line = logText().split(separator: "\n").lazy.compactMap { try? JSONReader.read(Array($0.utf8)).objectValue }
                .first { $0["event"]?.stringValue == "listening" }
            return line != nil
        }
        port = Self.port(line?["listen"])
        adminPort = Self.port(line?["admin"])
    }

    private static func port(_ addresses: JSONValue?) -> Int {
        for address in addresses?.arrayValue ?? [] {
            if let port = Int(address.stringValue?.split(separator: ":").last ?? "") { return port }
        }
        return 0
    }

    private static func executableFolder() -> String {
        var path = [UInt8](repeating: 0, count: 4096)
        let count = path.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map { readlink("/proc/self/exe", $0, buffer.count) } ?? 0
        }
        let text = String(decoding: path.prefix(max(0, count)), as: UTF8.self)
        return String(text[..<(text.lastIndex(of: "/") ?? text.startIndex)])
    }

    private static func text(of path: String) throws -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemError.last("open \(path)") }
        defer { close(file) }
        var text: [UInt8] = []
        while true {
            let chunk = [UInt8](unsafeUninitializedCapacity: 256 << 10) { buffer, count in
                count = max(0, read(file, buffer.baseAddress, buffer.count))
            }
            if chunk.isEmpty { return String(decoding: text, as: UTF8.self) }
            text += chunk
        }
    }

    private static func write(_ text: String, to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError.last("open \(path)") }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else { throw SystemError.last("write \(path)") }
    }
}
