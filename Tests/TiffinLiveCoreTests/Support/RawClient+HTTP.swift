/// HTTP/1.1 requests and responses (RFC 9112).
extension RawClient {
    /// One request and its response; the connection stays open if the server keeps it.
    func request(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) throws(RawClientError) -> RawResponse {
        try send(Self.requestHead(method, target, headers: headers, bodyLength: body?.count) + (body ?? []))
        return try receiveResponse(to: method)
    }

    func get(_ target: String, headers: [(String, String)] = []) throws(RawClientError) -> RawResponse {
        try request("GET", target, headers: headers)
    }

    func post(
        _ target: String, headers: [(String, String)] = [], body: String = ""
    ) throws(RawClientError) -> RawResponse {
        try request("POST", target, headers: headers, body: Array(body.utf8))
    }

    /// Reads the next response with its body, whichever way the body is framed.
    func receiveResponse(to method: String = "GET") throws(RawClientError) -> RawResponse {
        var response = try receiveResponseHead()
        let lengths = response.values("Content-Length")
        let codings = response.values("Transfer-Encoding")
        guard lengths.count <= 1, codings.count <= 1, lengths.isEmpty || codings.isEmpty else {
            throw .malformed("more than one body framing: \(lengths) \(codings)")
        }
        if method == "HEAD" || response.status < 200 || response.status == 204 || response.status == 304 {
            return response
        }
        if let coding = codings.first {
            guard coding == "chunked" else { throw .malformed("Transfer-Encoding: \(coding)") }
            while let chunk = try receiveChunk() {
                response.body += chunk
            }
        } else if let length = lengths.first {
            guard let count = Int(length), count >= 0 else { throw .malformed("Content-Length: \(length)") }
            response.body = try receive(count, as: "the body")
        } else {
            response.body = try receiveToEnd()
        }
        return response
    }

    /// Reads a head and leaves what follows it.
    func receiveResponseHead() throws(RawClientError) -> RawResponse {
        try RawResponse(head: try receive(through: [0x0D, 0x0A, 0x0D, 0x0A], as: "a response head"))
    }

    /// The next chunk of a chunked body; nil for the last one (RFC 9112 section 7.1). Trailers are refused: we send none.
    func receiveChunk() throws(RawClientError) -> [UInt8]? {
        let line = try receive(through: [0x0D, 0x0A], as: "a chunk size").dropLast(2)
        let text = String(decoding: line, as: UTF8.self)
        guard !text.isEmpty, text.utf8.count <= 8, text.allSatisfy(\.isHexDigit), let size = Int(text, radix: 16) else {
            throw .malformed("chunk size: \(text)")
        }
        let chunk = try receive(size, as: "a chunk of \(size) bytes")
        guard try receive(2, as: "the end of a chunk") == [0x0D, 0x0A] else {
            throw .malformed("no line end behind a chunk of \(size) bytes")
        }
        return size == 0 ? nil : chunk
    }

    /// A request head; `Host` and `Content-Length` are added unless given.
    static func requestHead(
        _ method: String, _ target: String, version: String = "HTTP/1.1", headers: [(String, String)] = [],
        bodyLength: Int? = nil
    ) -> [UInt8] {
        var text = "\(method) \(target) \(version)\r\n"
        let names = Set(headers.map { $0.0.lowercased() })
        if !names.contains("host") {
            text += "Host: 127.0.0.1\r\n"
        }
        for (name, value) in headers {
            text += "\(name): \(value)\r\n"
        }
        if let bodyLength, !names.contains("content-length"), !names.contains("transfer-encoding") {
            text += "Content-Length: \(bodyLength)\r\n"
        }
        return Array((text + "\r\n").utf8)
    }
}
