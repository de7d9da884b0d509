import Glibc

/// Looks a host name up in a thread of its own, since the system's way of doing it blocks.
enum NameResolution {
    struct Failure: Error, Equatable, Sendable {
        let text: String
    }

    /// The addresses of a name, best first. May block, and is called in many threads.
    typealias Resolver = @Sendable (_ host: String, _ port: UInt16) -> Result<[SocketAddress], Failure>

    /// `deliver` is called once, in that thread.
    static func start(
        host: String, port: UInt16, by resolver: @escaping Resolver,
        deliver: @escaping @Sendable (Result<[SocketAddress], Failure>) -> Void
    ) throws(SystemError) {
        _ = try LoopThread.start(name: "resolver") { deliver(resolver(host, port)) }
    }

    /// Asks the system, which asks DNS, /etc/hosts and whatever else it is set up to ask, in its order of preference.
    @Sendable static func system(host: String, port: UInt16) -> Result<[SocketAddress], Failure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else {
            let text = code == EAI_SYSTEM ? SystemError.text(of: errno) : String(cString: gai_strerror(code))
            return .failure(Failure(text: text))
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var entry = list
        while let current = entry {
            let bytes = UnsafeRawBufferPointer(start: current.pointee.ai_addr, count: Int(current.pointee.ai_addrlen))
            if let address = SocketAddress(bytes), !addresses.contains(address) { addresses.append(address) }
            entry = current.pointee.ai_next
        }
        return .success(addresses)
    }
}
