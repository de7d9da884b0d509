/// The HTTP part of a session: plain requests, and handshakes up to the question who is asking (contract section 5).
extension Session {
    mutating func receivedRequest(
        _ bytes: UnsafeRawBufferPointer, _ reading: RequestReading, _ context: SessionContext
    ) {
        var input = bytes
        while !input.isEmpty, case .readingRequest = phase {
            var consumed = 0
            do {
                guard let request = try reading.receive(input, consumed: &consumed) else { return }
                input = UnsafeRawBufferPointer(rebasing: input[consumed...])
                serve(request, rest: input, reading, context)
            } catch {
                return refuse(status: error.status, error: error.error, context)
            }
        }
    }

    private mutating func serve(
        _ request: HTTPRequest, rest: UnsafeRawBufferPointer, _ reading: RequestReading, _ context: SessionContext
    ) {
        isHead = request.method == "HEAD"
        routeIndex = -1
        client = ForwardedFor.client(
            peer: reading.peer, fields: request.fields, header: context.settings.forwardedHeader,
            trusted: context.settings.trustedProxies)
        if let segments = request.target.segments, segments.count == 1 {
            switch segments[0] {
            case "healthz":
                return answerHealth(request, isWell: true, words: ("ok", "ok"), reading, context)
            case "readyz":
                let isReady = context.isReady && !context.isDraining
                return answerHealth(request, isWell: isReady, words: ("ready", "not ready"), reading, context)
            default: break
            }
        }
        trace = TraceContext.read(request.fields)
        guard let path = Self.path(of: request.target) else { return refuse(status: 404, error: "not_found", context) }
        if request.target.segments == context.settings.tickets.path {
            return serveTickets(request, rest: rest, reading, context)
        }
        guard let match = context.routes.match(request.target.segments) else {
            return refuse(status: 404, error: "not_found", context)
        }
        routeIndex = Int32(truncatingIfNeeded: match.index)
        echoes = match.route.echo
        takesInbound = match.route.inbound
        let exchange = Exchange(version: request.version)
        if match.route.transports.contains(.eventStream) { exchange.corsFields = Self.corsFields(request, context) }
        reading.exchange = exchange
        guard !answerPreflight(request, method: "GET", reading, exchange, context) else { return }
        guard request.method == "GET" else {
            return refuse(status: 405, error: "method_not_allowed", fields: [("Allow", "GET")], context)
        }
        do throws(HTTPError) {
            exchange.opening = try opening(request, match.route, context)
            transport = exchange.opening == nil ? .sse : .websocket
            isChunked = request.version == .http11
            guard !request.hasBody else { throw HTTPError.badRequest("a handshake with a body") }
            if transport == .websocket { exchange.corsFields = [] }
            exchange.refusesByClose = match.route.refusal == .close
        } catch {
            return refuse(status: error.status, error: error.error, fields: upgradeFields(error.status), context)
        }
        let admission = Admission(exchange, match, path: path, position: Self.position(in: request))
        admit(request, admission, rest: rest, context)
    }

    /// The opening handshake when a WebSocket is asked for, nil for an event stream.
    private func opening(
        _ request: HTTPRequest, _ route: Route, _ context: SessionContext
    ) throws(HTTPError) -> OpeningHandshake? {
        let wantsUpgrade = request.fields.contains("upgrade")
        if route.transports.contains(.webSocket) && (wantsUpgrade || !route.transports.contains(.eventStream)) {
            return try OpeningHandshake.read(request, supportedSubprotocols: context.settings.subprotocols)
        }
        // A server may ignore Upgrade (RFC 9110 section 7.8), but a WebSocket client would wait for nothing.
        guard !request.fields.list("upgrade", contains: "websocket") else {
            throw .badRequest("a WebSocket where only an event stream is served")
        }
        return nil
    }

    private func upgradeFields(_ status: Int) -> [(name: String, value: String)] {
        status == 426
            ? [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13")] : []
    }

    /// One word for a balancer.
    private mutating func answerHealth(
        _ request: HTTPRequest, isWell: Bool, words: (well: String, unwell: String), _ reading: RequestReading,
        _ context: SessionContext
    ) {
        guard request.method == "GET" || request.method == "HEAD" else {
            return refuse(status: 405, error: "method_not_allowed", fields: [("Allow", "GET, HEAD")], context)
        }
        let status = isWell ? 200 : 503
        let closes = !request.keepsAlive || request.hasBody || context.isDraining
        HTTPResponse.text(status, (isWell ? words.well : words.unwell) + "\n", fields: [("Cache-Control", "no-store")])
            .append(
                to: context.output, date: context.date, closes: closes, version: request.version, withoutBody: isHead)
        context.actions.append(.answered(status: status))
        answered(closes: closes, reading, context)
    }

    /// A plain request was answered: another one may follow, or nothing more.
    mutating func answered(closes: Bool, _ reading: RequestReading, _ context: SessionContext) {
        if closes {
            end(.clientClosed, context)
            return context.actions.append(.finish)
        }
        reading.beginNext()
        phase = .readingRequest(reading)
        hasReceived = false
        isHead = false
        deadlines.timeout = context.now.monotonic.clampedAdding(context.settings.limits.handshake)
    }

    /// The last position that the client has seen. A new EventSource cannot set the header, so the query may carry it; an
    /// old URL must not win over a newer header.
    private static func position(in request: HTTPRequest) -> String? {
        if let header = request.fields.text("last-event-id"), !header.isEmpty { return header }
        return request.target.values(ofQuery: "last_event_id").first { !$0.isEmpty }
    }

    mutating func requestTimedOut(_ context: SessionContext) {
        guard hasReceived else {
            end(.handshakeTimeout, context)
            context.actions.append(.finish)
            return
        }
        guard !context.isDraining else { return refuse(status: 503, error: "draining", retryAfter: 1...5, context) }
        refuse(status: 408, error: "request_timeout", ending: .handshakeTimeout, context)
    }
}
