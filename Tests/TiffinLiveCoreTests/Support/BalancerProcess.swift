import Glibc

@testable import TiffinLiveCore

/// nginx or HAProxy as Debian ships them, in a process and a folder of a test's own, on a free port of 127.0.0.1. Ended with
/// the object.
final class BalancerProcess {
    enum Kind: String, CaseIterable {
        case nginx, haproxy

        var program: String? {
            ["/usr/sbin", "/usr/local/sbin", "/usr/bin"].map { "\($0)/\(rawValue)" }.first { access($0, X_OK) == 0 }
        }

        static var areInstalled: Bool { allCases.allSatisfy { $0.program != nil } }
    }

    let kind: Kind
    let port: Int
    private let files: TemporaryFolder
    private var folder: String { files.path }
    private let certificate: TLSFiles
    private var id: pid_t = 0

    /// With the example that ships in `config/`: the test's addresses and certificate take the places of those in the file.
    convenience init(_ kind: Kind, to servers: [Int]) throws {
        let name = kind == .nginx ? "config/nginx/tiffin-live.conf" : "config/haproxy/tiffin-live.cfg"
        try self.init(kind, try Self.text(of: name)) { balancer in
            let tls = balancer.certificate.folder
            let own =
                kind == .nginx
                ? [
                    ("listen 443 ssl", "listen 127.0.0.1:\(balancer.port) ssl"),
                    ("/etc/nginx/tls/live.pem", tls + "/chain.pem"), ("/etc/nginx/tls/live.key", tls + "/key.pem"),
                ]
                : [
                    ("bind :443 ", "bind 127.0.0.1:\(balancer.port) "),
                    ("/etc/haproxy/tls/live.pem", tls + "/both.pem"),
                ]
            return own + servers.enumerated().map { ("127.0.0.1:\(8080 + $0.offset)", "127.0.0.1:\($0.element)") }
        }
    }

    /// With a text that has `{port}` in it.
    convenience init(_ kind: Kind, text: String) throws {
        try self.init(kind, text) { [("{port}", "\($0.port)")] }
    }

    private init(_ kind: Kind, _ text: String, replacing: (BalancerProcess) -> [(String, String)]) throws {
        self.kind = kind
        files = try TemporaryFolder()
        // nginx, started as root, works as nobody.
        chmod(files.path, 0o755)
        let certificate = try TLSCertificate(name: "balancer")
        self.certificate = try TLSFiles(certificate)
        try self.certificate.write(certificate.pem + certificate.keyPEM, "both.pem")
        let (descriptor, port) = try LoopbackSocket.listen()
        close(descriptor)
        self.port = port
        var text = text
        for (old, new) in replacing(self) {
            guard text.contains(old) else { throw UnexpectedAnswer(what: "\(old) is not in the example") }
            text = text.replacing(old, with: new)
        }
        try start(text)
    }

    deinit {
        if id > 0 {
            kill(id, SIGTERM)
            _ = Spawn.wait(for: id)
        }
    }

    /// What it has to say of itself.
    var log: String { (try? files.text(of: "log")) ?? "" }

    // MARK: Clients

    /// A client of the TLS port, which comes from an address that is nobody's balancer.
    func connect(from source: String = BalancerProcess.client) throws -> RawClient {
        try TLSTunnel(port: port, peer: TLSRawPeer(), from: source).client
    }

    static let client = "127.0.0.9"

    // MARK: The process

    private func start(_ text: String) throws {
        guard let program = kind.program else { throw UnexpectedAnswer(what: "no \(kind)") }
        try files.write(text, to: "part")
        let arguments: [String]
        switch kind {
        case .nginx:
            let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
            try files.write(
                """
                daemon off; pid \(folder)/pid; worker_processes 2;
                events { worker_connections 256; }
                http { access_log off; \(paths.joined(separator: " ")) include \(folder)/part; }

                """, to: "main")
            arguments = [program, "-e", "stderr", "-c", folder + "/main"]
        case .haproxy:
            try files.write("global\n    maxconn 500\n", to: "main")
            arguments = [program, "-db", "-f", folder + "/main", "-f", folder + "/part"]
        }
        id = try Spawn.start(arguments, Spawn.Streams(output: folder + "/log"))
        try eventually("\(kind) to listen") {
            var status: Int32 = 0
            guard waitpid(id, &status, WNOHANG) == 0 else {
                id = 0
                throw UnexpectedAnswer(what: "\(kind) ended: \(log)")
            }
            guard let descriptor = LoopbackSocket.connect(port: port) else { return false }
            close(descriptor)
            return true
        }
    }

    /// A file of the project.
    private static func text(of name: String) throws -> String {
        let here = "Tests/TiffinLiveCoreTests/Support/BalancerProcess.swift"
        let bytes = try SecretReference.file(String(#filePath.dropLast(here.utf8.count)) + name).read()
        return String(decoding: bytes, as: UTF8.self)
    }
}
