import Glibc
import TiffinLiveCore

/// The server of the demo in this process, its keys and its log in a folder that goes away with it.
final class DemoServer: Sendable {
    /// Seconds that tokens of the demo live.
    static let tokenLife = 90
    private static let usualPort = 8080

    let folder: String
    let address: SocketAddress
    let adminAddress: String
    let admin: AdminClient
    private let key: SigningKey
    private let server: RunningServer

    var keyPath: String { "\(folder)/private.json" }
    var logPath: String { "\(folder)/server.log" }

    /// `port`: nil takes the usual one when it is free, else any; 0 any.
    static func start(port: Int?) throws(CommandError) -> DemoServer {
        let folder = try FileStore.makeTemporaryFolder()
        do {
            return try DemoServer(folder: folder, port: port ?? (isFree(usualPort) ? usualPort : 0))
        } catch {
            remove(folder)
            throw error
        }
    }

    private init(folder: String, port: Int) throws(CommandError) {
        self.folder = folder
        guard port == 0 || Self.isFree(port) else {
            throw .failed("port \(port) of 127.0.0.1 is taken; name another one with --port, or 0 for any")
        }
        do {
            key = try SigningKey.generate(.ES256, keyID: "demo")
        } catch {
            throw .failed("\(error)")
        }
        try FileStore.create("\(folder)/private.json", key.privateJWK, mode: 0o600)
        try FileStore.create("\(folder)/keys.json", key.publicJWKS, mode: 0o600)
        let log = open("\(folder)/server.log", O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard log >= 0 else { throw .failed("cannot create a file in \(folder): \(SystemError.text(of: errno))") }
        let configuration: ServerConfiguration
        do {
            configuration = try ServerConfiguration.load(
                path: nil, overrides: Self.overrides(folder: folder, port: port))
        } catch {
            throw .failed(error.description)
        }
        do {
            server = try RunningServer.start(configuration, logDescriptor: log)
        } catch {
            throw .failed("tiffin-live demo: \(error)")
        }
        guard let listening = server.listenAddresses.first, let address = SocketAddress(listening),
            let adminAddress = server.adminAddresses.first, let admin = AdminClient(adminAddress)
        else { throw .failed("tiffin-live demo: the server has no address") }
        self.address = address
        self.adminAddress = adminAddress
        self.admin = admin
    }

    /// The defaults, but for what must be short enough to be watched.
    private static func overrides(folder: String, port: Int) -> [String] {
        [
            #"listen=["127.0.0.1:\#(port)"]"#, #"admin=["127.0.0.1:0"]"#, "threads=2", "limits.connections=1000",
            "tokens.keys=\(JSONWriter.text(.string("file:\(folder)/keys.json")))",
            #"expiry.jitter="10s""#, #"expiry.warning="20s""#,
            #"drain.grace="0s""#, #"drain.spread="1s""#,
        ]
    }

    /// Whether nobody listens there. The server's own way of binding would share the port with a server like it.
    private static func isFree(_ port: Int) -> Bool {
        guard let address = SocketAddress("127.0.0.1:\(port)") else { return false }
        let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        return address.withSocketAddress { bind(descriptor, $0, $1) } == 0
    }

    /// A token as the auth service would issue it; a negative life makes one that has expired.
    func token(_ user: String, _ role: String, life: Int = tokenLife) throws(StoryError) -> String {
        let now = Glibc.time(nil)
        var claims = JSONObject(("sub", .string(user)), ("role", .string(role)))
        claims["iat"] = .integer(now + min(life, 0))
        claims["exp"] = .integer(now + life)
        claims["jti"] = .string(RandomName.make())
        if role == "restaurant" { claims["restaurants"] = .array([.string(user)]) }
        do {
            return try key.sign(claims: claims)
        } catch {
            throw StoryError("\(error)")
        }
    }

    /// Stops the server, without the patience that real clients would be given, and takes everything away.
    func end() {
        server.stop()
        server.stop()
        _ = server.wait()
        Self.remove(folder)
    }

    /// The last lines of the server's log, for when the story does not go as told.
    var logTail: String {
        guard let bytes = try? FileStore.read(logPath) else { return "" }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(15).joined(separator: "\n")
    }

    private static func remove(_ folder: String) {
        for name in ["private.json", "keys.json", "server.log"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }
}
