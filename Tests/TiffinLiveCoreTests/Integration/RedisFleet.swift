import Glibc

@testable import TiffinLiveCore

/// A Redis and servers that share it, each behind a proxy of its own, for tests of what they do together.
final class RedisFleet {
    let redis: RedisServer
    let muxes: [Mux]
    let servers: [LiveServer]

    static let settings = [
        "limits.perUser=0", "limits.messages={rate:0,burst:0}", "heartbeat.ping=\"60s\"",
        #"topics."feeds:{feed}"={claim:{sub:"{sub}"}}"#,
    ]

    /// `settings` are those of the servers, `redis` those of their links beyond the address. `awaits`: until all are ready.
    init(
        servers count: Int = 2, redis: RedisServer? = nil, settings: [String] = [], link: String = "",
        awaits: Bool = true
    ) throws {
        let redis = try redis ?? RedisServer()
        self.redis = redis
        let muxes = try (0..<count).map { _ in try Mux(to: redis.port) }
        self.muxes = muxes
        servers = try muxes.map { mux in
            let own = #"redis={url:"redis://127.0.0.1:\#(mux.port)"\#(link.isEmpty ? "" : ",")\#(link)}"#
            return try LiveServer(Self.settings + [own] + settings)
        }
        if awaits { try awaitReady() }
    }

    func awaitReady() throws {
        for server in servers { try Self.awaitReady(server) }
    }

    static func awaitReady(_ server: LiveServer) throws {
        try eventually("the server to be ready") { try server.isReady() }
    }

    func awaitUnready() throws {
        for server in servers { try eventually("the server not to be ready") { try !server.isReady() } }
    }

    /// Gives an order to a customer.
    func give(order: String, to user: String = "7001") throws {
        try redis.command("HSET", "order:\(order)", "customer_id", user)
    }

    /// Calls a function of the library, which a server loads just after it is ready.
    func call(_ words: [String]) throws -> RESPValue {
        var reply = RESPValue.null
        try eventually("Redis to have loaded its data and the functions") {
            reply = try redis.command(["FCALL"] + words)
            guard case .error(let error) = reply else { return true }
            return error.code != "LOADING" && error.text != "ERR Function not found"
        }
        return reply
    }

    /// Publishes as a backend does; the id.
    @discardableResult
    func publish(_ topic: String, _ data: String, event: String = "status", _ more: String...) throws -> String {
        let reply = try call(["tiffin_publish", "1", "events:\(topic)", event, data] + more)
        guard let id = reply.bytes else { throw UnexpectedAnswer(what: "\(reply)") }
        return String(decoding: id, as: UTF8.self)
    }

    /// How often Redis has executed a command, and refused it.
    func calls(_ command: String) throws -> (made: Int, refused: Int) {
        let text = String(decoding: try redis.command("INFO", "commandstats").bytes ?? [], as: UTF8.self)
        for line in text.split(separator: "\r\n") where line.hasPrefix("cmdstat_\(command):") {
            func figure(_ name: String) -> Int {
                for part in line.split(whereSeparator: { $0 == "," || $0 == ":" }) where part.hasPrefix(name + "=") {
                    return Int(part.dropFirst(name.count + 1)) ?? -1
                }
                return -1
            }
            return (figure("calls"), figure("rejected_calls"))
        }
        return (0, 0)
    }
}

extension LiveServer {
    func isReady() throws -> Bool { try adminGet("/readyz").status == 200 }

    /// A customer's stream of an order; its welcome has been read.
    func stream(order: String, user: String = "7001", after: String? = nil) throws -> RawEventStream {
        let stream = try connect().openEventStream(
            "/orders/\(order)/events", token: token(user, role: "customer"), lastEventID: after)
        guard try stream.nextEvent()?.event == "welcome" else { throw UnexpectedAnswer(what: "no welcome") }
        return stream
    }

    /// The same as a WebSocket.
    func socket(order: String, user: String = "7001", after: String? = nil) throws -> RawClient {
        let client = try connect()
        let query = after.map { "?last_event_id=\($0)" } ?? ""
        try client.openWebSocket("/orders/\(order)/events\(query)", token: token(user, role: "customer"))
        _ = try client.receiveText(containing: #""type":"welcome""#)
        return client
    }

    /// The answer to a customer's handshake for an event stream.
    func status(order: String, user: String = "7001", token: String? = nil) throws -> RawResponse {
        let client = try connect()
        let own = token ?? self.token(user, role: "customer")
        try client.send(
            RawClient.requestHead("GET", "/orders/\(order)/events", headers: [("Authorization", "Bearer \(own)")]))
        return try client.receiveResponseHead()
    }
}

extension RawClient {
    /// Whether the connection is open and answers.
    func isAlive() throws -> Bool {
        try sendText(#"{"type":"ping"}"#)
        return try receiveText(containing: #""type":"pong""#) == #"{"type":"pong"}"#
    }
}
