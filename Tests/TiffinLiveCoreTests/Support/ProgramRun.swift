import Glibc

@testable import TiffinLiveCore

/// A program that was run to its end, with what it wrote to standard output and to standard error.
struct ProgramRun {
    /// The exit status, or the negative number of the signal that ended it.
    let status: Int32
    let output: String
    let errors: String

    /// The first of the usual places that has the program; nil when none has.
    static func find(_ name: String) -> String? {
        ["/usr/bin", "/usr/local/bin", "/bin", "/usr/sbin"].map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// `arguments` begin with the program's path.
    init(_ arguments: [String], input: [UInt8] = []) throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/tiffin-program-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SystemError.last("mkdtemp") }
        let folder = String(cString: made)
        let names = ["input", "output", "errors"].map { "\(folder)/\($0)" }
        defer {
            for name in names { unlink(name) }
            rmdir(folder)
        }
        try Self.write(input, to: names[0])
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, names[0], O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, names[1], O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, names[2], O_WRONLY | O_CREAT, 0o600)
        var words = arguments.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var id: pid_t = 0
        let result = posix_spawn(&id, arguments[0], &actions, nil, &words, environ)
        guard result == 0 else { throw SystemError("posix_spawn \(arguments[0])", code: result) }
        var word: Int32 = 0
        while waitpid(id, &word, 0) < 0 && errno == EINTR {}
        status = word & 0x7F == 0 ? (word >> 8) & 0xFF : -(word & 0x7F)
        output = String(decoding: try SecretReference.file(names[1]).read(), as: UTF8.self)
        errors = String(decoding: try SecretReference.file(names[2]).read(), as: UTF8.self)
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError.last("open \(path)") }
        defer { close(file) }
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else { throw SystemError.last("write \(path)") }
    }
}
