@testable import TiffinLiveCore

/// A server that can be reached: in this process (`LiveServer`) or in one of its own (`ServerProcess`).
protocol ServerUnderTest {
    var port: Int { get }
    var adminPort: Int { get }
    var tokens: TokenFactory { get }
    /// The server's wall clock, in seconds.
    var now: Int64 { get }
    /// Everything that was logged up to now.
    func logText() -> String
}

extension ServerUnderTest {
    // MARK: Clients

    func connect(receiveBuffer: Int? = nil) throws -> RawClient {
        try RawClient(port: port, receiveBuffer: receiveBuffer)
    }

    /// A rider's WebSocket whose welcome has been read.
    func rider(_ user: String = "5521", ttl: Int64 = 900, receiveBuffer: Int? = nil) throws -> RawClient {
        try rider(user, ttl: ttl, on: try connect(receiveBuffer: receiveBuffer))
    }

    /// The same on a connection that is there already.
    func rider(_ user: String = "5521", ttl: Int64 = 900, on client: RawClient) throws -> RawClient {
        let response = try client.openWebSocket("/rider/socket", token: token(user, ttl: ttl))
        guard response.status == 101 else { throw UnexpectedAnswer(what: "status \(response.status)") }
        _ = try client.receiveText(containing: #""type":"welcome""#)
        return client
    }

    /// The stream of an order that has been given to the customer; its welcome has been read.
    func customer(_ user: String = "7001", order: String = "123", ttl: Int64 = 900) throws -> RawEventStream {
        try admin("/store", #"{"command":["HSET","order:\#(order)","customer_id","\#(user)"]}"#)
        let stream = try connect().openEventStream(
            "/orders/\(order)/events", token: token(user, role: "customer", ttl: ttl))
        guard try stream.nextEvent()?.event == "welcome" else { throw UnexpectedAnswer(what: "no welcome") }
        return stream
    }

    func token(_ user: String = "5521", role: String = "rider", ttl: Int64 = 900, jti: String? = nil) -> String {
        tokens.token(sub: .string(user), role: role, exp: now + ttl, iat: now, jti: jti)
    }

    // MARK: The admin listener

    @discardableResult
    func admin(_ path: String, _ body: String, headers: [(String, String)] = []) throws -> RawResponse {
        try RawClient(port: adminPort).post(path, headers: headers, body: body)
    }

    func adminGet(_ path: String) throws -> RawResponse {
        try RawClient(port: adminPort).get(path)
    }

    /// Publishes and answers the id.
    @discardableResult
    func publish(_ topic: String, _ data: String, event: String = "status") throws -> String {
        let response = try admin("/publish", #"{"topic":"\#(topic)","event":"\#(event)","data":\#(data)}"#)
        guard response.status == 200, let id = try JSONReader.read(response.body)["id"]?.stringValue else {
            throw UnexpectedAnswer(what: "publish: \(response.status)")
        }
        return id
    }

    /// One sample of `/metrics`, such as `tiffin_live_connections{transport="sse"}`. Every loop has had a turn when the
    /// answer comes.
    func metric(_ name: String) throws -> Double? {
        let text = String(decoding: try adminGet("/metrics").body, as: UTF8.self)
        for line in text.split(separator: "\n") where line.hasPrefix(name + " ") {
            return Double(line.dropFirst(name.utf8.count + 1))
        }
        return nil
    }

    /// Sessions that are open, of both transports.
    func openSessions() throws -> Int {
        let webSockets = try metric(#"tiffin_live_connections{transport="websocket"}"#)
        let streams = try metric(#"tiffin_live_connections{transport="sse"}"#)
        return Int((webSockets ?? -1) + (streams ?? -1))
    }

    // MARK: The log

    /// Every line so far, read strictly: one JSON object a line, no name twice.
    func logObjects() throws -> [JSONObject] {
        try logText().split(separator: "\n").map { line in
            guard let object = try JSONReader.read(Array(line.utf8)).objectValue else {
                throw UnexpectedAnswer(what: "a log line that is no object: \(line)")
            }
            return object
        }
    }

    func logObjects(_ event: String) throws -> [JSONObject] {
        try logObjects().filter { $0["event"]?.stringValue == event }
    }
}

/// The server answered, but not what the test needs to go on.
struct UnexpectedAnswer: Error {
    let what: String
}
