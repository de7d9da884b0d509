import Glibc

/// Where a secret is found; the secret itself never stands in the configuration.
enum SecretReference: Equatable, Sendable, CustomStringConvertible {
    /// `file:PATH`.
    case file(String)
    /// `env:NAME`.
    case environment(String)
    /// `credential:NAME`, a file in systemd's `$CREDENTIALS_DIRECTORY`.
    case credential(String)

    /// More than any key set or password needs.
    static let maximumSize = 1 << 20

    /// Why a secret cannot be had.
    struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
        let message: String
        var description: String { message }
    }

    /// Reads the form that stands in the configuration; nil when it is none of the three.
    init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let name = String(text[text.index(after: colon)...])
        guard !name.isEmpty, !name.utf8.contains(0) else { return nil }
        switch text[..<colon] {
        case "file": self = .file(name)
        case "env" where !name.utf8.contains(ASCII.equals): self = .environment(name)
        case "credential" where !name.utf8.contains(ASCII.slash) && name != "." && name != "..":
            self = .credential(name)
        default: return nil
        }
    }

    var description: String {
        switch self {
        case .file(let path): "file:\(path)"
        case .environment(let name): "env:\(name)"
        case .credential(let name): "credential:\(name)"
        }
    }

    /// The file to watch for changes; nil for the environment, and for a credential outside systemd.
    var path: String? {
        switch self {
        case .file(let path): path
        case .environment: nil
        case .credential(let name):
            getenv("CREDENTIALS_DIRECTORY").map { "\(String(cString: $0))/\(name)" }
        }
    }

    /// The secret. Blocks on the file; for the start and a reload, never for a loop.
    func read() throws(Fault) -> [UInt8] {
        switch self {
        case .file(let path):
            return try Self.read(path: path)
        case .environment(let name):
            guard let value = getenv(name) else {
                throw Fault(message: "the environment variable \(name) is not set")
            }
            return Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
        case .credential(let name):
            guard let path else {
                throw Fault(
                    message: "$CREDENTIALS_DIRECTORY is not set; give the unit LoadCredential=\(name):PATH")
            }
            return try Self.read(path: path)
        }
    }

    private static func read(path: String) throws(Fault) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            throw Fault(message: "cannot open \(path): \(SystemError.text(of: errno))")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while true {
            var code: Int32 = 0
            let piece = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
                let result = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                code = result < 0 ? errno : 0
                count = max(result, 0)
            }
            if code == EINTR { continue }
            guard code == 0 else { throw Fault(message: "cannot read \(path): \(SystemError.text(of: code))") }
            if piece.isEmpty { return bytes }
            bytes += piece
            guard bytes.count <= maximumSize else {
                throw Fault(message: "\(path) is larger than 1 MiB")
            }
        }
    }
}
