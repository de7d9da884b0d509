/// The connections of a `PageServer`, inside its thread.
final class PageEndpoint: RequestEndpoint {
    /// A page posts small JSON objects.
    let bodyLimit = 16 << 10
    /// More than any browser opens to one host.
    private static let connectionLimit = 64

    private let loop: EventLoop
    private let respond: PageServer.Serve
    private var listeners: [ListeningSocket] = []
    private var connections: [ObjectIdentifier: RequestConnection] = [:]

    init(_ loop: EventLoop, _ respond: @escaping PageServer.Serve) {
        self.loop = loop
        self.respond = respond
    }

    func start(_ listeners: [ListeningSocket]) throws(SystemError) {
        self.listeners = listeners
        for listener in listeners {
            try listener.start(on: loop) { [unowned self] socket, _ in accept(socket) }
        }
    }

    func end() {
        for listener in listeners { listener.close() }
        for connection in connections.values { connection.close() }
    }

    private func accept(_ socket: Socket) {
        guard connections.count < Self.connectionLimit,
            let connection = try? RequestConnection(socket: socket, loop: loop, endpoint: self)
        else { return socket.close() }
        connections[ObjectIdentifier(connection)] = connection
    }

    func serve(
        _ request: HTTPRequest, body: [UInt8], on connection: RequestConnection,
        answer: @escaping (HTTPResponse) -> Void
    ) {
        answer(respond(request, body))
    }

    func remove(_ connection: RequestConnection) {
        connections[ObjectIdentifier(connection)] = nil
    }
}
