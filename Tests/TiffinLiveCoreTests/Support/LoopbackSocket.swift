import Glibc

@testable import TiffinLiveCore

/// Blocking TCP sockets on 127.0.0.1 for fakes and proxies of the tests.
enum LoopbackSocket {
    /// A listener on a free port, or on `port`.
    static func listen(port: Int = 0) throws -> (descriptor: Int32, port: Int) {
        let descriptor = make()
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = loopback(port)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && Glibc.listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else {
            let error = SystemError.last("listen")
            close(descriptor)
            throw error
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Nil when nobody listens there. `source` is the address to come from, such as 127.0.0.9: all of 127.0.0.0/8 is
    /// this machine's.
    static func connect(port: Int, from source: String? = nil) -> Int32? {
        let descriptor = make()
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        if let source {
            var own = loopback(0)
            inet_pton(AF_INET, source, &own.sin_addr)
            _ = withUnsafeMutablePointer(to: &own) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
        }
        var address = loopback(port)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, length) }
        }
        guard result == 0 else {
            close(descriptor)
            return nil
        }
        setNoDelay(descriptor)
        return descriptor
    }

    static func connect(path: String) -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard let address = SocketAddress("unix:" + path),
            address.withSocketAddress({ Glibc.connect(descriptor, $0, $1) }) == 0
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    static func accept(_ listener: Int32) -> Int32? {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        setNoDelay(descriptor)
        return descriptor
    }

    /// Closes with a reset.
    static func reset(_ descriptor: Int32) {
        Socket(descriptor: descriptor).reset()
    }

    private static func make() -> Int32 {
        socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    private static func setNoDelay(_ descriptor: Int32) {
        Socket(descriptor: descriptor).setNoDelay()
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
