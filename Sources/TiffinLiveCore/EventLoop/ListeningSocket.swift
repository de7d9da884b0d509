import CEpoll
import Glibc

/// A listening TCP or Unix stream socket: accepts in batches, and does not spin when descriptors run out (the
/// listener stays readable then): it takes waiting connections with a reserve descriptor to refuse them, a few a
/// turn, and pauses.
///
/// Accepted sockets are non-blocking, close on exec, and have TCP_NODELAY.
final class ListeningSocket: EventSource {
    static let backlog: Int32 = 4096
    static let batch = 64
    /// The same for a socket that several loops accept from, so that each gets its share.
    static let sharedBatch = 8
    static let refusalsPerTurn = 4
    /// How long to leave the backlog alone when descriptors have run out.
    static let shortagePause: Nanoseconds = 200 * .millisecond

    /// As bound: with the port that the kernel chose for port 0.
    let address: SocketAddress
    /// Called with the number of refusals when descriptors have run out, once a pause; for a log line.
    var ranOutOfDescriptors: ((_ refused: Int) -> Void)?
    /// Called when accepting fails for another reason, once a pause; `isClosed` when it failed for good.
    var acceptFailed: ((SystemError) -> Void)?

    private let descriptor: Int32
    private let accept: (Int32) -> AcceptResult
    private var reserve: Int32
    private var ownsPath = false
    /// Whether other loops accept from the same socket.
    private let isShared: Bool
    /// Whether somebody else holds the socket too, and will accept from it after us.
    private let isInherited: Bool
    private var accepted: ((Socket, SocketAddress) -> Void)?
    private var refuse: ((Socket) -> Void)?
    private weak var loop: EventLoop?
    private var registration: Registration?
    private var isPaused = false
    private var isBackingOff = false

    /// Binds and listens. Port 0 lets the kernel choose. `reusePort` lets several listeners, of this process or of
    /// others, share a port: the kernel deals the connections out. The file of a Unix socket that nobody listens on
    /// any more is replaced; it is removed again by `close`.
    convenience init(
        binding address: SocketAddress, backlog: Int32 = ListeningSocket.backlog, reusePort: Bool = true
    ) throws(SystemError) {
        let descriptor = tiffin_stream_socket(address.family)
        guard descriptor >= 0 else { throw .last("socket") }
        do throws(SystemError) {
            try ListeningSocket.bind(descriptor, to: address, reusePort: reusePort)
            guard listen(descriptor, backlog) == 0 else { throw .last("listen on \(address)") }
            // The loops of this process share the backlog of a path, which can be bound once only.
            try self.init(adopting: descriptor, isShared: address.port == nil)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        if case .unix = address { ownsPath = true }
    }

    /// Takes over a socket that listens already. `isShared`: other loops accept from it too, each through a descriptor of
    /// its own; the kernel wakes one of them for a connection. `isInherited`: the socket lives longer than this process.
    /// `accept` is there for tests.
    init(
        adopting descriptor: Int32, isShared: Bool = false, isInherited: Bool = false,
        accept: @escaping (Int32) -> AcceptResult = ListeningSocket.acceptNext
    ) throws(SystemError) {
        address = try SocketAddress.local(of: descriptor)
        self.isShared = isShared
        self.isInherited = isInherited
        guard fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0 else { throw .last("fcntl") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        self.descriptor = descriptor
        self.accept = accept
        reserve = ListeningSocket.openReserve()
        if address.port != nil { Socket(descriptor: descriptor).setNoDelay() }
    }

    /// Why a descriptor that somebody has handed to this process is not a socket that can be accepted from; nil when it is.
    static func fault(ofInherited descriptor: Int32) -> String? {
        guard fcntl(descriptor, F_GETFD) >= 0 else { return "is not open" }
        let socket = Socket(descriptor: descriptor)
        guard let type = socket.option(SOL_SOCKET, SO_TYPE) else { return "is not a socket" }
        guard type == Int32(SOCK_STREAM.rawValue) else { return "is not a stream socket" }
        guard socket.option(SOL_SOCKET, SO_ACCEPTCONN) == 1 else { return "does not listen" }
        guard (try? SocketAddress.local(of: descriptor)) != nil else { return "is neither TCP nor a Unix socket" }
        return nil
    }

    deinit {
        close()
    }

    // MARK: - Life

    /// Begins to accept. `accepted` owns the socket it is given. `refuse` may send a few last bytes to a connection
    /// there is no descriptor for; the socket is closed when it returns.
    func start(
        on loop: EventLoop, refuse: @escaping (Socket) -> Void = { _ in },
        accepted: @escaping (Socket, SocketAddress) -> Void
    ) throws(SystemError) {
        precondition(registration == nil, "started twice")
        self.loop = loop
        self.accepted = accepted
        self.refuse = refuse
        registration = try loop.register(descriptor, interest: interest, source: self)
    }

    /// A second descriptor of the same socket, for another loop's `init(adopting:)`: a Unix path can be bound once
    /// only, so loops share its backlog. The path stays this listener's.
    func duplicateDescriptor() throws(SystemError) -> Int32 {
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { throw .last("fcntl") }
        return duplicate
    }

    /// Leaves new connections in the backlog until `resume`.
    func pause() {
        isPaused = true
        updateInterest()
    }

    func resume() {
        isPaused = false
        updateInterest()
    }

    /// Takes whoever is waiting, before `close`, which would reset them. Who waits on an inherited socket is the next
    /// process's.
    func acceptRest() {
        guard !isInherited, !isPaused else { return }
        for _ in 0..<ListeningSocket.backlog {
            guard let accepted else { return }
            switch accept(descriptor) {
            case .accepted(let socket, let peer): accepted(socket, peer)
            case .skipped: continue
            case .wouldBlock, .outOfDescriptors, .failed: return
            }
        }
    }

    /// Stops listening: connections in the backlog are reset, unless another process shares the socket.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        if let registration { loop?.deregister(registration) }
        registration = nil
        accepted = nil
        refuse = nil
        Glibc.close(descriptor)
        if reserve >= 0 { Glibc.close(reserve) }
        if ownsPath, case .unix(let path) = address { unlink(path) }
    }

    private(set) var isClosed = false

    // MARK: - Accepting

    func ready(_ readiness: Readiness, on loop: EventLoop) {
        // Somebody who shares the socket has shut it down. It will never accept again and would be reported for ever.
        guard !readiness.contains(.hangUp) else {
            acceptFailed?(SystemError("accept on \(address)", code: EINVAL))
            close()
            return
        }
        var refused = 0
        for _ in 0..<(isShared ? ListeningSocket.sharedBatch : ListeningSocket.batch) {
            guard let accepted, !isPaused else { return }
            switch accept(descriptor) {
            case .accepted(let socket, let peer):
                accepted(socket, peer)
            case .skipped:
                continue
            case .wouldBlock:
                if refused > 0 { backOff(loop, refused: refused) } else { yieldTurn(loop) }
                return
            case .outOfDescriptors:
                guard refused < ListeningSocket.refusalsPerTurn, refuseNext() else {
                    backOff(loop, refused: refused)
                    return
                }
                refused += 1
            case .failed(let code):
                acceptFailed?(SystemError("accept on \(address)", code: code))
                backOff(loop)
                return
            }
        }
        if refused > 0 { backOff(loop, refused: refused) } else { yieldTurn(loop) }
    }

    /// The kernel wakes those who wait for a shared socket in the order in which they came, so the first would get nearly
    /// all connections: whoever has accepted goes to the end of the line.
    private func yieldTurn(_ loop: EventLoop) {
        guard isShared, let registration, !loop.yieldTurn(registration) else { return }
        backOff(loop)
    }

    func timerFired(on loop: EventLoop) {
        isBackingOff = false
        if reserve < 0 { reserve = ListeningSocket.openReserve() }
        updateInterest()
    }

    /// Frees the reserve for one connection, refuses it, and takes the reserve back. False when there was no
    /// reserve, or somebody else was quicker.
    private func refuseNext() -> Bool {
        guard reserve >= 0 else { return false }
        Glibc.close(reserve)
        let result = accept(descriptor)
        if case .accepted(let socket, _) = result {
            refuse?(socket)
            socket.close()
        }
        reserve = ListeningSocket.openReserve()
        if case .accepted = result { return true }
        return false
    }

    private func backOff(_ loop: EventLoop, refused: Int? = nil) {
        if let refused { ranOutOfDescriptors?(refused) }
        guard let registration else { return }
        isBackingOff = true
        updateInterest()
        loop.arm(registration, at: loop.now.monotonic.clampedAdding(ListeningSocket.shortagePause))
    }

    private func updateInterest() {
        guard let registration else { return }
        loop?.setInterest(interest, of: registration)
    }

    private var interest: Readiness {
        let sharing: Readiness = isShared ? .exclusive : []
        return isPaused || isBackingOff ? sharing : sharing.union(.readable)
    }

    // MARK: - System calls

    /// The next waiting connection.
    static func acceptNext(_ descriptor: Int32) -> AcceptResult {
        var storage = sockaddr_storage()
        var length = UInt32(MemoryLayout<sockaddr_storage>.size)
        let socket = tiffin_accept(descriptor, &storage, &length)
        guard socket >= 0 else {
            switch errno {
            case EAGAIN: return .wouldBlock
            case EMFILE, ENFILE: return .outOfDescriptors
            // The errors of accept(2) that belong to the one connection, as Linux passes them on.
            case EINTR, ECONNABORTED, EPROTO, EPERM, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, EHOSTUNREACH, EOPNOTSUPP,
                ENETUNREACH, ETIMEDOUT:
                return .skipped
            case let code: return .failed(code)
            }
        }
        let count = min(Int(length), MemoryLayout<sockaddr_storage>.size)
        let peer = withUnsafeBytes(of: &storage) {
            SocketAddress(UnsafeRawBufferPointer(rebasing: $0.prefix(count)))
        }
        return .accepted(Socket(descriptor: socket), peer: peer ?? .unix(path: ""))
    }

    private static func openReserve() -> Int32 {
        open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    private static func bind(
        _ descriptor: Int32, to address: SocketAddress, reusePort: Bool
    ) throws(SystemError) {
        let socket = Socket(descriptor: descriptor)
        switch address {
        case .ipv4, .ipv6:
            socket.set(SOL_SOCKET, SO_REUSEADDR, 1)
            if reusePort { socket.set(SOL_SOCKET, SO_REUSEPORT, 1) }
        case .unix(let path):
            removeStale(path, address)
        }
        guard address.withSocketAddress({ Glibc.bind(descriptor, $0, $1) }) == 0 else {
            throw .last("bind \(address)")
        }
    }

    /// Removes the socket file of a listener that is gone; anything else at that path stays, and `bind` fails.
    private static func removeStale(_ path: String, _ address: SocketAddress) {
        let probe = tiffin_stream_socket(AF_UNIX)
        guard probe >= 0 else { return }
        defer { Glibc.close(probe) }
        guard address.withSocketAddress({ connect(probe, $0, $1) }) != 0, errno == ECONNREFUSED else { return }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        unlink(path)
    }
}
