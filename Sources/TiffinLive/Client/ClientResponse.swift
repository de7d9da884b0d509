import TiffinLiveCore

/// A response as a client sees it (RFC 9112 §4). The head is read at once, the body by `readBody`, since that of an
/// event stream never ends.
struct ClientResponse {
    let status: Int
    /// Names in lower case.
    let fields: [(name: String, value: String)]
    var body: [UInt8] = []

    private static let fieldLimit = 100

    static func readHead(from socket: ClientSocket, by deadline: Deadline) throws(ClientError) -> ClientResponse {
        let line = String(decoding: try socket.takeLine(by: deadline), as: UTF8.self)
        let parts = line.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), let status = Int(parts[1]) else {
            throw ClientError("the answer is not HTTP")
        }
        var fields: [(name: String, value: String)] = []
        while true {
            let field = String(decoding: try socket.takeLine(by: deadline), as: UTF8.self)
            if field.isEmpty { break }
            guard let colon = field.firstIndex(of: ":"), fields.count < fieldLimit else {
                throw ClientError("the answer has a malformed head")
            }
            let value = field[field.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            fields.append((field[..<colon].lowercased(), String(value)))
        }
        return ClientResponse(status: status, fields: fields)
    }

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    var isChunked: Bool { self["transfer-encoding"]?.lowercased() == "chunked" }

    mutating func readBody(from socket: ClientSocket, by deadline: Deadline) throws(ClientError) {
        if isChunked {
            while let chunk = try Self.readChunk(from: socket, by: deadline) { body += chunk }
        } else if let text = self["content-length"] {
            guard let length = Int(text), (0...(1 << 20)).contains(length) else {
                throw ClientError("the answer has a malformed length")
            }
            body = try socket.take(length, by: deadline)
        } else {
            body = try socket.takeAll(by: deadline)
        }
    }

    /// The next chunk; nil for the last one (RFC 9112 §7.1). The server sends no extensions and no trailers.
    static func readChunk(from socket: ClientSocket, by deadline: Deadline) throws(ClientError) -> [UInt8]? {
        let text = String(decoding: try socket.takeLine(by: deadline), as: UTF8.self)
        guard let size = Int(text, radix: 16), (0...(1 << 20)).contains(size) else {
            throw ClientError("the answer has a malformed chunk")
        }
        let chunk = try socket.take(size, by: deadline)
        guard try socket.takeLine(by: deadline).isEmpty else { throw ClientError("the answer has a malformed chunk") }
        return size == 0 ? nil : chunk
    }

    /// The server's word for what is wrong: the body's member `error`.
    var error: String? {
        guard let value = try? JSONReader.read(body) else { return nil }
        return value["error"]?.stringValue
    }

    /// As in `401 token_expired`.
    var summary: String {
        guard let error else { return "\(status)" }
        return "\(status) \(error)"
    }
}
