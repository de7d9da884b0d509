import Glibc
import Testing

@testable import TiffinLiveCore

@Suite("Listening socket")
struct ListeningSocketTests {
    static let loopback = SocketAddress.ipv4(0x7F00_0001, port: 0)

    @Test(
        "port 0 becomes a real port, and connections are taken with their peers",
        arguments: [
            loopback, .ipv6(0, 1, port: 0),
        ])
    func accepts(address: SocketAddress) throws {
        let loop = try EventLoop()
        let listener: ListeningSocket
        do {
            listener = try ListeningSocket(binding: address)
        } catch {
            // A machine without IPv6 says so; nothing else is excused.
            #expect(error.code == EADDRNOTAVAIL || error.code == EAFNOSUPPORT)
            return
        }
        #expect(listener.address.port != 0)
        var accepted: [(Socket, SocketAddress)] = []
        try listener.start(on: loop) { accepted.append(($0, $1)) }
        let client = try Socket.connecting(to: listener.address)
        defer { client.close() }
        loop.turn()
        let (socket, peer) = try #require(accepted.first)
        defer { socket.close() }
        #expect(accepted.count == 1)
        #expect(peer == (try SocketAddress.local(of: client.descriptor)))
        #expect(option(socket.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY) != 0)
        #expect(fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(socket.receive().result == .wouldBlock)
    }

    @Test("at most 64 connections a turn, the rest in the next")
    func batches() throws {
        let loop = try EventLoop()
        let listener = try ListeningSocket(binding: Self.loopback)
        var accepted: [Socket] = []
        try listener.start(on: loop) { socket, _ in accepted.append(socket) }
        let clients = try (0..<100).map { _ in try Socket.connecting(to: listener.address) }
        loop.turn()
        #expect(accepted.count == 64)
        loop.turn()
        #expect(accepted.count == 100)
        for socket in accepted + clients { socket.close() }
    }

    @Test("a pause leaves connections waiting, resuming takes them")
    func pauses() throws {
        let loop = try EventLoop()
        let listener = try ListeningSocket(binding: Self.loopback)
        var accepted: [Socket] = []
        listener.pause()
        try listener.start(on: loop) { socket, _ in accepted.append(socket) }
        let client = try Socket.connecting(to: listener.address)
        loop.turn(waitingAtMost: 0)
        #expect(accepted.isEmpty)
        listener.resume()
        loop.turn()
        #expect(accepted.count == 1)
        for socket in accepted + [client] { socket.close() }
    }

    @Test("a pause in the middle of a batch ends the batch")
    func pauseInBatch() throws {
        let loop = try EventLoop()
        let listener = try ListeningSocket(binding: Self.loopback)
        var accepted: [Socket] = []
        try listener.start(on: loop) { socket, _ in
            accepted.append(socket)
            listener.pause()
        }
        let clients = try (0..<3).map { _ in try Socket.connecting(to: listener.address) }
        loop.turn()
        loop.turn(waitingAtMost: 0)
        #expect(accepted.count == 1)
        for socket in accepted + clients { socket.close() }
    }

    @Test("closing inside the accept callback is allowed, and the port is free again")
    func closes() throws {
        let loop = try EventLoop()
        let listener = try ListeningSocket(binding: Self.loopback, reusePort: false)
        try listener.start(on: loop) { socket, _ in
            socket.close()
            listener.close()
        }
        let client = try Socket.connecting(to: listener.address)
        defer { client.close() }
        loop.turn()
        #expect(listener.isClosed)
        #expect(loop.registrationCount == 0)
        listener.close()
        let next = try ListeningSocket(binding: listener.address, reusePort: false)
        #expect(next.address == listener.address)
    }

    @Test("whoever waits is taken before the listener closes")
    func rest() throws {
        let loop = try EventLoop()
        let listener = try ListeningSocket(binding: Self.loopback)
        var accepted: [Socket] = []
        try listener.start(on: loop) { socket, _ in accepted.append(socket) }
        let clients = try (0..<100).map { _ in try Socket.connecting(to: listener.address) }
        listener.acceptRest()
        #expect(accepted.count == 100)
        listener.close()
        listener.acceptRest()
        for socket in accepted + clients { socket.close() }
    }

    @Test("whoever waits on a socket that others hold too is left to them")
    func restOfOthers() throws {
        let loop = try EventLoop()
        let descriptor = try LoopbackSocket.listen().0
        defer { close(descriptor) }
        let listener = try ListeningSocket(
            adopting: fcntl(descriptor, F_DUPFD_CLOEXEC, 0), isShared: true, isInherited: true)
        var accepted = 0
        try listener.start(on: loop) { socket, _ in
            accepted += 1
            socket.close()
        }
        let client = try Socket.connecting(to: listener.address)
        defer { client.close() }
        listener.acceptRest()
        listener.close()
        #expect(accepted == 0)
        guard case .accepted(let socket, _) = ListeningSocket.acceptNext(descriptor) else {
            Issue.record("nobody waits any more")
            return
        }
        socket.close()
    }

    @Test("several listeners share a port when all ask for it, and not otherwise")
    func reusePort() throws {
        let first = try ListeningSocket(binding: Self.loopback)
        let second = try ListeningSocket(binding: first.address)
        #expect(first.address == second.address)
        let error = #expect(throws: SystemError.self) {
            try ListeningSocket(binding: first.address, reusePort: false)
        }
        #expect(error?.code == EADDRINUSE)
    }
}

@Suite("Listening on a socket that several loops share")
struct SharedListeningSocketTests {
    @Test("one loop is woken for a connection, and all take their turns")
    func turns() throws {
        let (descriptor, port) = try LoopbackSocket.listen()
        defer { close(descriptor) }
        let counts = Locked([0, 0, 0])
        let isOver = Locked(false)
        let threads = try counts.withLock { $0.indices }.map { index in
            try LoopThread.start(name: "loop-\(index)") {
                guard let loop = try? EventLoop(),
                    let listener = try? ListeningSocket(adopting: fcntl(descriptor, F_DUPFD_CLOEXEC, 0), isShared: true)
                else { return }
                try? listener.start(on: loop) { socket, _ in
                    counts.withLock { $0[index] += 1 }
                    socket.close()
                }
                while !isOver.withLock({ $0 }) { loop.turn(waitingAtMost: 50 * .millisecond) }
            }
        }
        for number in 1...60 {
            let client = try #require(LoopbackSocket.connect(port: port))
            try eventually("connection \(number)") { counts.withLock { $0.reduce(0, +) } == number }
            close(client)
        }
        isOver.withLock { $0 = true }
        for thread in threads { thread.join() }
        // In the order of the kernel's list alone, the first would have them all.
        let shares = counts.withLock { $0 }
        #expect(shares.allSatisfy { $0 > 0 }, "\(shares)")
    }

    @Test("a batch is small, so that the others get some, and a pause holds")
    func batches() throws {
        let (descriptor, port) = try LoopbackSocket.listen()
        let loop = try EventLoop()
        let listener = try ListeningSocket(adopting: descriptor, isShared: true)
        var accepted: [Socket] = []
        try listener.start(on: loop) { socket, _ in accepted.append(socket) }
        let clients = try (0..<20).map { _ in try #require(LoopbackSocket.connect(port: port)) }
        loop.turn()
        #expect(accepted.count == ListeningSocket.sharedBatch)
        listener.pause()
        loop.turn(waitingAtMost: 0)
        #expect(accepted.count == ListeningSocket.sharedBatch)
        listener.resume()
        loop.turn()
        loop.turn()
        #expect(accepted.count == 20)
        for socket in accepted { socket.close() }
        for client in clients { close(client) }
    }
}

@Suite("Listening on a Unix socket")
struct UnixListeningSocketTests {
    static func temporaryPath(_ name: String) -> String { "/tmp/tiffin-\(getpid())-\(name).sock" }

    @Test("connections are taken, and the file goes with the listener")
    func accepts() throws {
        let path = Self.temporaryPath("accepts")
        let loop = try EventLoop()
        let listener = try ListeningSocket(binding: .unix(path: path))
        var accepted: [(Socket, SocketAddress)] = []
        try listener.start(on: loop) { accepted.append(($0, $1)) }
        let client = try Socket.connecting(to: .unix(path: path))
        loop.turn()
        #expect(accepted.map(\.1) == [.unix(path: "")])
        for socket in accepted.map(\.0) + [client] { socket.close() }
        listener.close()
        #expect(access(path, F_OK) != 0)
    }

    @Test("two loops share a path by a duplicate, which keeps it open but does not own it")
    func shared() throws {
        let path = Self.temporaryPath("shared")
        let first = try ListeningSocket(binding: .unix(path: path))
        let second = try ListeningSocket(adopting: first.duplicateDescriptor())
        #expect(second.address == .unix(path: path))
        let loop = try EventLoop()
        var accepted: [Socket] = []
        try second.start(on: loop) { socket, _ in accepted.append(socket) }
        let client = try Socket.connecting(to: .unix(path: path))
        loop.turn()
        #expect(accepted.count == 1)
        for socket in accepted + [client] { socket.close() }
        second.close()
        #expect(access(path, F_OK) == 0)
        first.close()
        #expect(access(path, F_OK) != 0)
    }

    @Test("a file left by a listener that is gone is replaced, one in use is not")
    func stale() throws {
        let path = Self.temporaryPath("stale")
        let address = SocketAddress.unix(path: path)
        let orphan = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #expect(address.withSocketAddress { bind(orphan, $0, $1) } == 0)
        close(orphan)
        let listener = try ListeningSocket(binding: address)
        let error = #expect(throws: SystemError.self) { try ListeningSocket(binding: address) }
        #expect(error?.code == EADDRINUSE)
        #expect(access(path, F_OK) == 0)
        listener.close()
    }

    @Test("a file that is no socket is left alone")
    func otherFile() throws {
        let path = Self.temporaryPath("file")
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        defer { unlink(path) }
        let error = #expect(throws: SystemError.self) { try ListeningSocket(binding: .unix(path: path)) }
        #expect(error?.code == EADDRINUSE)
        #expect(access(path, F_OK) == 0)
    }
}
