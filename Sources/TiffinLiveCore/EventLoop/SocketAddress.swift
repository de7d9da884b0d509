package import Glibc

/// Where a stream socket listens or whom it talks to: an IPv4 or IPv6 address with a port, or a Unix socket's path.
///
/// Text forms: `127.0.0.1:8080`, `[::1]:8080`, `unix:/run/x.sock`. Names are not looked up. The scope of a
/// link-local IPv6 address is not kept.
package enum SocketAddress: Hashable, Sendable {
    /// The address as a number, most significant byte first in the text.
    case ipv4(UInt32, port: UInt16)
    /// The upper and the lower half, most significant byte first in the text.
    case ipv6(UInt64, UInt64, port: UInt16)
    /// Empty for an unnamed peer.
    case unix(path: String)

    /// Bytes that a path may have: `sun_path` with its zero.
    static let longestPath = 107

    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty, path.utf8.count <= SocketAddress.longestPath, !path.utf8.contains(0) else {
                return nil
            }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = SocketAddress.port(text[text.index(after: colon)...])
        else { return nil }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            var address = in6_addr()
            guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1 else { return nil }
            self = SocketAddress(address, port: port)
        } else {
            var address = in_addr()
            guard inet_pton(AF_INET, String(host), &address) == 1 else { return nil }
            self = .ipv4(UInt32(bigEndian: address.s_addr), port: port)
        }
    }

    /// Nil for the path of a Unix socket.
    package var port: UInt16? {
        switch self {
        case .ipv4(_, let port), .ipv6(_, _, let port): port
        case .unix: nil
        }
    }

    /// Nil for a Unix socket. An IPv4 peer of an IPv6 listener is the same as by IPv4.
    var ipAddress: IPAddress? {
        switch self {
        case .ipv4(let bits, _): IPAddress(version4: bits)
        case .ipv6(let high, let low, _): IPAddress(high: high, low: low)
        case .unix: nil
        }
    }

    private static func port(_ digits: Substring) -> UInt16? {
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            return nil
        }
        return UInt16(digits)
    }
}

extension SocketAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .ipv4(let bits, let port):
            var address = in_addr(s_addr: bits.bigEndian)
            return "\(SocketAddress.text(AF_INET, &address)):\(port)"
        case .ipv6(let high, let low, let port):
            var address = SocketAddress.in6(high, low)
            return "[\(SocketAddress.text(AF_INET6, &address))]:\(port)"
        case .unix(let path):
            return "unix:\(path)"
        }
    }

    private static func text(_ family: Int32, _ address: UnsafeRawPointer) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard let base = buffer.baseAddress,
                let text = inet_ntop(family, address, base, socklen_t(buffer.count))
            else { return "" }
            return String(cString: text)
        }
    }
}

// MARK: - The kernel's form

extension SocketAddress {
    package var family: Int32 {
        switch self {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    package func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        let length = withUnsafeMutableBytes(of: &storage) { write(to: $0) }
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// Nil for a family that is none of ours.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 2 else { return nil }
        switch Int32(bytes.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where bytes.count >= MemoryLayout<sockaddr_in>.size:
            let address = bytes.loadUnaligned(as: sockaddr_in.self)
            self = .ipv4(UInt32(bigEndian: address.sin_addr.s_addr), port: UInt16(bigEndian: address.sin_port))
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            let address = bytes.loadUnaligned(as: sockaddr_in6.self)
            self = SocketAddress(address.sin6_addr, port: UInt16(bigEndian: address.sin6_port))
        case AF_UNIX:
            let path = bytes.dropFirst(2).prefix { $0 != 0 }
            self = .unix(path: String(decoding: path, as: UTF8.self))
        default:
            return nil
        }
    }

    /// Own address of a socket.
    static func local(of descriptor: Int32) throws(SystemError) -> SocketAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { throw .last("getsockname") }
        let count = min(Int(length), MemoryLayout<sockaddr_storage>.size)
        let address = withUnsafeBytes(of: &storage) {
            SocketAddress(UnsafeRawBufferPointer(rebasing: $0.prefix(count)))
        }
        guard let address else { throw SystemError("getsockname", code: EAFNOSUPPORT) }
        return address
    }

    private init(_ address: in6_addr, port: UInt16) {
        let (high, low) = withUnsafeBytes(of: address) {
            (
                UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        self = .ipv6(high, low, port: port)
    }

    private static func in6(_ high: UInt64, _ low: UInt64) -> in6_addr {
        var address = in6_addr()
        withUnsafeMutableBytes(of: &address) {
            $0.storeBytes(of: high.bigEndian, as: UInt64.self)
            $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return address
    }

    private func write(to bytes: UnsafeMutableRawBufferPointer) -> socklen_t {
        switch self {
        case .ipv4(let bits, let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = bits.bigEndian
            bytes.storeBytes(of: address, as: sockaddr_in.self)
            return socklen_t(MemoryLayout<sockaddr_in>.size)
        case .ipv6(let high, let low, let port):
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = SocketAddress.in6(high, low)
            bytes.storeBytes(of: address, as: sockaddr_in6.self)
            return socklen_t(MemoryLayout<sockaddr_in6>.size)
        case .unix(let path):
            bytes.storeBytes(of: sa_family_t(AF_UNIX), as: sa_family_t.self)
            let utf8 = path.utf8.prefix(SocketAddress.longestPath)
            for (offset, byte) in utf8.enumerated() { bytes[2 + offset] = byte }
            return socklen_t(2 + utf8.count + 1)
        }
    }
}
