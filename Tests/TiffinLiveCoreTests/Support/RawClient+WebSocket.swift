/// The client's half of a WebSocket (RFC 6455), able to break every rule when sending.
extension RawClient {
    /// The nonce of RFC 6455 section 1.3 and its answer, so that no hash is needed here.
    static let nonce = "dGhlIHNhbXBsZSBub25jZQ=="
    static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    /// Asks for a WebSocket; a refusal comes back with its body. What follows a 101 waits to be read as frames.
    @discardableResult
    func upgrade(_ target: String, headers: [(String, String)] = []) throws(RawClientError) -> RawResponse {
        try send(Self.upgradeRequest(target, headers: headers))
        return try receiveUpgradeResponse()
    }

    /// The same, and anything but a 101 fails the test.
    @discardableResult
    func openWebSocket(_ target: String, token: String? = nil) throws(RawClientError) -> RawResponse {
        let response = try upgrade(target, headers: token.map { [("Authorization", "Bearer \($0)")] } ?? [])
        guard response.status == 101 else { throw .unexpected("\(response.status) \(response.text)") }
        return response
    }

    func receiveUpgradeResponse() throws(RawClientError) -> RawResponse {
        let response = try receiveResponse()
        if response.status == 101 {
            guard response.only("Sec-WebSocket-Accept") == Self.accept,
                response.only("Upgrade")?.lowercased() == "websocket",
                response.only("Connection")?.lowercased() == "upgrade"
            else { throw .malformed("handshake fields: \(response.fields)") }
        }
        return response
    }

    /// The opening handshake's bytes. A header given replaces ours of the same name; an empty value leaves it out.
    static func upgradeRequest(_ target: String, headers: [(String, String)] = []) -> [UInt8] {
        let names = Set(headers.map { $0.0.lowercased() })
        let ours = [
            ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", nonce),
        ]
        let all = ours.filter { !names.contains($0.0.lowercased()) } + headers.filter { !$0.1.isEmpty }
        return requestHead("GET", target, headers: all)
    }

    // MARK: Sending

    /// Sends a frame masked with `key`, or with the client's own key.
    func send(_ frame: RawFrame, key: [UInt8]? = nil) throws(RawClientError) {
        try send(frame.encoded(key: key ?? maskingKey))
    }

    func sendText(_ text: String) throws(RawClientError) {
        try send(RawFrame(opcode: RawFrame.text, payload: Array(text.utf8)))
    }

    func sendBinary(_ bytes: [UInt8]) throws(RawClientError) {
        try send(RawFrame(opcode: RawFrame.binary, payload: bytes))
    }

    func sendPing(_ text: String = "") throws(RawClientError) {
        try send(RawFrame(opcode: RawFrame.ping, payload: Array(text.utf8)))
    }

    func sendPong(_ text: String = "") throws(RawClientError) {
        try send(RawFrame(opcode: RawFrame.pong, payload: Array(text.utf8)))
    }

    func sendClose(_ code: Int? = 1000, reason: String = "") throws(RawClientError) {
        try send(RawFrame(opcode: RawFrame.close, payload: RawFrame.closePayload(code, reason)))
    }

    // MARK: Receiving

    /// The next frame; a masked one, a length longer than needed, a reserved bit or opcode, or a broken control frame
    /// fails the test.
    func receiveFrame() throws(RawClientError) -> RawFrame {
        let start = try receive(2, as: "a frame")
        let opcode = start[0] & 0x0F
        let isFinal = start[0] & 0x80 != 0
        guard start[0] & 0x70 == 0 else { throw .malformed("reserved bits in \(start)") }
        guard start[1] & 0x80 == 0 else { throw .malformed("masked frame from the server") }
        guard [0, 1, 2, 8, 9, 10].contains(opcode) else { throw .malformed("opcode \(opcode)") }
        var length = Int(start[1] & 0x7F)
        if opcode >= 8, length > 125 || !isFinal { throw .malformed("control frame \(start)") }
        if length == 126 {
            length = try receive(2, as: "a frame's length").reduce(0) { $0 << 8 | Int($1) }
            guard length > 125 else { throw .malformed("length \(length) in 2 bytes") }
        } else if length == 127 {
            let bytes = try receive(8, as: "a frame's length")
            guard bytes[0] & 0x80 == 0 else { throw .malformed("length with the top bit set") }
            length = bytes.reduce(0) { $0 << 8 | Int($1) }
            guard length > 0xFFFF else { throw .malformed("length \(length) in 8 bytes") }
        }
        let payload = try receive(length, as: "a payload of \(length) bytes")
        return RawFrame(opcode: opcode, payload: payload, isFinal: isFinal)
    }

    /// The next text message; pings on the way are answered, anything else fails the test.
    func receiveText() throws(RawClientError) -> String {
        while true {
            let frame = try receiveFrame()
            switch frame.opcode {
            case RawFrame.text where frame.isFinal: return frame.text
            case RawFrame.ping: try send(RawFrame(opcode: RawFrame.pong, payload: frame.payload))
            default: throw .unexpected("\(frame) in place of a text message")
            }
        }
    }

    /// The next text message that contains `part`; other messages are passed over.
    func receiveText(containing part: String) throws(RawClientError) -> String {
        while true {
            let text = try receiveText()
            if text.contains(part) { return text }
        }
    }

    /// The next frame, which must be a Close; nil for one without a code. Messages on the way fail the test unless told.
    func expectClose(passingOverMessages: Bool = false) throws(RawClientError) -> (code: Int?, reason: String) {
        while true {
            let frame = try receiveFrame()
            if frame.opcode != RawFrame.close {
                guard passingOverMessages else { throw .unexpected("\(frame) in place of a Close") }
                continue
            }
            guard frame.payload.count != 1 else { throw .malformed("a Close of 1 byte") }
            let code = frame.payload.isEmpty ? nil : Int(frame.payload[0]) << 8 | Int(frame.payload[1])
            guard let reason = String(validating: frame.payload.dropFirst(2), as: UTF8.self) else {
                throw .malformed("a reason that is not UTF-8")
            }
            return (code, reason)
        }
    }

    /// The whole closing handshake as the server starts it: Close, our answer, and then nothing but FIN.
    func expectCloseAndEnd(passingOverMessages: Bool = false) throws(RawClientError) -> (code: Int?, reason: String) {
        let close = try expectClose(passingOverMessages: passingOverMessages)
        try sendClose(close.code)
        guard try expectEnd() == .finished else { throw .unexpected("reset in place of FIN") }
        return close
    }
}
