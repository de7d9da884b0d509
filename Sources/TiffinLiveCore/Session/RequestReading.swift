/// A connection on which a request head is awaited. Boxed, since it lives only until the session is open.
final class RequestReading {
    var decoder: HTTPRequestDecoder
    let headLimit: Int

    init(headLimit: Int) {
        self.headLimit = headLimit
        decoder = HTTPRequestDecoder(headLimit: headLimit)
    }
}
