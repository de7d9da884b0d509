/// The pages that may use this server with their users' cookies, and read what it answers (contract section 4). A cookie is
/// sent by the browser whatever page asks; that a page of ours asked is known from `Origin` alone.
struct OriginPolicy: Sendable {
    /// What the `Origin` field of a request says.
    enum Verdict: Equatable, Sendable {
        case absent
        /// It is on the list, as sent: that is what a browser compares the answer with.
        case listed(String)
        /// Another origin, `null`, something malformed, or several fields.
        case foreign
    }

    private let origins: Set<Origin>

    init(_ origins: some Sequence<Origin> = []) {
        self.origins = Set(origins)
    }

    var isEmpty: Bool { origins.isEmpty }

    func verdict(on fields: HTTPFields) -> Verdict {
        switch fields.count(of: "origin") {
        case 0: return .absent
        case 1: break
        default: return .foreign
        }
        let listed: String?? = fields.withFirst("origin") { bytes in
            guard let origin = Origin(bytes), origins.contains(origin) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        guard case .some(.some(let text)) = listed else { return .foreign }
        return .listed(text)
    }

    /// Whether a cookie counts as the user's own wish. A WebSocket must name a listed origin; an event stream or a purchase
    /// of a ticket may leave it out, as browsers do for a GET of the same origin, unless they say it comes from elsewhere.
    func allowsCookie(_ verdict: Verdict, isWebSocket: Bool, fields: HTTPFields) -> Bool {
        switch verdict {
        case .listed: true
        case .foreign: false
        case .absent: !isWebSocket && !fields.list("sec-fetch-site", contains: "cross-site")
        }
    }
}
