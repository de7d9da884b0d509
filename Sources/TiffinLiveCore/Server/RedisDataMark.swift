/// The key that says since when Redis has its data (docs/redis.md). Redis may come back without its data, or be flushed:
/// then the key is missing and is written anew, and whoever comes back with a position from before that has missed
/// something and is told so. Written before this server loads the functions, without which nobody publishes.
final class RedisDataMark {
    let key: String
    private let commands: RedisConnection
    private let logger: Logger
    private var isUnderWay = false

    init(_ commands: RedisConnection, key: String, logger: Logger) {
        self.commands = commands
        self.key = key
        self.logger = logger
    }

    /// Sees to it that the key is there, with the clock of Redis. `then` is called whatever comes of it.
    func write(then: @escaping () -> Void = {}) {
        guard !isUnderWay else { return then() }
        isUnderWay = true
        commands.send(["TIME"]) { [unowned self] reply in
            guard case .success(let value) = reply, let now = RedisHistoryReading.milliseconds(value) else {
                isUnderWay = false
                return then()
            }
            commands.send(["SET", key, String(now), "NX"]) { [unowned self] reply in
                isUnderWay = false
                if case .failure(.error(let code, _)) = reply { log(refused: code) }
                then()
            }
        }
    }

    private func log(refused code: String) {
        logger.log(.error, .redisDown, now: commands.loop.now, fold: code) { fields in
            fields.add("link", "commands")
            fields.add("fault", "refused")
            fields.add("error", "Redis refuses to write a key (\(code)): \(key)")
        }
    }
}
