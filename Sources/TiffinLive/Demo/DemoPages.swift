import TiffinLiveCore

/// Where the demo's page is: an address of its own, and a second one that is another origin to a browser.
struct DemoPages {
    private static let usualPort = 8090

    private let server: PageServer
    private let home: SocketAddress
    private let stranger: SocketAddress

    /// Binds the addresses, so that the live server can be told which origin to trust. Nobody is served yet.
    static func bind(usesUsualPort: Bool) throws(CommandError) -> DemoPages {
        if usesUsualPort, let pages = try? DemoPages(port: usualPort) { return pages }
        do {
            return try DemoPages(port: 0)
        } catch {
            throw .failed("tiffin-live demo: no address for its page: \(error)")
        }
    }

    private init(port: Int) throws(SystemError) {
        let addresses = ["127.0.0.1:\(port)", "127.0.0.1:0"].compactMap { SocketAddress($0) }
        server = try PageServer(binding: addresses)
        home = server.addresses[0]
        stranger = server.addresses[1]
    }

    var origin: String { "http://\(home)" }
    var address: String { "\(origin)/" }

    func serve(_ demo: DemoServer, _ operations: DemoOperations) throws(SystemError) {
        // `localhost` is the same machine, and to a browser another site.
        let others = ["\(stranger)"] + [home, stranger].compactMap(\.port).map { "localhost:\($0)" }
        let site = DemoSite(home: "\(home)", others: others, demo: demo, operations: operations)
        try server.start { site.answer($0, $1) }
    }

    func stop() {
        server.stop()
    }
}
