/// How requests are refused (contract section 5): with a status, or, where a route says so, by accepting and closing at once
/// with a code that a web page can see.
extension Session {
    /// Answers a request with an error and ends the connection; what was pipelined behind it is never served.
    ///
    /// - Parameter retryAfter: seconds after which to try again.
    mutating func refuse(
        status: Int, error: String, fields: [(name: String, value: String)] = [], retryAfter: Int? = nil,
        ending reason: DisconnectReason = .refused, _ context: SessionContext
    ) {
        let start = context.output.count
        let exchange = exchange
        if let exchange, exchange.refusesByClose, let code = Self.closeCode(status: status, error: error) {
            appendRefusal(code, error: error, retryAfter: retryAfter, exchange, context)
        } else {
            var fields = fields
            if let retryAfter { fields.append((name: "Retry-After", value: String(retryAfter))) }
            HTTPResponse.json(status, error: error, fields: fields + (exchange?.corsFields ?? [])).append(
                to: context.output, date: context.date, closes: true, version: .http11, withoutBody: isHead)
        }
        context.actions.append(.refused(status: status, error: error))
        end(reason, context)
        finish(from: start, context)
    }

    /// Refuses with a time after which to try again, which is not the same for everybody.
    mutating func refuse(status: Int, error: String, retryAfter seconds: ClosedRange<Int>, _ context: SessionContext) {
        let delay = Int.random(in: seconds, using: &context.random)
        refuse(status: status, error: error, retryAfter: delay, context)
    }

    /// 401 with the challenge of RFC 6750 section 3: bare when no credential was sent.
    mutating func refuseUnauthorized(_ error: String, _ context: SessionContext) {
        let challenge =
            error == "missing_token"
            ? "Bearer" : "Bearer error=\"invalid_token\", error_description=\"\(Self.description(of: error))\""
        refuse(status: 401, error: error, fields: [("WWW-Authenticate", challenge)], context)
    }

    mutating func refuse(_ refusal: IdentityChoice.Refusal, _ context: SessionContext) {
        switch refusal {
        case .unauthorized(_, let error): refuseUnauthorized(error, context)
        case .rateLimited(let seconds): refuse(status: 429, error: "rate_limited", retryAfter: seconds, context)
        case .unavailable: refuse(status: 503, error: "unavailable", retryAfter: 1...5, context)
        }
    }

    private static func description(of error: String) -> String {
        switch error {
        case "token_expired": "The token has expired"
        case "revoked": "The token has been revoked"
        case "ticket_invalid": "The ticket is not valid"
        default: "The token is not valid"
        }
    }

    private var exchange: Exchange? {
        switch phase {
        case .readingRequest(let reading): reading.exchange
        case .admitting(let admission): admission.exchange
        case .buying(let purchase): purchase.reading.exchange
        case .readingProxyHeader, .webSocket, .eventStream, .closing, .closed: nil
        }
    }

    // MARK: By a close code

    /// The code in place of a status; nil where the status stays: the client itself is at fault, or the page is another's,
    /// which learns nothing.
    private static func closeCode(status: Int, error: String) -> CloseCode? {
        switch status {
        case 401: error == "revoked" ? .revoked : .tokenExpired
        case 403: error == "origin_refused" ? nil : .forbidden
        case 429: .rateLimited
        case 503: .tryAgainLater
        default: nil
        }
    }

    /// Accepts and closes: the head, and the close behind it. Nothing is registered or asked for, so it costs what a status
    /// does.
    private func appendRefusal(
        _ code: CloseCode, error: String, retryAfter: Int?, _ exchange: Exchange, _ context: SessionContext
    ) {
        let word = code == .rateLimited ? DisconnectReason.rateLimited.word : error
        // In the reason of an event stream too: a page cannot read `retry:`, and an EventSource that obeys it comes back
        // with the credential that was refused.
        let reason = word + (retryAfter.map { "; retry=\($0 * 1000)" } ?? "")
        if let opening = exchange.opening {
            opening.appendResponse(to: context.output, date: context.date)
            FrameEncoder.appendClose(code, reason: reason, to: context.output)
            return
        }
        EventStreamHandshake.appendResponse(
            to: context.output, date: context.date, version: exchange.version, extraFields: exchange.corsFields)
        let retry = retryAfter.map { $0 * 1000 } ?? Int.random(in: Self.patience(after: code), using: &context.random)
        appendBlock(
            "close", #"{"code":\#(code.rawValue),"reason":"\#(reason)"}"#, retryMilliseconds: retry, context)
        if isChunked { ChunkedEncoder.appendLast(to: context.output) }
    }

    /// When an EventSource comes back whose page does not close it, in milliseconds. It brings the same credential again, so
    /// it does that seldom; a page that has a new one opens a new EventSource.
    private static func patience(after code: CloseCode) -> ClosedRange<Int> {
        code == .tokenExpired ? 15_000...30_000 : 60_000...120_000
    }
}
