/// Who answers the requests of `RequestConnection`s, in the thread of their loop.
protocol RequestEndpoint: AnyObject {
    /// Largest body of a request, in bytes.
    var bodyLimit: Int { get }

    /// Serves one request; the answer may come later. Instead of one, the connection may be made a stream.
    func serve(
        _ request: HTTPRequest, body: [UInt8], on connection: RequestConnection,
        answer: @escaping (HTTPResponse) -> Void)

    /// The connection has ended.
    func remove(_ connection: RequestConnection)
}
