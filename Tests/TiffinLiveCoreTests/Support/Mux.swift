import Glibc

@testable import TiffinLiveCore

/// A TCP proxy on 127.0.0.1 that does to each direction what the test says, for connections that are open and those to
/// come.
final class Mux {
    enum Mode: Sendable, Equatable {
        case pass
        /// Every byte in a segment of its own.
        case byteByByte
        /// So many milliseconds late.
        case delay(Int)
        /// Takes everything and passes nothing on; what was taken is lost for good.
        case blackHole
    }

    /// When a connection is cut for silence, as balancers do.
    struct Patience: Sendable {
        let limit: Nanoseconds
        /// Whether each direction is listened to by itself, or the two together.
        let isEachWay: Bool
        let clock: @Sendable () -> Moment
    }

    struct State: Sendable {
        var target: Int
        /// From the client to the server and back.
        var modes: [Mode] = [.pass, .pass]
        /// Connections are accepted and reset.
        var refuses = false
        var mustCut = false
        var mustStop = false
        var linkCount = 0
        var acceptedCount = 0
        var bytes = [0, 0]
    }

    let port: Int
    private let listener: Int32
    private let state: Locked<State>
    private let thread: LoopThread

    init(to target: Int, patience: Patience? = nil) throws {
        let (listener, port) = try LoopbackSocket.listen()
        self.listener = listener
        self.port = port
        let state = Locked(State(target: target))
        self.state = state
        thread = try LoopThread.start(name: "mux") {
            var links: [Link] = []
            while !state.withLock({ $0.mustStop }) {
                Self.turn(listener, &links, state, patience)
                if let patience { for link in links { link.listen(patience) } }
            }
            for link in links { link.cut() }
        }
    }

    deinit {
        state.withLock { $0.mustStop = true }
        thread.join()
        close(listener)
    }

    var toServer: Mode {
        get { state.withLock { $0.modes[0] } }
        set { state.withLock { $0.modes[0] = newValue } }
    }

    var toClient: Mode {
        get { state.withLock { $0.modes[1] } }
        set { state.withLock { $0.modes[1] = newValue } }
    }

    /// For connections to come.
    var target: Int {
        get { state.withLock { $0.target } }
        set { state.withLock { $0.target = newValue } }
    }

    var refuses: Bool {
        get { state.withLock { $0.refuses } }
        set { state.withLock { $0.refuses = newValue } }
    }

    /// Resets everything that is open.
    func cut() {
        state.withLock { $0.mustCut = true }
    }

    var linkCount: Int { state.withLock { $0.linkCount } }
    var acceptedCount: Int { state.withLock { $0.acceptedCount } }
    /// Passed on so far, from the client to the server and back.
    var passedBytes: [Int] { state.withLock { $0.bytes } }

    // MARK: The thread

    private final class Link {
        /// The client's side, the server's.
        let sides: [Int32]
        /// By the side it came from, with the moment it may go on.
        var held: [[(bytes: ArraySlice<UInt8>, from: Nanoseconds)]] = [[], []]
        var hasEnded = [false, false]
        var isOver = false
        /// When each side was last heard, by the clock of whoever is patient.
        var heardAt: [Nanoseconds]

        init(_ sides: [Int32], now: Nanoseconds) {
            self.sides = sides
            heardAt = [now, now]
        }

        func listen(_ patience: Patience) {
            let now = patience.clock().monotonic
            let silentSince = (patience.isEachWay ? heardAt.min() : heardAt.max()) ?? now
            if now - silentSince > patience.limit { cut() }
        }

        func receive(_ side: Int, _ mode: Mode, _ now: Nanoseconds) {
            guard !isOver, !hasEnded[side], held[side].count < 64 else { return }
            var bytes = [UInt8](repeating: 0, count: 16_384)
            let count = recv(sides[side], &bytes, bytes.count, Int32(MSG_DONTWAIT))
            if count < 0 {
                if errno != EAGAIN { cut() }
                return
            }
            if count == 0 {
                hasEnded[side] = true
                return
            }
            switch mode {
            case .blackHole: return
            case .delay(let milliseconds):
                held[side].append((bytes[..<count], now + Nanoseconds(milliseconds) * .millisecond))
            case .pass, .byteByByte: held[side].append((bytes[..<count], now))
            }
        }

        /// Bytes that went on.
        func pass(_ side: Int, _ mode: Mode, _ now: Nanoseconds) -> Int {
            guard !isOver else { return 0 }
            guard let first = held[side].first else {
                if hasEnded[side] { shutdown(sides[1 - side], Int32(SHUT_WR)) }
                if hasEnded == [true, true], held[1 - side].isEmpty { cut() }
                return 0
            }
            guard first.from <= now else { return 0 }
            let limit = mode == .byteByByte ? 1 : first.bytes.count
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            let count = first.bytes.withUnsafeBytes { send(sides[1 - side], $0.baseAddress, limit, flags) }
            guard count > 0 else {
                if errno != EAGAIN { cut() }
                return 0
            }
            held[side][0].bytes = first.bytes.dropFirst(count)
            if held[side][0].bytes.isEmpty { held[side].removeFirst() }
            return count
        }

        func cut() {
            guard !isOver else { return }
            isOver = true
            for side in sides { LoopbackSocket.reset(side) }
        }
    }

    private static func turn(
        _ listener: Int32, _ links: inout [Link], _ state: Locked<State>, _ patience: Patience?
    ) {
        var entries = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
        for link in links {
            for side in 0...1 {
                let reads = !link.hasEnded[side] && link.held[side].count < 64
                entries.append(pollfd(fd: link.sides[side], events: reads ? Int16(POLLIN) : 0, revents: 0))
            }
        }
        let isBusy = links.contains { !$0.held[0].isEmpty || !$0.held[1].isEmpty }
        _ = poll(&entries, nfds_t(entries.count), isBusy ? 1 : 5)
        let now = Clock.monotonic()
        let present = state.withLock { state in
            defer { state.mustCut = false }
            return state
        }
        var bytes = [0, 0]
        for link in links {
            if present.mustCut { link.cut() }
            for side in 0...1 {
                link.receive(side, present.modes[side], now)
                let passed = link.pass(side, present.modes[side], now)
                bytes[side] += passed
                if passed > 0, let patience { link.heardAt[side] = patience.clock().monotonic }
            }
        }
        links.removeAll(where: \.isOver)
        if entries[0].revents != 0, let client = LoopbackSocket.accept(listener) {
            if !present.refuses, let server = LoopbackSocket.connect(port: present.target) {
                links.append(Link([client, server], now: patience?.clock().monotonic ?? 0))
            } else {
                LoopbackSocket.reset(client)
            }
            state.withLock { $0.acceptedCount += 1 }
        }
        let count = links.count
        state.withLock { state in
            state.linkCount = count
            for side in 0...1 { state.bytes[side] += bytes[side] }
        }
    }
}
