import Glibc

@testable import TiffinLiveCore

/// A `RedisConnection` on a loop that the test turns itself, and what it told.
final class RedisHarness {
    let loop: EventLoop
    let connection: RedisConnection
    private(set) var messages: [String] = []
    private(set) var subscribed: [String] = []
    private(set) var refused: [String] = []
    private(set) var states: [RedisLinkState] = []
    private(set) var losses: [RedisLinkFault] = []
    private(set) var replies: [Int: Result<RESPValue, RedisFailure>] = [:]
    private(set) var order: [Int] = []

    init(
        _ role: RedisSession<RedisConnection.Reply>.Role, _ url: String,
        change: (inout RedisConnectionSettings) -> Void = { _ in }
    ) throws {
        loop = try EventLoop()
        var settings = try RedisConnectionSettings(RedisURL(url))
        settings.backoff = ReconnectBackoff(base: 20 * .millisecond, cap: 200 * .millisecond)
        change(&settings)
        connection = try RedisConnection(role: role, settings: settings, loop: loop)
        connection.onMessage = { [weak self] channel, payload in
            self?.messages.append("\(channel)> \(String(decoding: payload, as: UTF8.self))")
        }
        connection.onSubscribed = { [weak self] in self?.subscribed.append($0) }
        connection.onRefused = { [weak self] channel, _ in self?.refused.append(channel) }
        connection.onStateChange = { [weak self] in self?.states.append($0) }
        connection.onLost = { [weak self] in self?.losses.append($0) }
        connection.start()
    }

    deinit {
        connection.stop()
    }

    /// Turns the loop until the answer is yes. The limit is a safety net.
    func until(_ what: String, withinSeconds limit: Int64 = 30, _ condition: () throws -> Bool) throws {
        let end = Clock.monotonic() + limit * .second
        while try !condition() {
            guard Clock.monotonic() < end else {
                throw RawClientError.timedOut(waitingFor: "\(what); states: \(states)")
            }
            loop.turn(waitingAtMost: 10 * .millisecond)
        }
    }

    func untilReady() throws {
        try until("a ready link") { connection.isReady }
    }

    func untilLost(_ count: Int = 1) throws {
        try until("a loss") { losses.count >= count }
    }

    /// Turns the loop for a span of real time; nothing may be measured with it.
    func turn(milliseconds: Int64) {
        let end = Clock.monotonic() + milliseconds * .millisecond
        while Clock.monotonic() < end { loop.turn(waitingAtMost: 5 * .millisecond) }
    }

    func send(_ tag: Int, _ command: [String], timeout: Nanoseconds? = nil) {
        connection.send(command, timeout: timeout) { [weak self] result in
            self?.replies[tag] = result
            self?.order.append(tag)
        }
    }

    /// The outcome of one command.
    func ask(_ command: String..., timeout: Nanoseconds? = nil) throws -> Result<RESPValue, RedisFailure> {
        let tag = -1 - order.count
        send(tag, command, timeout: timeout)
        try until("the reply to \(command)") { replies[tag] != nil }
        guard let reply = replies[tag] else { throw RawClientError.unexpected("no reply") }
        return reply
    }

    /// The faults that were told as states, in order.
    var faults: [RedisLinkFault] {
        states.compactMap { state in
            guard case .down(let fault) = state else { return nil }
            return fault
        }
    }
}
