/// The function library in Redis (`config/redis/tiffin_live.lua`): loaded by this server when it may, and again when a
/// call finds it gone. A newer one is left: while servers are upgraded one by one, the older must not undo the newer.
final class RedisFunctions {
    private let connection: RedisConnection
    private let logger: Logger
    private let library: String
    private var isLoading = false
    /// Calls that found no library, for one more attempt.
    private var waiting: [(command: [[UInt8]], reply: RedisConnection.Reply)] = []

    init(_ connection: RedisConnection, events: ServerConfiguration.Events, logger: Logger) {
        self.connection = connection
        self.logger = logger
        library = RedisFunctionLibrary.text(
            prefix: events.prefix, keep: events.keep, seconds: Int(events.keepFor / .second))
    }

    /// Calls a function; loads the library and tries once more when Redis does not know it.
    func call(_ command: [[UInt8]], reply: @escaping RedisConnection.Reply) {
        connection.send(command) { [unowned self] result in
            guard case .failure(.error(_, let text)) = result, text.contains("Function not found") else {
                return reply(result)
            }
            waiting.append((command, reply))
            load()
        }
    }

    func load() {
        guard !isLoading else { return }
        isLoading = true
        connection.send(["FCALL", "tiffin_version", "0"]) { [unowned self] result in
            guard case .success(.integer(let version)) = result, version > RedisFunctionLibrary.version else {
                return replace()
            }
            logger.log(.notice, .redisFunctionsNewer, now: connection.loop.now) { fields in
                fields.add("version", version)
            }
            finish(isThere: true)
        }
    }

    private func replace() {
        connection.send(["FUNCTION", "LOAD", "REPLACE", library]) { [unowned self] result in
            if case .failure(.error(let code, _)) = result {
                logger.log(.warning, .redisFunctionsRefused, now: connection.loop.now, fold: code) { fields in
                    fields.add("code", code)
                }
            }
            if case .success = result { finish(isThere: true) } else { finish(isThere: false) }
        }
    }

    private func finish(isThere: Bool) {
        isLoading = false
        let calls = waiting
        waiting = []
        for call in calls {
            guard isThere else {
                call.reply(.failure(.unavailable))
                continue
            }
            connection.send(call.command, reply: call.reply)
        }
    }
}
