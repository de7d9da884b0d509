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
    /// Where pages come from that may use the users' cookies.
    private let pageOrigin: String
    /// Of all the servers, one after the other.
    private let log: Int32
    /// nil while it is started anew.
    private let server: Locked<RunningServer?>

    var keyPath: String { "\(folder)/private.json" }
    var logPath: String { "\(folder)/server.log" }

    /// `port`: nil takes the usual one when it is free, else any; 0 any.
    static func start(port: Int?, pageOrigin: String) throws(CommandError) -> DemoServer {
        let folder = try FileStore.makeTemporaryFolder()
        do {
            return try DemoServer(folder: folder, port: port ?? (isFree(usualPort) ? usualPort : 0), pageOrigin)
        } catch {
            remove(folder)
            throw error
        }
    }

    private init(folder: String, port: Int, _ pageOrigin: String) throws(CommandError) {
        self.folder = folder
        self.pageOrigin = pageOrigin
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
        log = open("\(folder)/server.log", O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard log >= 0 else { throw .failed("cannot create a file in \(folder): \(SystemError.text(of: errno))") }
        let server = try Self.launch(folder, listen: "127.0.0.1:\(port)", admin: "127.0.0.1:0", pageOrigin, log: log)
        self.server = Locked(server)
        guard let listening = server.listenAddresses.first, let address = SocketAddress(listening),
            let adminAddress = server.adminAddresses.first, let admin = AdminClient(adminAddress)
        else { throw .failed("tiffin-live demo: the server has no address") }
        self.address = address
        self.adminAddress = adminAddress
        self.admin = admin
    }

    private static func launch(
        _ folder: String, listen: String, admin: String, _ pageOrigin: String, log: Int32
    ) throws(CommandError) -> RunningServer {
        let configuration: ServerConfiguration
        do {
            configuration = try ServerConfiguration.load(
                path: nil,
                overrides: DemoSettings.overrides(
                    folder: folder, listen: listen, admin: admin, pageOrigin: pageOrigin))
        } catch {
            throw .failed(error.description)
        }
        do {
            return try RunningServer.start(configuration, logDescriptor: log)
        } catch {
            throw .failed("tiffin-live demo: \(error)")
        }
    }

    /// Drains the server and starts it again on the same ports, with nothing of what it had in memory. False when that is
    /// under way already.
    func restart() throws(CommandError) -> Bool {
        guard let running = server.withLock({ $0.take() }) else { return false }
        running.stop()
        _ = running.wait()
        let next = try Self.launch(folder, listen: "\(address)", admin: adminAddress, pageOrigin, log: log)
        server.withLock { $0 = next }
        return true
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
        if let running = server.withLock({ $0.take() }) {
            running.stop()
            running.stop()
            _ = running.wait()
        }
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
