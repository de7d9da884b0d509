/// What holds for requests of web pages alone: preflights, and who may read an answer (contract section 4; Fetch standard,
/// "CORS protocol").
extension Session {
    /// The fields for the answer to a request on an event stream or a ticket, whatever it is. Empty when no origin is listed.
    static func corsFields(_ request: HTTPRequest, _ context: SessionContext) -> [(name: String, value: String)] {
        let origins = context.settings.browser.origins
        guard !origins.isEmpty else { return [] }
        guard case .listed(let origin) = origins.verdict(on: request.fields) else { return [("Vary", "Origin")] }
        return [
            ("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Credentials", "true"),
            // Without this a page sees the status alone, and cannot tell when it may come back.
            ("Access-Control-Expose-Headers", "Retry-After, WWW-Authenticate"), ("Vary", "Origin"),
        ]
    }

    /// How long a browser may go by the answer to a preflight, in seconds.
    private static let preflightAge = 600

    /// Whether the request is a preflight, and has been answered. No credential is asked for: browsers send none with it.
    mutating func answerPreflight(
        _ request: HTTPRequest, method: String, _ reading: RequestReading, _ exchange: Exchange,
        _ context: SessionContext
    ) -> Bool {
        guard request.method == "OPTIONS", request.fields.contains("access-control-request-method"),
            !exchange.corsFields.isEmpty
        else { return false }
        guard exchange.corsFields.count > 1 else {
            refuse(status: 403, error: "origin_refused", context)
            return true
        }
        let fields = [
            ("Access-Control-Allow-Methods", method),
            ("Access-Control-Allow-Headers", "authorization, content-type, last-event-id"),
            ("Access-Control-Max-Age", String(Self.preflightAge)),
        ]
        let closes = !request.keepsAlive || request.hasBody || context.isDraining
        HTTPResponse(status: 204, fields: exchange.corsFields + fields)
            .append(to: context.output, date: context.date, closes: closes, version: request.version)
        context.actions.append(.answered(status: 204))
        answered(closes: closes, reading, context)
        return true
    }
}
