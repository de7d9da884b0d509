import Glibc

/// What the machine gives: open files and addresses.
extension Doctor {
    mutating func examineDescriptors() {
        guard let limit = try? DescriptorLimit.current() else {
            return unknown("descriptors", "the limit on open files cannot be read")
        }
        let needed = configuration.descriptorsNeeded
        let connections = configuration.limits.connections
        guard limit.hard < needed else {
            return ok("descriptors", "\(limit.hard) open files are allowed, limits.connections needs \(needed)")
        }
        let possible = max(1, limit.hard - (needed - connections))
        fault(
            "descriptors",
            "limits.connections = \(connections) needs \(needed) open files, and here \(limit.hard) are allowed: "
                + "set LimitNOFILE=\(needed) in the unit (`ulimit -Hn` for a shell), or limits.connections to \(possible)"
        )
    }

    mutating func examineAddresses() {
        var isRunning = false
        for place in configuration.admin {
            let answers = Self.answersHealth(place)
            isRunning = isRunning || answers
            examine("admin", place, isRunning: answers)
        }
        // These may speak TLS, or want a PROXY header first: whoever holds the admin listener holds them too.
        for place in configuration.listen {
            examine("listen", place, isRunning: isRunning || Self.answersHealth(place))
        }
    }

    private mutating func examine(_ subject: String, _ place: ListenAddress, isRunning: Bool) {
        switch place {
        case .bind(let address): examine(subject, address, isRunning: isRunning)
        case .passed: ok(subject, "\(place): systemd passes it to the server")
        }
    }

    private mutating func examine(_ subject: String, _ address: SocketAddress, isRunning: Bool) {
        if address.port == 0 { return ok(subject, "\(address): any free port") }
        let code = Self.bindingError(address)
        switch code {
        case 0: ok(subject, "\(address) is free")
        case EADDRINUSE where isRunning: ok(subject, "\(address) is in use by tiffin-live")
        case EADDRINUSE:
            fault(
                subject,
                "\(address) is in use by something else: `ss -ltnp` names it; end it, or choose another address")
        case EACCES:
            fault(
                subject,
                "\(address) is not allowed to this user: choose a port from 1024 on, or give the unit "
                    + "AmbientCapabilities=CAP_NET_BIND_SERVICE (for a path: a folder that the user may write)")
        case EADDRNOTAVAIL:
            fault(subject, "\(address) is no address of this machine: `ip address` lists them")
        default: fault(subject, "\(address) cannot be bound: \(SystemError.text(of: code))")
        }
    }

    /// What binding would fail with, 0 for nothing. Nothing is left behind, and nobody can connect meanwhile.
    private static func bindingError(_ address: SocketAddress) -> Int32 {
        let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        if case .unix(let path) = address {
            guard access(path, F_OK) == 0 else { return access(folder(of: path), W_OK | X_OK) == 0 ? 0 : errno }
            // Nobody listens there any more: the server replaces the file.
            if address.withSocketAddress({ connect(descriptor, $0, $1) }) != 0, errno == ECONNREFUSED { return 0 }
            return EADDRINUSE
        }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        return address.withSocketAddress { bind(descriptor, $0, $1) } == 0 ? 0 : errno
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Whether somebody answers there as this server does.
    private static func answersHealth(_ place: ListenAddress) -> Bool {
        guard case .bind(let address) = place, address.port != 0 else { return false }
        let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 2, tv_usec: 0)
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        guard address.withSocketAddress({ connect(descriptor, $0, $1) }) == 0 else { return false }
        let request = Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return false }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1024)
        while answer.count < 4096 {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            answer += chunk.prefix(count)
        }
        let text = String(decoding: answer, as: UTF8.self)
        return text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("\r\n\r\nok\n")
    }
}
