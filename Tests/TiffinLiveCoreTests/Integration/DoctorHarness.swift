import Glibc

@testable import TiffinLiveCore

/// A folder with keys and a configuration for `doctor`.
final class DoctorHarness {
    let folder: String
    let tokens: TokenFactory
    var keyFile: String { folder + "/keys.json" }

    init(tokens: TokenFactory = .es256) throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/tiffin-doctor-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SystemError.last("mkdtemp") }
        folder = String(cString: made)
        self.tokens = tokens
        try write(tokens.key.publicJWKS, to: "keys.json")
    }

    deinit {
        _ = try? ProgramRun(["/bin/rm", "-rf", folder])
    }

    /// A file in the folder.
    @discardableResult
    func write(_ text: String, to name: String, mode: mode_t = 0o600) throws -> String {
        let path = "\(folder)/\(name)"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError.last("open \(path)") }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fchmod(file, mode) == 0 else {
            throw SystemError.last("write \(path)")
        }
        return path
    }

    /// What every examination here begins with.
    var settings: [String] {
        [
            #"listen=["127.0.0.1:0"]"#, #"admin=["127.0.0.1:0"]"#, #"tokens.keys="file:\#(keyFile)""#,
            "limits.connections=50",
        ]
    }

    func configuration(_ more: [String]) throws -> ServerConfiguration {
        try ServerConfiguration.load(path: nil, overrides: settings + more)
    }

    /// The lines, as they are printed.
    func examine(_ more: [String] = [], token: String? = nil) throws -> [String] {
        Doctor.examine(try configuration(more), token: token.map { Array($0.utf8) }).map(\.description)
    }

    /// The lines of faults only, without the word.
    func faults(_ more: [String] = [], token: String? = nil) throws -> [String] {
        Self.faults(of: try examine(more, token: token))
    }

    static func faults(of lines: [String]) -> [String] {
        lines.filter { $0.hasPrefix("fault ") }.map { String($0.dropFirst(9)) }
    }

    static func redis(_ redis: RedisServer, _ more: String = "") -> String {
        "redis={url:\"\(redis.url)\",timeout:\"10s\"\(more)}"
    }
}
