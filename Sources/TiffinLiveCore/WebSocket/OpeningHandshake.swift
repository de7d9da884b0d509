/// The server's half of the opening handshake (RFC 6455 §4.2): whether a request asks for a WebSocket in the way it
/// must, and the 101 that says yes. Route, Origin and credentials are judged by others, before the response is
/// written. Extensions are never taken up, so offers of them are not even read.
struct OpeningHandshake: Sendable {
    /// The one of ours that the client offered, if any. Nothing else of what it offered is ever sent back: browsers
    /// put tokens into this field.
    let subprotocol: String?
    /// SHA-1 of the key and the GUID (§4.2.2), 20 bytes.
    private let acceptDigest: [UInt8]

    private static let keySize = 24
    private static let guid: StaticString = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// Checks the request against §4.2.1 and picks the first offered subprotocol that is supported.
    static func read(
        _ request: HTTPRequest, supportedSubprotocols: [String]
    ) throws(HTTPError) -> OpeningHandshake {
        guard request.method == "GET" else { throw .upgradeMethod }
        guard request.version == .http11 else { throw .badRequest("an upgrade in HTTP/1.0") }
        // Bytes behind this head would be a body for one reader and frames for another.
        guard !request.hasBody else { throw .badRequest("an upgrade with a body") }
        let fields = request.fields
        guard fields.list("Upgrade", contains: "websocket") else { throw .upgradeRequired }
        guard fields.list("Connection", contains: "upgrade") else {
            throw .badRequest("an upgrade that the Connection field does not name")
        }
        let isVersion13 = fields.withFirst("Sec-WebSocket-Version") { FieldList.equals($0, "13") }
        guard isVersion13 == true, fields.count(of: "Sec-WebSocket-Version") == 1 else {
            throw .webSocketVersion
        }
        guard fields.count(of: "Sec-WebSocket-Key") == 1,
            let digest = fields.withFirst("Sec-WebSocket-Key", acceptDigest) ?? nil
        else { throw .badRequest("not one Sec-WebSocket-Key of 16 bytes") }
        return OpeningHandshake(
            subprotocol: subprotocol(offeredIn: fields, supportedSubprotocols), acceptDigest: digest)
    }

    /// The response to a request that `read` refused, with the fields that its status calls for.
    static func refusal(_ error: HTTPError) -> HTTPResponse {
        var response = HTTPResponse(error)
        func add(_ name: String, _ value: String) {
            guard !response.fields.contains(where: { $0.name == name }) else { return }
            response.fields.append((name: name, value: value))
        }
        switch error.status {
        case 405:
            add("Allow", "GET")
        case 426:
            add("Upgrade", "websocket")
            add("Sec-WebSocket-Version", "13")
        default:
            break
        }
        return response
    }

    /// Appends the 101. What follows in the buffer are frames.
    func appendResponse(to buffer: ByteBuffer, date: HTTPDate) {
        ResponseHeadEncoder.append(status: 101, to: buffer)
        ResponseHeadEncoder.append(date: date, to: buffer)
        buffer.append("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ")
        acceptDigest.withUnsafeBytes { Base64.append(standard: $0, to: buffer) }
        buffer.append("\r\n")
        if let subprotocol {
            ResponseHeadEncoder.append(field: "Sec-WebSocket-Protocol", subprotocol, to: buffer)
        }
        ResponseHeadEncoder.appendEnd(to: buffer)
    }

    /// The digest for a key that is 16 bytes in base64: 22 letters and two signs of padding. The four bits that the
    /// last letter has to spare may be set: to take the key for anything but a text is no duty of a server's
    /// (§4.2.1), and there are clients that make theirs up letter by letter.
    private static func acceptDigest(_ key: UnsafeRawBufferPointer) -> [UInt8]? {
        guard key.count == keySize, key.dropLast(2).allSatisfy(isBase64),
            key.suffix(2).allSatisfy({ $0 == ASCII.equals })
        else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: keySize + guid.utf8CodeUnitCount, alignment: 8) { text in
            text.copyMemory(from: key)
            UnsafeMutableRawBufferPointer(rebasing: text.dropFirst(keySize))
                .copyMemory(from: UnsafeRawBufferPointer(start: guid.utf8Start, count: guid.utf8CodeUnitCount))
            return Digest.sha1(UnsafeRawBufferPointer(text))
        }
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == 0x2B || byte == ASCII.slash
    }

    /// Subprotocol names are compared with regard to case.
    private static func subprotocol(offeredIn fields: HTTPFields, _ supported: [String]) -> String? {
        var found: String?
        fields.forEachValue(of: "Sec-WebSocket-Protocol") { value in
            FieldList.forEachElement(of: value) { element in
                guard found == nil else { return }
                found = supported.first { element.elementsEqual($0.utf8) }
            }
        }
        return found
    }
}

extension HTTPError {
    fileprivate static let upgradeMethod = HTTPError(
        status: 405, error: "method_not_allowed", detail: "an upgrade by another method than GET")
    fileprivate static let upgradeRequired = HTTPError(
        status: 426, error: "upgrade_required", detail: "no upgrade to websocket")
    fileprivate static let webSocketVersion = HTTPError(
        status: 426, error: "upgrade_required", detail: "not Sec-WebSocket-Version 13")
}
