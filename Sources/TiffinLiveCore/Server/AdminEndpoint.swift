/// The admin listener (contract section 11): health, metrics, publishing, revoking, looking at connections. On loopback by
/// default; whoever can reach it is trusted.
final class AdminEndpoint: RequestEndpoint {
    /// Largest body, in bytes; a batch of events may be larger than what a client may send.
    let bodyLimit = 1 << 20
    /// Connections to this listener at a time.
    static let connectionLimit = 256

    typealias Answer = (HTTPResponse) -> Void

    unowned let control: ControlLoop
    private var listeners: [ListeningSocket] = []
    private var connections: [ObjectIdentifier: RequestConnection] = [:]
    /// Those that watch application messages.
    private var watchers: [ObjectIdentifier: RequestConnection] = [:]
    let publisher: Publisher

    init(_ control: ControlLoop) {
        self.control = control
        publisher = Publisher(backend: control.backend)
    }

    func start(_ listeners: [ListeningSocket]) throws(SystemError) {
        self.listeners = listeners
        control.embedded?.handedOver = { [unowned self] in handedOver($0) }
        for listener in listeners {
            try listener.start(on: control.loop) { [unowned self] socket, _ in accept(socket) }
        }
    }

    private func accept(_ socket: Socket) {
        guard connections.count < Self.connectionLimit,
            let connection = try? RequestConnection(socket: socket, loop: control.loop, endpoint: self)
        else { return socket.close() }
        connections[ObjectIdentifier(connection)] = connection
    }

    func remove(_ connection: RequestConnection) {
        connections[ObjectIdentifier(connection)] = nil
        watchers[ObjectIdentifier(connection)] = nil
    }

    // MARK: Requests

    func serve(
        _ request: HTTPRequest, body: [UInt8], on connection: RequestConnection, answer: @escaping Answer
    ) {
        guard let segments = request.target.segments, segments.count == 1 else { return answer(.notFound) }
        switch (segments[0], request.method) {
        case ("healthz", "GET"), ("healthz", "HEAD"):
            answer(.text(200, "ok\n"))
        case ("readyz", "GET"), ("readyz", "HEAD"):
            let isReady = control.backend.isReady && !control.isStopping
            answer(.text(isReady ? 200 : 503, isReady ? "ready\n" : "not ready\n"))
        case ("metrics", "GET"):
            metrics(answer)
        case ("connections", "GET"):
            listConnections(ConnectionFilter(query: request.target.query), answer)
        case ("publish", "POST"):
            let key = request.fields.text("idempotency-key")
            publisher.publish(body, idempotencyKey: key, now: control.loop.now) { [unowned self] in
                if $0.status >= 400 { logRefusedPublish($0.status) }
                answer($0)
            }
        case ("inbound", "GET"):
            watch(connection, answer)
        case ("store", "POST"):
            store(body, answer)
        case ("grants", "POST"):
            grantChanged(body, answer)
        case ("revoke", "POST"):
            revoke(body, answer)
        case ("disconnect", "POST"):
            disconnect(body, answer)
        case ("healthz", _), ("readyz", _):
            answer(.methodNotAllowed("GET, HEAD"))
        case ("metrics", _), ("connections", _), ("inbound", _):
            answer(.methodNotAllowed("GET"))
        case ("publish", _), ("store", _), ("grants", _), ("revoke", _), ("disconnect", _):
            answer(.methodNotAllowed("POST"))
        default:
            answer(.notFound)
        }
    }

    private func metrics(_ answer: @escaping Answer) {
        control.gather(.metrics) { [unowned self] replies in
            var sum = WorkerMetrics()
            for case .metrics(let metrics) in replies { sum.add(metrics) }
            let text = control.metricsText(sum)
            answer(
                HTTPResponse(
                    status: 200, fields: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")], body: text))
        }
    }

    private func listConnections(_ filter: ConnectionFilter?, _ answer: @escaping Answer) {
        guard let filter else { return answer(.json(400, error: "bad_request")) }
        control.gather(.connections(filter)) { replies in
            var pages: [[ConnectionDescription]] = []
            for case .connections(let page) in replies { pages.append(page) }
            answer(.json(.array(ConnectionPage.merge(pages, limit: filter.limit).map(\.json))))
        }
    }

    private func store(_ body: [UInt8], _ answer: Answer) {
        guard let embedded = control.embedded else { return answer(.json(409, error: "redis_is_the_store")) }
        guard let words = try? JSONReader.read(body)["command"]?.arrayValue?.map(\.commandWord),
            !words.isEmpty, !words.contains(nil)
        else { return answer(.json(400, error: "bad_request")) }
        switch embedded.execute(words.compactMap(\.self), now: control.loop.now) {
        case .text(let text): answer(.json(["result": .string(String(decoding: text, as: UTF8.self))]))
        case .integer(let number): answer(.json(["result": .integer(number)]))
        case .null: answer(.json(["result": .null]))
        case .ok: answer(.json(["result": "OK"]))
        case .error(let message): answer(.json(400, body: JSONValue.object(["error": .string(message)]).bytes))
        }
    }

    /// The message of the channel of grants, for a server without Redis.
    private func grantChanged(_ body: [UInt8], _ answer: Answer) {
        guard control.embedded != nil else { return answer(.json(409, error: "redis_has_the_channel")) }
        guard body.count <= Grant.maximumBytes, let grant = Grant(body) else {
            return answer(.json(400, error: "bad_request"))
        }
        control.tellAll(.grant(grant))
        answer(.json([:]))
    }

    private func revoke(_ body: [UInt8], _ answer: @escaping Answer) {
        let revocation: Revocation
        do {
            revocation = try Revocation.read(body)
        } catch {
            control.logger.log(.warning, .revocationMalformed, now: control.loop.now, fold: "") { fields in
                fields.add("error", "\(error)")
            }
            control.metrics.revocationsMalformed += 1
            return answer(.json(400, error: "malformed_revocation"))
        }
        control.revoke(revocation) { [unowned self] closed in
            control.backend.spread(revocation: body) { isSpread in
                // Here it is in force all the same; asking again is harmless.
                answer(isSpread ? .json(["closed": .integer(closed)]) : .json(503, error: "unavailable"))
            }
        }
    }

    private func disconnect(_ body: [UInt8], _ answer: @escaping Answer) {
        guard let object = try? JSONReader.read(body).objectValue else {
            return answer(.json(400, error: "bad_request"))
        }
        let user = object["user"]?.commandWord
        let connection = object["connection"]?.stringValue.flatMap { UInt64($0, radix: 16) }
        let code = object["code"].map { $0.numberValue?.int64.flatMap { UInt16(exactly: $0) } ?? 0 } ?? 1012
        guard user != nil || connection != nil, CloseCode(rawValue: code).mayBeReceived else {
            return answer(.json(400, error: "bad_request"))
        }
        control.logger.log(.notice, .adminRequest, now: control.loop.now) { fields in
            fields.add("request", "disconnect")
            fields.add("user", user)
            fields.add("connection", connection.map { ServerMessage.name(ofConnection: $0) })
            fields.add("code", code)
        }
        control.gather(.disconnect(user: user, connection: connection, code: CloseCode(rawValue: code))) { replies in
            var closed = 0
            for case .disconnected(let count) in replies { closed += count }
            answer(.json(["closed": .integer(closed)]))
        }
    }

    private func logRefusedPublish(_ status: Int) {
        control.metrics.publishesRefused += 1
        control.logger.log(.warning, .publishRefused, now: control.loop.now, fold: "\(status)") { fields in
            fields.add("status", status)
        }
    }

    // MARK: Application messages

    /// Lets a connection watch application messages, the kept ones first.
    private func watch(_ connection: RequestConnection, _ answer: Answer) {
        guard let embedded = control.embedded else { return answer(.json(409, error: "redis_has_the_stream")) }
        // First, since a connection that fails while it is sent to takes itself out.
        watchers[ObjectIdentifier(connection)] = connection
        connection.beginStream()
        for message in embedded.inbound.suffix(EmbeddedBackend.inboundKept) {
            connection.send(event: message.json.bytes)
        }
    }

    private func handedOver(_ message: InboundMessage) {
        for watcher in watchers.values { watcher.send(event: message.json.bytes) }
    }
}

extension JSONValue {
    /// A word of a command: a string, or an integer in its text form.
    fileprivate var commandWord: String? {
        switch self {
        case .string(let text): text
        case .number(let number): number.int64.map { String($0) }
        default: nil
        }
    }
}

extension ConnectionDescription {
    fileprivate var json: JSONValue {
        .object([
            "connection": .string(ServerMessage.name(ofConnection: connection)), "user": .string(user),
            "role": .string(role), "route": .string(route), "transport": .string(transport.rawValue),
            "topics": .strings(topics), "remote": .string(remote),
            "opened_at": .string(LogTimestamp.text(wall: openedAt)),
            "deadline": .string(LogTimestamp.text(wall: deadline)), "queued": .integer(queued),
        ])
    }
}

extension InboundMessage {
    /// The fields of the Redis stream as one object (contract section 8).
    fileprivate var json: JSONValue {
        .object([
            "user": .string(user), "role": .string(role),
            "connection": .string(ServerMessage.name(ofConnection: connection)), "type": .string(type),
            "ref": ref ?? .null, "body": (try? JSONReader.read(body)) ?? .null,
            "at": .string(LogTimestamp.text(wall: at)),
        ])
    }
}
