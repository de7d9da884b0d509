/// A connection on which a request head is awaited. Boxed, since it lives only until the session is open.
final class RequestReading {
    private(set) var decoder: HTTPRequestDecoder
    let headLimit: Int
    /// The other end of the socket: a proxy may send the requests of many clients over one connection.
    let peer: IPAddress
    /// The request at hand, once its path is known to be served.
    var exchange: Exchange?
    /// Whether a request was answered on this connection before.
    private(set) var isReused = false

    init(headLimit: Int, peer: IPAddress) {
        self.headLimit = headLimit
        self.peer = peer
        decoder = HTTPRequestDecoder(headLimit: headLimit)
    }

    func receive(_ bytes: UnsafeRawBufferPointer, consumed: inout Int) throws(HTTPError) -> HTTPRequest? {
        try decoder.receive(bytes, consumed: &consumed)
    }

    /// The request was answered, and another one may follow on the same connection.
    func beginNext() {
        exchange = nil
        isReused = true
        decoder = HTTPRequestDecoder(headLimit: headLimit)
    }
}
