import Testing

@testable import TiffinLiveCore

/// A `RedisSession` and somebody who answers it by hand. Tags are numbers.
final class ScriptedSession {
    var session: RedisSession<Int>
    var now: Nanoseconds = 1_000 * .second
    private(set) var log: [String] = []

    init(_ role: RedisSession<Int>.Role = .commands, _ change: (inout RedisSettings) -> Void = { _ in }) {
        var settings = RedisSettings()
        settings.clientName = "t"
        change(&settings)
        session = RedisSession(role: role, settings: settings)
    }

    /// Connected and greeted, with nothing in the log.
    static func ready(
        _ role: RedisSession<Int>.Role = .commands, version: Int = 3, _ change: (inout RedisSettings) -> Void = { _ in }
    ) -> ScriptedSession {
        let script = ScriptedSession(role, change)
        script.greet(version: version)
        return script
    }

    func greet(version: Int = 3) {
        session.connected(now: now)
        if version == 3 {
            hear("%2\r\n+version\r\n+7.2.4\r\n+role\r\n+master\r\n+PONG\r\n")
        } else {
            hear("-ERR unknown command `HELLO`, with args beginning with: `3`, \r\n+OK\r\n+PONG\r\n")
        }
        _ = takeSent()
        log = []
    }

    /// What Redis says; the events go to the log.
    func hear(_ text: String) {
        hear(Array(text.utf8))
    }

    func hear(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var input = bytes
            while let event = session.next(&input, now: now) { note(event) }
        }
    }

    func pass(_ span: Nanoseconds) {
        now += span
        session.deadlineReached(now: now)
        while let event = session.nextEvent() { note(event) }
    }

    func disconnect() {
        session.disconnected()
        while let event = session.nextEvent() { note(event) }
    }

    func send(_ command: String, tag: Int, timeout: Nanoseconds? = nil) -> Bool {
        send(command.split(separator: " ").map { Array($0.utf8) }, tag: tag, timeout: timeout)
    }

    func send(_ command: [[UInt8]], tag: Int, timeout: Nanoseconds? = nil) -> Bool {
        session.send(command, tag: tag, timeout: timeout, now: now)
    }

    func takeLog() -> [String] {
        defer { log = [] }
        return log
    }

    /// The commands that were written since the last time, each as its words.
    func takeSent() -> [String] {
        let outcome = RESPOutcome.of(session.output.array)
        session.output.removeAll()
        return outcome.values.map { command in
            (command.elements ?? []).map { String(decoding: $0.bytes ?? [], as: UTF8.self) }.joined(separator: " ")
        }
    }

    private func note(_ event: RedisEvent<Int>) {
        switch event {
        case .ready: log.append("ready")
        case .reply(let tag, .success(let value)):
            log.append("\(tag): \(value.bytes.map { String(decoding: $0, as: UTF8.self) } ?? "\(value)")")
        case .reply(let tag, .failure(.error(let code, _))): log.append("\(tag): -\(code)")
        case .reply(let tag, .failure(let failure)): log.append("\(tag): \(failure)")
        case .subscribed(let channel): log.append("subscribed \(channel)")
        case .refused(let channel, let code): log.append("refused \(channel) \(code)")
        case .message(let channel, let payload):
            log.append("\(channel)> \(String(decoding: payload, as: UTF8.self))")
        case .failed(let fault): log.append("failed \(fault.word)")
        }
    }

    /// A push of bulk strings; the last one is a number when it is one.
    static func push(_ words: String..., version: Int = 3) -> String {
        words.reduce("\(version == 3 ? ">" : "*")\(words.count)\r\n") { text, word in
            text + (Int(word) != nil ? ":\(word)\r\n" : "$\(word.utf8.count)\r\n\(word)\r\n")
        }
    }
}
