/// What the answer to a request depends on beside the request's outcome: who may read it, and how it is refused. Known once
/// the path is known to be served, and needed until the session is open.
final class Exchange {
    /// `Vary` and the CORS fields (contract section 4); empty for WebSockets, which have none.
    var corsFields: [(name: String, value: String)] = []
    var version: HTTPVersion
    /// Set for a WebSocket.
    var opening: OpeningHandshake?
    /// Whether refusals are accepted and closed at once (`refuse: "close"`). Only once the request is a sound handshake.
    var refusesByClose = false

    init(version: HTTPVersion) {
        self.version = version
    }
}
