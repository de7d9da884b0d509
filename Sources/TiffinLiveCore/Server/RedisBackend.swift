/// The backend that many servers share: events, look-ups, application messages and revocations over Redis. Two links:
/// one for commands, one for channels. When Redis is away, what needs it is answered so at once, and open connections
/// stay as they are.
final class RedisBackend: Backend {
    /// Outstanding application messages, beyond which Redis counts as too slow to take more.
    private static let pendingLimit = 20_000
    /// Topics read at the same time: after a lost link there are as many to read as anybody listens to.
    private static let readingsAtOnce = 256

    var deliver: (Event) -> Void = { _ in }
    /// Open connections of a topic have missed something that is gone.
    var reset: (_ topic: String, _ position: EventID) -> Void = { _, _ in }
    /// `isReady` may answer otherwise now.
    var readinessChanged: () -> Void = {}
    /// A grant may have changed.
    var grantChanged: (Grant) -> Void = { _ in }

    let commands: RedisConnection
    let subscriber: RedisConnection
    let settings: ServerConfiguration.Redis
    private let events: ServerConfiguration.Events
    private let inbound: ServerConfiguration.Inbound
    private let tickets: ServerConfiguration.Tickets
    private let loop: EventLoop
    private let logger: Logger
    private var feeds: [String: RedisTopicFeed] = [:]
    let revocations: RedisRevocationFeed
    private let functions: RedisFunctions
    private let mark: RedisDataMark
    /// Topics to be read, and how many are being read.
    private var readings = ReplyQueue<(topic: String, number: Int)>()
    private var readingsUnderWay = 0
    private var isBeginningReadings = false

    init(
        _ settings: ServerConfiguration.Redis, link: RedisConnectionSettings?, configuration: ServerConfiguration,
        server: String, loop: EventLoop, logger: Logger
    ) throws(SystemError) {
        self.settings = settings
        self.loop = loop
        self.logger = logger
        events = configuration.events
        inbound = configuration.inbound
        tickets = configuration.tickets
        let link = link ?? RedisConnectionSettings(endpoint: .tcp(host: "localhost", port: RedisURL.defaultPort))
        commands = try RedisConnection(role: .commands, settings: link, loop: loop)
        subscriber = try RedisConnection(role: .subscriptions, settings: link, loop: loop)
        functions = RedisFunctions(commands, events: configuration.events, logger: logger)
        mark = RedisDataMark(commands, key: configuration.events.prefix, logger: logger)
        revocations = RedisRevocationFeed(
            commands, channel: settings.revocations, memory: configuration.tokens.maximumLifetime, server: server,
            loop: loop, logger: logger)
    }

    /// Begins to connect. Redis may be absent.
    func start() {
        for (connection, link) in [(commands, "commands"), (subscriber, "subscriptions")] {
            if settings.username != nil || settings.password != nil {
                connection.credentials = { [settings] in settings.credentials() }
            }
            connection.onStateChange = { [unowned self] in log($0, of: link) }
        }
        subscriber.onReady = { [unowned self] in follow(subscriber, commands) }
        commands.onReady = { [unowned self] in
            follow(commands, subscriber)
            mark.write { [unowned self] in
                functions.load()
                for topic in feeds.keys { resume(topic) }
            }
            revocations.linkIsUp()
        }
        subscriber.onSubscribed = { [unowned self] in subscribed($0) }
        subscriber.onRefused = { [unowned self] in refused($0, code: $1) }
        subscriber.onMessage = { [unowned self] in received($1, on: $0) }
        subscriber.onLost = { [unowned self] _ in
            revocations.lost()
            for topic in feeds.keys { feeds[topic]?.lost() }
        }
        subscriber.subscribe(settings.revocations)
        subscriber.subscribe(settings.grants)
        commands.start()
        subscriber.start()
    }

    /// Both links must be to the same Redis: one that stays with a Redis that the name has left hears nothing more of what
    /// the other one is told.
    private func follow(_ leader: RedisConnection, _ other: RedisConnection) {
        guard other.isReady, let address = other.address, !leader.found.contains(address) else { return }
        other.reconnect(because: .moved)
    }

    func stop() {
        commands.stop()
        subscriber.stop()
    }

    var isReady: Bool { commands.isReady && subscriber.isSubscribed(settings.revocations) && revocations.isCurrent }

    // MARK: Topics

    func listen(_ topic: String, after: String?, now: Moment, answer: @escaping (Resumption?) -> Void) {
        guard commands.isReady, subscriber.isReady, topic != settings.revocations, topic != settings.grants else {
            return answer(nil)
        }
        let isNew = feeds[topic] == nil
        if let reading = feeds[topic, default: RedisTopicFeed()].listen(
            after: after, now: now.monotonic, wall: now.wall, answer: answer)
        {
            read(topic, reading)
        }
        if isNew { subscriber.subscribe(topic) }
    }

    func unlisten(_ topic: String) {
        feeds[topic]?.nobodyListens(now: loop.now.monotonic)
    }

    private func subscribed(_ channel: String) {
        if channel == settings.revocations { return revocations.heard() }
        if let reading = feeds[channel]?.subscribed() { read(channel, reading) }
    }

    /// Redis does not let this user have the channel. Whoever asks for the topic later tries again.
    private func refused(_ channel: String, code: String) {
        logger.log(.error, .redisDown, now: loop.now, fold: code) { fields in
            fields.add("link", "subscriptions")
            fields.add("fault", "refused")
            fields.add("error", "Redis refuses a channel (\(code)): \(channel)")
        }
        guard feeds[channel] != nil else { return }
        feeds[channel]?.lost()
        feeds[channel] = nil
        subscriber.unsubscribe(channel)
    }

    private func received(_ message: [UInt8], on channel: String) {
        if channel == settings.revocations { return revocations.received(message) }
        if channel == settings.grants { return received(grant: message) }
        guard feeds[channel] != nil else { return }
        let latest = UInt64(max(0, loop.now.wall) / .millisecond) + RedisTopicFeed.clockDifference
        let event = Event(topic: channel, message: message, latest: latest)
        if let event = feeds[channel]?.received(event, keep: events.keep) { deliver(event) }
    }

    /// Tries again what failed.
    private func resume(_ topic: String) {
        if let reading = feeds[topic]?.resume() { read(topic, reading) }
    }

    private func read(_ topic: String, _ number: Int) {
        readings.append((topic, number))
        beginReadings()
    }

    private func beginReadings() {
        guard !isBeginningReadings else { return }
        isBeginningReadings = true
        defer { isBeginningReadings = false }
        while readingsUnderWay < Self.readingsAtOnce, let (topic, number) = readings.removeFirst() {
            guard feeds[topic]?.isAwaiting(reading: number) == true else { continue }
            beginReading(topic, number)
        }
    }

    /// Reads the topic's stream: commands at once, whose answers come in order.
    private func beginReading(_ topic: String, _ number: Int) {
        readingsUnderWay += 1
        let questions = RedisHistoryReading.commands(key: events.prefix + topic, beginning: mark.key, keep: events.keep)
        var replies: [Result<RESPValue, RedisFailure>] = []
        for command in questions {
            commands.send(command) { [unowned self] reply in
                replies.append(reply)
                guard replies.count == questions.count else { return }
                readingsUnderWay -= 1
                finishReading(topic, number, replies)
                beginReadings()
            }
        }
    }

    private func finishReading(_ topic: String, _ number: Int, _ replies: [Result<RESPValue, RedisFailure>]) {
        guard let found = RedisHistoryReading(topic: topic, keepFor: events.keepFor, replies: replies) else {
            feeds[topic]?.failed(reading: number)
            return
        }
        guard
            let catchUp = feeds[topic]?.read(
                found, number: number, keep: events.keep, now: loop.now.monotonic)
        else { return }
        if case .success(.null) = replies[1] { mark.write() }
        if let position = catchUp.reset { reset(topic, position) }
        for event in catchUp.events { deliver(event) }
        for (answer, resumption) in catchUp.answers { answer(resumption) }
        if let next = catchUp.next { read(topic, next) }
    }

    // MARK: Commands

    func lookUp(_ command: [String], now: Moment, answer: @escaping (StoreReply) -> Void) {
        commands.send(command) { answer(StoreReply($0)) }
    }

    func store(ticket: String, value: [UInt8], now: Moment, answer: @escaping (StoreReply) -> Void) {
        let command = tickets.storing(ticket, value: String(decoding: value, as: UTF8.self))
        commands.send(command) { reply in
            guard case .success(.simpleString(let word)) = reply else { return answer(StoreReply(reply)) }
            answer(word.elementsEqual("OK".utf8) ? .ok : .error("unexpected reply"))
        }
    }

    func redeem(ticket: String, now: Moment, answer: @escaping (StoreReply) -> Void) {
        // A server that does not know GETDEL (before 6.2) answers with an error, and that is the end of it: reading and
        // deleting in two steps would let two readers in.
        commands.send(tickets.redeeming(ticket)) { answer(StoreReply($0)) }
    }

    func publish(_ publication: Publication, now: Moment, answer: @escaping (EventID?) -> Void) {
        let command = [
            Array("FCALL".utf8), Array("tiffin_publish".utf8), [0x31],
            Array((events.prefix + publication.topic).utf8), Array(publication.name.utf8), publication.data,
            Array(String(events.keep).utf8), Array(String(max(0, events.keepFor / .second)).utf8),
        ]
        functions.call(command) { reply in
            guard case .success(let value) = reply else { return answer(nil) }
            answer(EventID(reply: value))
        }
    }

    func handOver(_ message: InboundMessage, answer: @escaping (Bool) -> Void) {
        guard commands.pendingCount < Self.pendingLimit else { return answer(false) }
        var command = ["XADD", inbound.stream, "MAXLEN", "~", String(inbound.keep), "*"].map { Array($0.utf8) }
        for (name, value) in message.fields {
            command.append(Array(name.utf8))
            command.append(value)
        }
        // Only an id means that it is kept.
        commands.send(command) { reply in
            if case .success(let value) = reply, EventID(reply: value) != nil { answer(true) } else { answer(false) }
        }
    }

    func spread(revocation message: [UInt8], answer: @escaping (Bool) -> Void) {
        let words = ["FCALL", "tiffin_revoke", "0"].map { Array($0.utf8) }
        functions.call(words + [message, Array(settings.revocations.utf8)]) { reply in
            if case .success(.integer) = reply { answer(true) } else { answer(false) }
        }
    }

    // MARK: Grants

    private func received(grant message: [UInt8]) {
        guard message.count <= Grant.maximumBytes, let grant = Grant(message) else {
            logger.log(.warning, .grantMalformed, now: loop.now, fold: "")
            return
        }
        grantChanged(grant)
    }

    // MARK: Now and then

    func keepHouse(now: Moment) {
        revocations.keepHouse(now: now)
        for (topic, feed) in feeds {
            if let since = feed.unheardSince, now.monotonic - since >= RedisTopicFeed.linger {
                feeds[topic] = nil
                subscriber.unsubscribe(topic)
            } else {
                feeds[topic]?.keepHouse(now: now.monotonic)
                if commands.isReady { resume(topic) }
            }
        }
    }

    private func log(_ state: RedisLinkState, of link: String) {
        readinessChanged()
        switch state {
        case .up(let server):
            logger.log(server.isTooOld ? .warning : .notice, .redisUp, now: loop.now) { fields in
                fields.add("link", link)
                fields.add("version", server.version)
                if server.isTooOld { fields.add("needs", RedisServerInfo.neededVersion) }
            }
        case .down(let fault):
            logger.log(.error, .redisDown, now: loop.now) { fields in
                fields.add("link", link)
                fields.add("fault", fault.word)
                fields.add("error", "Redis \(fault)")
            }
        }
    }
}

extension StoreReply {
    /// The reply of Redis to a look-up.
    init(_ reply: Result<RESPValue, RedisFailure>) {
        switch reply {
        case .success(.integer(let value)): self = .integer(value)
        case .success(.null): self = .null
        // A status, such as QUEUED: no value is ever sent as one.
        case .success(.simpleString): self = .error("unexpected reply")
        case .success(let value): self = value.bytes.map { .text($0) } ?? .error("unexpected reply")
        case .failure: self = .error("unavailable")
        }
    }
}

extension EventID {
    /// The id in a reply; nil when it is something else.
    init?(reply: RESPValue) {
        guard let bytes = reply.bytes, let id = bytes.withUnsafeBytes({ EventID(utf8: $0) }) else { return nil }
        self = id
    }
}

extension InboundMessage {
    /// The fields of the stream entry (contract section 8).
    fileprivate var fields: [(String, [UInt8])] {
        let text: [(String, String)] = [
            ("user", user), ("role", role), ("connection", ServerMessage.name(ofConnection: connection)),
            ("type", type),
            ("ref", ref.map { $0.stringValue ?? String(decoding: $0.bytes, as: UTF8.self) } ?? ""),
            ("at", LogTimestamp.text(wall: at)),
        ]
        return text.map { ($0, Array($1.utf8)) } + [("body", body)]
    }
}
