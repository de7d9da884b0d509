import Glibc

@testable import TiffinLiveCore

/// Somebody who speaks RESP by hand, in a thread of its own, on a port of 127.0.0.1: answers as a healthy Redis 7 does,
/// until a script says otherwise for a command.
final class ScriptedRedis {
    enum Answer: Sendable, Equatable {
        /// As it stands, such as `-LOADING Redis is loading\r\n`.
        case text(String)
        /// The same, in segments of one byte.
        case byteByByte(String)
        /// Never.
        case silence
        /// The connection is reset.
        case reset
    }

    struct State: Sendable {
        /// By the name of the command in capitals.
        var script: [String: Answer] = [:]
        /// All commands received, each as its words.
        var commands: [String] = []
        /// For all connections, as soon as possible.
        var pushes: [Answer] = []
        var connectionCount = 0
        var acceptedCount = 0
        var mustDrop = false
        var mustStop = false
    }

    let port: Int
    private let listener: Int32
    private let state = Locked(State())
    private let thread: LoopThread

    init(_ script: [String: Answer] = [:]) throws {
        let (listener, port) = try LoopbackSocket.listen()
        self.listener = listener
        self.port = port
        let state = state
        state.withLock { $0.script = script }
        thread = try LoopThread.start(name: "scripted-redis") {
            var links: [Link] = []
            while !state.withLock({ $0.mustStop }) { Self.turn(listener, &links, state) }
            for link in links { LoopbackSocket.reset(link.descriptor) }
        }
    }

    deinit {
        state.withLock { $0.mustStop = true }
        thread.join()
        close(listener)
    }

    /// From now on; nil: as a healthy Redis does.
    func answer(_ command: String, _ answer: Answer?) {
        state.withLock { $0.script[command] = answer }
    }

    /// Says something unasked to everybody who is connected.
    func push(_ answer: Answer) {
        state.withLock { $0.pushes.append(answer) }
    }

    func dropAll() {
        state.withLock { $0.mustDrop = true }
    }

    var url: String { "redis://127.0.0.1:\(port)" }
    var commands: [String] { state.withLock { $0.commands } }
    var connectionCount: Int { state.withLock { $0.connectionCount } }
    /// Connections so far.
    var acceptedCount: Int { state.withLock { $0.acceptedCount } }

    // MARK: The thread

    private final class Link {
        let descriptor: Int32
        var decoder = RESPDecoder()
        var subscriptions: Set<String> = []
        var isOver = false

        init(_ descriptor: Int32) {
            self.descriptor = descriptor
        }
    }

    private static func turn(_ listener: Int32, _ links: inout [Link], _ state: Locked<State>) {
        var entries = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
        entries += links.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        _ = poll(&entries, nfds_t(entries.count), 5)
        for (index, link) in links.enumerated() where entries[index + 1].revents != 0 { receive(link, state) }
        let (pushes, drops) = state.withLock { state in
            defer {
                state.pushes = []
                state.mustDrop = false
            }
            return (state.pushes, state.mustDrop)
        }
        for link in links where !link.isOver {
            if drops { end(link) }
            for push in pushes { give(push, to: link) }
        }
        links.removeAll(where: \.isOver)
        if entries[0].revents != 0, let descriptor = LoopbackSocket.accept(listener) {
            links.append(Link(descriptor))
            state.withLock { $0.acceptedCount += 1 }
        }
        let count = links.count
        state.withLock { $0.connectionCount = count }
    }

    private static func receive(_ link: Link, _ state: Locked<State>) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(link.descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else {
            if count == 0 || errno != EAGAIN { end(link) }
            return
        }
        buffer[..<count].withUnsafeBytes { bytes in
            var input = bytes
            while !link.isOver, let command = try? link.decoder.next(&input) {
                let words = (command.elements ?? []).map { String(decoding: $0.bytes ?? [], as: UTF8.self) }
                let name = words.first?.uppercased() ?? ""
                let scripted = state.withLock { state in
                    state.commands.append(words.joined(separator: " "))
                    return state.script[name]
                }
                give(scripted ?? .text(healthy(name, words, link)), to: link)
            }
        }
    }

    private static func healthy(_ name: String, _ words: [String], _ link: Link) -> String {
        let channel = words.count > 1 ? words[1] : ""
        switch name {
        case "HELLO": return "%2\r\n$7\r\nversion\r\n$5\r\n7.2.0\r\n$4\r\nrole\r\n$6\r\nmaster\r\n"
        case "PING": return "+PONG\r\n"
        case "ECHO": return "$\(channel.utf8.count)\r\n\(channel)\r\n"
        case "GET", "GETDEL", "HGET": return "$-1\r\n"
        case "SUBSCRIBE", "UNSUBSCRIBE":
            if name == "SUBSCRIBE" { link.subscriptions.insert(channel) } else { link.subscriptions.remove(channel) }
            let word = name.lowercased()
            return ">3\r\n$\(word.utf8.count)\r\n\(word)\r\n$\(channel.utf8.count)\r\n\(channel)\r\n"
                + ":\(link.subscriptions.count)\r\n"
        default: return "+OK\r\n"
        }
    }

    private static func give(_ answer: Answer, to link: Link) {
        switch answer {
        case .text(let text): send(Array(text.utf8), to: link)
        case .byteByByte(let text):
            for byte in text.utf8 {
                send([byte], to: link)
                usleep(500)
            }
        case .silence: return
        case .reset: end(link)
        }
    }

    private static func send(_ bytes: [UInt8], to link: Link) {
        guard !link.isOver else { return }
        guard Glibc.send(link.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            return end(link)
        }
    }

    private static func end(_ link: Link) {
        guard !link.isOver else { return }
        link.isOver = true
        LoopbackSocket.reset(link.descriptor)
    }
}
