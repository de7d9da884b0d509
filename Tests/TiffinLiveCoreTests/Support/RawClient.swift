import Glibc

/// A blocking client on a plain socket, for tests: sends what it is told, valid or not, and is strict about what it gets.
///
/// Knows nothing of the server's own code on purpose, so that one fault cannot sit on both sides. HTTP, WebSocket and
/// event streams are in extensions. Every wait has a time-out, which is a safety net and never part of an expectation.
/// One client belongs to one test; clients of different tests run side by side.
final class RawClient {
    /// The safety net of every wait.
    var timeoutMilliseconds: Int32 = 10_000
    /// What masks the frames sent, unless a call names another key.
    var maskingKey: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    /// Set once the other side's end has been seen; bytes may still be waiting in `pending`.
    private(set) var end: StreamEnd?
    /// Received and not yet taken.
    private(set) var pending: ArraySlice<UInt8> = []

    private var descriptor: Int32

    /// Takes over a connected stream socket.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Connects over TCP. A small `receiveBuffer` (SO_RCVBUF, bytes) makes a slow consumer out of a client that stops reading.
    init(host: String = "127.0.0.1", port: Int, receiveBuffer: Int? = nil) throws(RawClientError) {
        descriptor = -1
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0, let address = list else {
            throw .unexpected("no numeric address: \(host):\(port)")
        }
        defer { freeaddrinfo(list) }
        try open(family: address.pointee.ai_family)
        if let receiveBuffer {
            set(SOL_SOCKET, SO_RCVBUF, Int32(clamping: receiveBuffer))
        }
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        try connect(address.pointee.ai_addr, address.pointee.ai_addrlen)
    }

    /// Connects to a Unix domain socket.
    init(unixPath: String) throws(RawClientError) {
        descriptor = -1
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(unixPath.utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw .unexpected("path too long: \(unixPath)")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        try open(family: AF_UNIX)
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else { throw .system(operation: "connect", errno: errno) }
    }

    deinit {
        close()
    }

    /// Two clients connected to each other.
    static func pair() throws(RawClientError) -> (RawClient, RawClient) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            throw .system(operation: "socketpair", errno: errno)
        }
        return (RawClient(descriptor: ends[0]), RawClient(descriptor: ends[1]))
    }

    /// The local port, for tests that look themselves up in a list of connections.
    var localPort: Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return result == 0 ? Int(UInt16(bigEndian: address.sin_port)) : 0
    }

    // MARK: Sending

    /// Sends all of the bytes; waits while the other side does not read.
    func send(_ bytes: [UInt8]) throws(RawClientError) {
        var sent = 0
        while sent < bytes.count {
            sent += try sendSome(bytes[sent...])
        }
    }

    func send(_ text: String) throws(RawClientError) {
        try send(Array(text.utf8))
    }

    /// Sends each piece with a system call of its own.
    func send(pieces: [[UInt8]]) throws(RawClientError) {
        for piece in pieces {
            try send(piece)
        }
    }

    /// Ends the sending half (FIN); receiving goes on.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Ends the connection with RST, as a crash or a broken path does.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }

    // MARK: Receiving

    /// Takes exactly `count` bytes.
    func receive(_ count: Int, as what: String = "bytes") throws(RawClientError) -> [UInt8] {
        while pending.count < count {
            guard try receiveMore(what) else {
                throw .ended(end ?? .finished, waitingFor: what, received: Array(pending))
            }
        }
        return take(count)
    }

    /// Takes everything up to and including the first occurrence of `mark`.
    func receive(through mark: [UInt8], as what: String) throws(RawClientError) -> [UInt8] {
        var searched = 0
        while true {
            if let length = offset(after: mark, from: searched) {
                return take(length)
            }
            searched = max(0, pending.count - mark.count + 1)
            guard try receiveMore(what) else {
                throw .ended(end ?? .finished, waitingFor: what, received: Array(pending))
            }
        }
    }

    /// Takes everything until the other side ends; `end` tells how it did.
    func receiveToEnd() throws(RawClientError) -> [UInt8] {
        while try receiveMore("the end") {}
        return take(pending.count)
    }

    /// Waits for the end of the connection and expects no byte before it.
    @discardableResult
    func expectEnd() throws(RawClientError) -> StreamEnd {
        let bytes = try receiveToEnd()
        guard bytes.isEmpty else {
            throw .unexpected(
                "\(bytes.count) bytes before the end: \(String(decoding: bytes.prefix(200), as: UTF8.self))")
        }
        return end ?? .finished
    }

    /// True when nothing at all arrives for so long. Only for what must *not* happen.
    func isQuiet(forMilliseconds wait: Int32) throws(RawClientError) -> Bool {
        guard pending.isEmpty, end == nil else { return false }
        return try !poll(for: Int16(POLLIN), milliseconds: wait)
    }

    /// Receives once; false when the other side has ended.
    func receiveMore(_ what: String) throws(RawClientError) -> Bool {
        guard end == nil else { return false }
        guard try poll(for: Int16(POLLIN), milliseconds: timeoutMilliseconds) else {
            throw .timedOut(waitingFor: what)
        }
        var failure: Int32 = 0
        let chunk = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            let received = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            failure = received < 0 ? errno : 0
            count = max(0, received)
        }
        switch failure {
        case 0:
            if chunk.isEmpty { end = .finished }
        case ECONNRESET:
            end = .reset
        case EAGAIN, EINTR:
            return true
        default:
            throw .system(operation: "recv", errno: failure)
        }
        pending += chunk
        return end == nil
    }

    /// Takes the first `count` bytes of what has been received.
    func take(_ count: Int) -> [UInt8] {
        let taken = Array(pending.prefix(count))
        pending = pending.dropFirst(count)
        if pending.isEmpty { pending = [] }
        return taken
    }

    // MARK: Private

    private func offset(after mark: [UInt8], from searched: Int) -> Int? {
        guard pending.count >= mark.count else { return nil }
        for offset in min(searched, pending.count - mark.count)...(pending.count - mark.count)
        where pending.dropFirst(offset).starts(with: mark) {
            return offset + mark.count
        }
        return nil
    }

    private func open(family: Int32) throws(RawClientError) {
        descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system(operation: "socket", errno: errno) }
        var limit = timeval(tv_sec: Int(timeoutMilliseconds / 1000), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    private func connect(_ address: UnsafePointer<sockaddr>?, _ length: socklen_t) throws(RawClientError) {
        guard Glibc.connect(descriptor, address, length) == 0 else {
            throw .system(operation: "connect", errno: errno)
        }
    }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private func sendSome(_ bytes: ArraySlice<UInt8>) throws(RawClientError) -> Int {
        let sent = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        if sent >= 0 { return sent }
        guard errno == EAGAIN || errno == EINTR else { throw .system(operation: "send", errno: errno) }
        guard try poll(for: Int16(POLLOUT), milliseconds: timeoutMilliseconds) else {
            throw .timedOut(waitingFor: "room to send")
        }
        return 0
    }

    private func poll(for events: Int16, milliseconds: Int32) throws(RawClientError) -> Bool {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        while true {
            let ready = Glibc.poll(&entry, 1, milliseconds)
            if ready >= 0 { return ready > 0 }
            guard errno == EINTR else { throw .system(operation: "poll", errno: errno) }
        }
    }
}
