/// A talk with Redis, question by question, over the link that the server itself uses: same name, TLS, password and
/// greeting, so that what is found here is what the server would meet. Blocks; the loop is its own.
final class RedisInterview {
    private let loop: EventLoop
    private let link: RedisConnectionSettings
    private let connection: RedisConnection

    init(_ link: RedisConnectionSettings) throws(SystemError) {
        self.link = link
        loop = try EventLoop()
        connection = try RedisConnection(role: .commands, settings: link, loop: loop)
    }

    deinit {
        connection.stop()
    }

    /// Makes one attempt, over all addresses of the name.
    func begin() -> Result<RedisServerInfo, RedisLinkFault> {
        begin(connection)
    }

    private func begin(_ connection: RedisConnection) -> Result<RedisServerInfo, RedisLinkFault> {
        var state: RedisLinkState?
        connection.onStateChange = { state = $0 }
        connection.start()
        while true {
            loop.turn()
            switch state {
            case .up(let server): return .success(server)
            // The next address of this attempt may be a better one.
            case .down(let fault) where connection.phase == .waiting && connection.addresses.isEmpty:
                connection.stop()
                return .failure(fault)
            case .down, nil: break
            }
        }
    }

    /// The reply to one command; a failure when Redis is away or too slow.
    func ask(_ command: [String]) -> Result<RESPValue, RedisFailure> {
        var reply: Result<RESPValue, RedisFailure>?
        connection.send(command) { reply = $0 }
        while true {
            if let reply { return reply }
            loop.turn()
        }
    }

    func ask(_ command: String...) -> Result<RESPValue, RedisFailure> { ask(command) }

    /// Those of `channels` that Redis does not let this user have.
    func refused(of channels: [String]) -> Result<[String], RedisLinkFault> {
        guard let subscriber = try? RedisConnection(role: .subscriptions, settings: link, loop: loop) else {
            return .failure(.stopped)
        }
        defer { subscriber.stop() }
        var refused: [String] = []
        subscriber.onRefused = { channel, _ in refused.append(channel) }
        for channel in channels { subscriber.subscribe(channel) }
        if case .failure(let fault) = begin(subscriber) { return .failure(fault) }
        while !subscriber.isSettled {
            guard subscriber.isReady else { return .failure(.closedByPeer) }
            loop.turn()
        }
        return .success(refused)
    }
}
