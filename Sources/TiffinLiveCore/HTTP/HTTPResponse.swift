/// A response that is known whole (RFC 9112 §4, §6). The fields that frame it (Date, Content-Length, Connection) are
/// written when it is sent, so that nobody can set them against each other. Streams and upgrades have encoders of
/// their own.
package struct HTTPResponse: Sendable {
    package var status: Int
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]

    package init(status: Int, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// `{"error":"…"}` as application/json. `error` is one of our own words; what would need escaping is dropped.
    package static func json(
        _ status: Int, error: String, fields: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        var body = Array("{\"error\":\"".utf8)
        body += error.utf8.filter { $0 >= ASCII.space && $0 < ASCII.delete && $0 != 0x22 && $0 != ASCII.backslash }
        body += "\"}".utf8
        return json(status, body: body, fields: fields)
    }

    package static func json(
        _ status: Int, body: [UInt8], fields: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        HTTPResponse(status: status, fields: [(name: "Content-Type", value: "application/json")] + fields, body: body)
    }

    package static func text(
        _ status: Int, _ text: String, fields: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status, fields: [(name: "Content-Type", value: "text/plain; charset=utf-8")] + fields,
            body: Array(text.utf8))
    }

    /// The answer to a request that could not be read or served.
    init(_ error: HTTPError) {
        self = .json(error.status, error: error.error)
        if error.status == 426 { fields.append((name: "Upgrade", value: "websocket")) }
    }

    /// `closes`: the connection ends after this response. `version`: the request's. `withoutBody`: for HEAD, which is
    /// told the length all the same (RFC 9110 §9.3.2).
    func append(
        to buffer: ByteBuffer, date: HTTPDate, closes: Bool, version: HTTPVersion, withoutBody: Bool = false
    ) {
        ResponseHeadEncoder.append(status: status, to: buffer)
        ResponseHeadEncoder.append(date: date, to: buffer)
        for field in fields { ResponseHeadEncoder.append(field: field.name, field.value, to: buffer) }
        // RFC 9110 §8.6: no length where there can be no content.
        let hasContent = status >= 200 && status != 204 && status != 304
        if hasContent {
            buffer.append("Content-Length: ")
            buffer.append(decimal: body.count)
            buffer.append("\r\n")
        }
        if closes {
            ResponseHeadEncoder.append(field: "Connection", "close" as StaticString, to: buffer)
        } else if version == .http10 {
            ResponseHeadEncoder.append(field: "Connection", "keep-alive" as StaticString, to: buffer)
        }
        ResponseHeadEncoder.appendEnd(to: buffer)
        if hasContent, !withoutBody { buffer.append(body) }
    }
}
