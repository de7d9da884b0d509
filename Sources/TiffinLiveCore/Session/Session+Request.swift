/// The HTTP part of a session: plain requests, and handshakes up to the question who is asking (contract section 5).
extension Session {
    mutating func receivedRequest(
        _ bytes: UnsafeRawBufferPointer, _ reading: RequestReading, _ context: SessionContext
    ) {
        var input = bytes
        while !input.isEmpty, case .readingRequest = phase {
            var consumed = 0
            do {
                guard let request = try reading.decoder.receive(input, consumed: &consumed) else { return }
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
        guard let segments = request.target.segments, let match = context.routes.match(segments) else {
            return refuse(status: 404, error: "not_found", context)
        }
        routeIndex = Int32(truncatingIfNeeded: match.index)
        echoes = match.route.echo
        takesInbound = match.route.inbound
        guard request.method == "GET" else {
            return refuse(status: 405, error: "method_not_allowed", fields: [("Allow", "GET")], context)
        }
        do throws(HTTPError) {
            let opening = try opening(request, match.route, context)
            transport = opening == nil ? .sse : .websocket
            isChunked = request.version == .http11
            guard !request.hasBody else { throw HTTPError.badRequest("a handshake with a body") }
            admit(request, opening, match, rest: rest, context)
        } catch {
            refuse(status: error.status, error: error.error, fields: upgradeFields(error.status), context)
        }
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
        if closes {
            finishAfterAnswer(context)
        } else {
            reading.decoder = HTTPRequestDecoder(headLimit: reading.headLimit)
            hasReceived = false
            isHead = false
            deadlines.timeout = context.now.monotonic.clampedAdding(context.settings.limits.handshake)
        }
    }

    mutating func requestTimedOut(_ context: SessionContext) {
        guard hasReceived else {
            end(.handshakeTimeout, context)
            context.actions.append(.finish)
            return
        }
        refuse(status: 408, error: "request_timeout", ending: .handshakeTimeout, context)
    }

    /// Answers a request with an error and ends the connection; what was pipelined behind it is never served.
    mutating func refuse(
        status: Int, error: String, fields: [(name: String, value: String)] = [],
        ending reason: DisconnectReason = .refused,
        _ context: SessionContext
    ) {
        let start = context.output.count
        HTTPResponse.json(status, error: error, fields: fields).append(
            to: context.output, date: context.date, closes: true, version: .http11, withoutBody: isHead)
        context.actions.append(.refused(status: status, error: error))
        end(reason, context)
        finish(from: start, context)
    }

    /// Refuses with a time after which to try again, which is not the same for everybody.
    mutating func refuse(status: Int, error: String, retryAfter seconds: ClosedRange<Int>, _ context: SessionContext) {
        let delay = Int.random(in: seconds, using: &context.random)
        refuse(status: status, error: error, fields: [("Retry-After", String(delay))], context)
    }

    /// 401 with the challenge of RFC 6750 section 3: bare when no credential was sent.
    mutating func refuseUnauthorized(_ error: String, _ context: SessionContext) {
        let challenge =
            error == "missing_token"
            ? "Bearer" : "Bearer error=\"invalid_token\", error_description=\"\(Self.description(of: error))\""
        refuse(status: 401, error: error, fields: [("WWW-Authenticate", challenge)], context)
    }

    private static func description(of error: String) -> String {
        switch error {
        case "token_expired": "The token has expired"
        case "revoked": "The token has been revoked"
        case "ticket_invalid": "The ticket is not valid"
        default: "The token is not valid"
        }
    }

    private mutating func finishAfterAnswer(_ context: SessionContext) {
        end(.clientClosed, context)
        context.actions.append(.finish)
    }
}
