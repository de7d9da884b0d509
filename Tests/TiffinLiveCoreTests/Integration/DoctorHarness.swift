import Glibc

@testable import TiffinLiveCore

/// A folder with keys and a configuration for `doctor`.
final class DoctorHarness {
    private let files: TemporaryFolder
    var folder: String { files.path }
    let tokens: TokenFactory
    var keyFile: String { folder + "/keys.json" }

    init(tokens: TokenFactory = .es256) throws {
        files = try TemporaryFolder()
        self.tokens = tokens
        try write(tokens.key.publicJWKS, to: "keys.json")
    }

    /// A file in the folder.
    @discardableResult
    func write(_ text: String, to name: String, mode: mode_t = 0o600) throws -> String {
        try files.write(text, to: name, mode: mode)
        return "\(folder)/\(name)"
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
