/// The listening sockets of a server, bound here or passed by systemd, and which loop accepts from which.
struct Listeners {
    /// For each worker.
    private(set) var workers: [[ListeningSocket]]
    private(set) var admin: [ListeningSocket] = []
    /// What systemd passed and nobody asked for; closed.
    private(set) var unused: [String] = []
    /// Not taken yet.
    private var passed: [ServiceEnvironment.PassedSocket]
    /// Named by an entry of its own, and so not among "all the others".
    private let named: Set<String>

    /// - Parameter count: of the workers.
    init(
        _ configuration: ServerConfiguration, passed: [ServiceEnvironment.PassedSocket], workers count: Int
    ) throws(ServerError) {
        workers = Array(repeating: [], count: count)
        self.passed = passed
        named = Set(
            (configuration.listen + configuration.admin).compactMap { address in
                if case .passed(let name) = address { name } else { nil }
            })
        for address in configuration.listen {
            switch address {
            case .bind(let address): try listen(on: address)
            case .passed(let name):
                for socket in try take(name, for: "listen") { try share(socket) }
            }
        }
        for address in configuration.admin {
            switch address {
            case .bind(let address): admin.append(try Self.bind(address))
            case .passed(let name):
                for socket in try take(name, for: "admin") {
                    admin.append(try Self.adopt(socket.descriptor, isInherited: true))
                }
            }
        }
        unused = self.passed.map(\.name)
        for socket in self.passed { Socket(descriptor: socket.descriptor).close() }
    }

    var addresses: [String] { workers.first?.map(\.address.description) ?? [] }
    var adminAddresses: [String] { admin.map(\.address.description) }

    /// Each worker listens on a TCP address with a socket of its own, and the kernel deals the connections out. A Unix
    /// path can be bound once only, so its backlog is shared.
    private mutating func listen(on address: SocketAddress) throws(ServerError) {
        let first = try Self.bind(address)
        workers[0].append(first)
        for worker in workers.indices.dropFirst() {
            workers[worker].append(
                address.port == nil
                    ? try Self.adopt(Self.duplicate(first), isShared: true) : try Self.bind(first.address))
        }
    }

    /// All workers accept from a passed socket.
    private mutating func share(_ socket: ServiceEnvironment.PassedSocket) throws(ServerError) {
        let first = try Self.adopt(socket.descriptor, isShared: workers.count > 1, isInherited: true)
        workers[0].append(first)
        for worker in workers.indices.dropFirst() {
            workers[worker].append(try Self.adopt(Self.duplicate(first), isShared: true, isInherited: true))
        }
    }

    private mutating func take(
        _ name: String?, for key: String
    ) throws(ServerError) -> [ServiceEnvironment.PassedSocket] {
        let taken = passed.filter { name == nil ? !named.contains($0.name) : $0.name == name }
        guard !taken.isEmpty else {
            let which = name.map { "no socket named \"\($0)\"" } ?? "no socket"
            throw ServerError("\(key): systemd passes \(which); start the socket unit, or give an address")
        }
        passed.removeAll { taken.contains($0) }
        return taken
    }

    // MARK: System calls, with their errors as sentences

    private static func bind(_ address: SocketAddress) throws(ServerError) -> ListeningSocket {
        try RunningServer.cannotStart { () throws(SystemError) in try ListeningSocket(binding: address) }
    }

    private static func adopt(
        _ descriptor: Int32, isShared: Bool = false, isInherited: Bool = false
    ) throws(ServerError) -> ListeningSocket {
        try RunningServer.cannotStart { () throws(SystemError) in
            try ListeningSocket(adopting: descriptor, isShared: isShared, isInherited: isInherited)
        }
    }

    private static func duplicate(_ listener: ListeningSocket) throws(ServerError) -> Int32 {
        try RunningServer.cannotStart { () throws(SystemError) in try listener.duplicateDescriptor() }
    }
}
