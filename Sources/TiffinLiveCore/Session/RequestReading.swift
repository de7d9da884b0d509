/// A connection on which a request head is awaited. Boxed, since it lives only until the session is open.
final class RequestReading {
    var decoder: HTTPRequestDecoder
    let headLimit: Int
    /// The other end of the socket: a proxy may send the requests of many clients over one connection.
    let peer: IPAddress

    init(headLimit: Int, peer: IPAddress) {
        self.headLimit = headLimit
        self.peer = peer
        decoder = HTTPRequestDecoder(headLimit: headLimit)
    }
}
