import TiffinLiveCore

/// A client of an event stream (WHATWG HTML §9.2), as far as this server's streams go.
final class EventStreamClient {
    struct Event {
        var id: String?
        var name = "message"
        var data = ""

        var json: JSONValue? { try? JSONReader.read(Array(data.utf8)) }
    }

    private let socket: ClientSocket
    private let isChunked: Bool
    /// Bytes of the body that belong to no whole line yet.
    private var lines: [UInt8] = []
    private(set) var hasEnded = false
    /// The last event id: what to resume with.
    private(set) var lastEventID: String?

    /// The stream, or the response that refused it.
    enum Opening {
        case opened(EventStreamClient)
        case refused(ClientResponse)
    }

    static func open(
        _ address: SocketAddress, _ target: String, token: String, lastEventID: String? = nil
    ) throws(ClientError) -> Opening {
        let deadline = Deadline(after: 10)
        let socket = try ClientSocket(address)
        var request = ClientRequest(target: target, host: address.description)
        request.fields = [("Accept", "text/event-stream"), ("Cache-Control", "no-cache")]
        request.authorize(token)
        if let lastEventID { request.fields.append(("Last-Event-ID", lastEventID)) }
        try socket.send(request.bytes)
        var response = try ClientResponse.readHead(from: socket, by: deadline)
        guard response.status == 200, response["content-type"]?.hasPrefix("text/event-stream") == true else {
            try response.readBody(from: socket, by: deadline)
            return .refused(response)
        }
        return .opened(EventStreamClient(socket, isChunked: response.isChunked))
    }

    private init(_ socket: ClientSocket, isChunked: Bool) {
        self.socket = socket
        self.isChunked = isChunked
    }

    /// The next event; nil at the end of the stream. Comments and `retry` are passed over.
    func next(by deadline: Deadline) throws(ClientError) -> Event? {
        var event = Event()
        var data: [String] = []
        while let line = try nextLine(by: deadline) {
            if line.isEmpty {
                guard !data.isEmpty else {
                    event = Event()
                    continue
                }
                event.id = lastEventID
                event.data = data.joined(separator: "\n")
                return event
            }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            var value = parts.count == 2 ? parts[1] : ""
            if value.first == " " { value = value.dropFirst() }
            switch parts[0] {
            case "data": data.append(String(value))
            case "event": event.name = String(value)
            case "id": lastEventID = String(value)
            default: break
            }
        }
        return nil
    }

    private func nextLine(by deadline: Deadline) throws(ClientError) -> String? {
        guard isChunked else {
            if try socket.isAtEnd(by: deadline) { return nil }
            return String(decoding: try socket.takeLine(by: deadline), as: UTF8.self)
        }
        while true {
            if let end = lines.firstIndex(of: 0x0A) {
                let line = String(decoding: lines[..<end], as: UTF8.self)
                lines.removeFirst(end + 1)
                return line
            }
            guard !hasEnded else { return nil }
            guard let chunk = try ClientResponse.readChunk(from: socket, by: deadline) else {
                hasEnded = true
                continue
            }
            lines += chunk
        }
    }
}
