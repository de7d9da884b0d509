import Glibc

/// The sending end of systemd's notification socket (sd_notify(3)): a datagram of `NAME=value` lines each. Never blocks:
/// what the socket does not take at once is sent by `flush`, in order.
final class NotificationSocket {
    /// Datagrams that may wait; of more, the oldest are given up.
    private static let waitingLimit = 16

    private let descriptor: Int32
    private var address = sockaddr_un()
    private let addressLength: socklen_t
    private var waiting: [[UInt8]] = []

    /// `address`: a path, or `@` and the name of an abstract socket.
    init?(_ address: String) {
        guard Self.isAddress(address) else { return nil }
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        self.address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(address.utf8)
        let isAbstract = name[0] == ASCII.at
        if isAbstract { name[0] = 0 }
        withUnsafeMutableBytes(of: &self.address.sun_path) { $0.copyBytes(from: name) }
        // An abstract name ends with its length, a path with a zero.
        addressLength = socklen_t(MemoryLayout<sa_family_t>.size + name.count + (isAbstract ? 0 : 1))
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Other forms that systemd knows (`vsock:`) are not spoken.
    static func isAddress(_ text: String) -> Bool {
        guard let first = text.utf8.first, first == ASCII.slash || first == ASCII.at else { return false }
        return (2...SocketAddress.longestPath).contains(text.utf8.count)
    }

    func send(_ assignments: [String]) {
        waiting.append(Array(assignments.joined(separator: "\n").utf8))
        if waiting.count > Self.waitingLimit { waiting.removeFirst() }
        flush()
    }

    /// Sends what waits. A receiver that is gone is told nothing more.
    func flush() {
        while let datagram = waiting.first {
            let error = deliver(datagram)
            guard error != EAGAIN, error != EINTR else { return }
            waiting.removeFirst()
        }
    }

    /// The error number; 0 when it is sent.
    private func deliver(_ datagram: [UInt8]) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, datagram, datagram.count, Int32(MSG_NOSIGNAL), $0, addressLength) < 0 ? errno : 0
            }
        }
    }
}
