import TiffinLiveCore

/// What a service does with the admin listener (contract section 11), one connection for each request.
struct AdminClient: Sendable {
    private let address: SocketAddress
    private let host: String

    private static let patience = 10.0

    /// An address as in the setting `admin`, or `localhost:PORT`.
    init?(_ text: String) {
        let loopback = "localhost:"
        let numeric = text.hasPrefix(loopback) ? "127.0.0.1:\(text.dropFirst(loopback.count))" : text
        guard let address = SocketAddress(numeric) else { return nil }
        self.address = address
        host = address.port == nil ? "localhost" : numeric
    }

    /// The id of the event.
    func publish(topic: String, event: String?, data: JSONValue) throws(ClientError) -> String {
        var message = JSONObject(("topic", .string(topic)))
        if let event { message["event"] = .string(event) }
        message["data"] = data
        let response = try post("/publish", .object(message))
        guard let answer = try? JSONReader.read(response.body), let id = answer["id"]?.stringValue else {
            throw ClientError("the answer has no id")
        }
        return id
    }

    /// Fills the embedded store.
    func store(_ command: [String]) throws(ClientError) {
        _ = try post("/store", ["command": .strings(command)])
    }

    func revoke(user: String, reason: String) throws(ClientError) {
        _ = try post("/revoke", ["user_id": .string(user), "reason": .string(reason)])
    }

    /// Whoever leans on this topic is looked up again, without Redis.
    func grantChanged(topic: String) throws(ClientError) {
        _ = try post("/grants", ["topic": .string(topic)])
    }

    /// All open connections, as `GET /connections` lists them.
    func connections() throws(ClientError) -> [JSONValue] {
        let response = try exchange(ClientRequest(target: "/connections", host: host))
        guard let list = (try? JSONReader.read(response.body))?.arrayValue else {
            throw ClientError("the answer is no list")
        }
        return list
    }

    private func post(_ target: String, _ body: JSONValue) throws(ClientError) -> ClientResponse {
        var request = ClientRequest(method: "POST", target: target, host: host)
        request.fields = [("Content-Type", "application/json")]
        request.body = Array(JSONWriter.text(body).utf8)
        return try exchange(request)
    }

    private func exchange(_ request: ClientRequest) throws(ClientError) -> ClientResponse {
        let deadline = Deadline(after: Self.patience)
        let socket = try ClientSocket(address)
        var request = request
        request.fields.append(("Connection", "close"))
        try socket.send(request.bytes)
        var response = try ClientResponse.readHead(from: socket, by: deadline)
        try response.readBody(from: socket, by: deadline)
        guard response.status == 200 else {
            throw ClientError("\(request.method) \(request.target) was refused with \(response.summary)")
        }
        return response
    }
}
