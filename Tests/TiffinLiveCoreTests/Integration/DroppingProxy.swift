import Glibc

@testable import TiffinLiveCore

/// A TCP proxy as a careless balancer is one: small buffers, and when a side resets, everything that it still holds is
/// dropped and the other side reset too. A clean end is passed on after the bytes before it.
final class DroppingProxy {
    let port: Int
    private let listener: Int32
    private let isStopping = Locked(false)
    private let thread: LoopThread

    init(to target: Int) throws {
        let listener = Self.makeSocket()
        var address = Self.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw SystemError.last("proxy") }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        let isStopping = isStopping
        thread = try LoopThread.start(name: "proxy") {
            var links: [Link] = []
            while !isStopping.withLock({ $0 }) {
                Self.turn(listener, target, &links)
            }
            for link in links { link.drop() }
        }
    }

    deinit {
        isStopping.withLock { $0 = true }
        thread.join()
        close(listener)
    }

    /// One connection: the client's side is 0, the server's 1; `held[i]` came from side i.
    private final class Link {
        let sides: [Int32]
        var held: [[UInt8]] = [[], []]
        var hasEnded = [false, false]
        var isOver = false

        init(_ sides: [Int32]) {
            self.sides = sides
        }

        func events(_ side: Int) -> Int16 {
            let reads = !hasEnded[side] && held[side].count < 4096
            return (reads ? Int16(POLLIN) : 0) | (held[1 - side].isEmpty ? 0 : Int16(POLLOUT))
        }

        func move(_ side: Int) {
            guard !isOver else { return }
            if !hasEnded[side], held[side].count < 4096 { receive(side) }
            if !isOver, !held[side].isEmpty { pass(side) }
            if !isOver, hasEnded[0], hasEnded[1], held[0].isEmpty, held[1].isEmpty {
                isOver = true
                for side in sides { close(side) }
            }
        }

        private func receive(_ side: Int) {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(sides[side], &bytes, bytes.count, Int32(MSG_DONTWAIT))
            if count > 0 { held[side] += bytes[..<count] }
            if count == 0 {
                hasEnded[side] = true
                if held[side].isEmpty { shutdown(sides[1 - side], Int32(SHUT_WR)) }
            }
            if count < 0, errno != EAGAIN { drop() }
        }

        private func pass(_ side: Int) {
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            let count = send(sides[1 - side], held[side], held[side].count, flags)
            if count > 0 { held[side].removeFirst(count) }
            if count < 0, errno != EAGAIN { return drop() }
            if held[side].isEmpty, hasEnded[side] { shutdown(sides[1 - side], Int32(SHUT_WR)) }
        }

        func drop() {
            guard !isOver else { return }
            isOver = true
            var linger = linger(l_onoff: 1, l_linger: 0)
            for side in sides {
                setsockopt(side, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
                close(side)
            }
        }
    }

    private static func turn(_ listener: Int32, _ target: Int, _ links: inout [Link]) {
        links.removeAll(where: \.isOver)
        var entries = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
        for link in links {
            for side in 0...1 { entries.append(pollfd(fd: link.sides[side], events: link.events(side), revents: 0)) }
        }
        guard poll(&entries, nfds_t(entries.count), 20) > 0 else { return }
        for (index, link) in links.enumerated() {
            for side in 0...1 where entries[1 + 2 * index + side].revents != 0 { link.move(side) }
            for side in 0...1 { link.move(side) }
        }
        guard entries[0].revents != 0 else { return }
        let client = accept(listener, nil, nil)
        let server = makeSocket()
        var address = loopback(port: target)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let link = Link([client, server])
        if client < 0 || result != 0 { link.drop() } else { links.append(link) }
    }

    /// With small buffers, which those that it accepts inherit.
    private static func makeSocket() -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var size: Int32 = 4096
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
