import TiffinLiveCore

/// A client's half of a WebSocket (RFC 6455): checks the handshake's answer, masks every frame with a fresh key, answers
/// pings and closes.
final class WebSocketClient {
    enum Message {
        case text(String)
        case closed(code: Int, reason: String)
    }

    /// The socket, or the response that refused it.
    enum Opening {
        case opened(WebSocketClient)
        case refused(ClientResponse)
    }

    private enum Opcode {
        static let continuation: UInt8 = 0
        static let text: UInt8 = 1
        static let close: UInt8 = 8
        static let ping: UInt8 = 9
        static let pong: UInt8 = 10
    }

    private let socket: ClientSocket
    private var hasSentClose = false

    /// §4.1
    static func open(_ address: SocketAddress, _ target: String, token: String) throws(ClientError) -> Opening {
        let deadline = Deadline(after: 10)
        let socket = try ClientSocket(address)
        var generator = SystemRandomNumberGenerator()
        let key = base64((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
        var request = ClientRequest(target: target, host: address.description)
        request.fields = [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", key),
        ]
        request.authorize(token)
        try socket.send(request.bytes)
        var response = try ClientResponse.readHead(from: socket, by: deadline)
        guard response.status == 101 else {
            try response.readBody(from: socket, by: deadline)
            return .refused(response)
        }
        guard response["upgrade"]?.lowercased() == "websocket", response["connection"]?.lowercased() == "upgrade",
            response["sec-websocket-accept"] == accept(for: key)
        else { throw ClientError("the answer to the opening handshake is not RFC 6455's") }
        return .opened(WebSocketClient(socket))
    }

    private init(_ socket: ClientSocket) {
        self.socket = socket
    }

    // MARK: Messages

    func send(_ message: JSONValue) throws(ClientError) {
        try send(Opcode.text, Array(JSONWriter.text(message).utf8))
    }

    /// The next text message, or the close and then the end of the connection.
    func next(by deadline: Deadline) throws(ClientError) -> Message {
        var message: [UInt8] = []
        while true {
            let frame = try receiveFrame(by: deadline)
            switch frame.opcode {
            case Opcode.text, Opcode.continuation:
                message += frame.payload
                if frame.isFinal { return .text(String(decoding: message, as: UTF8.self)) }
            case Opcode.ping:
                try send(Opcode.pong, frame.payload)
            case Opcode.pong:
                break
            case Opcode.close:
                return try close(frame.payload, by: deadline)
            default:
                throw ClientError("the server sent a frame that nobody asked for")
            }
        }
    }

    /// Leaves in good order (§7.1.2) and reads on until the server's close.
    func leave(by deadline: Deadline) throws(ClientError) {
        try sendClose(1000)
        while case .text = try next(by: deadline) {}
    }

    /// §7.1.4: the server's close is answered, and then the server ends the connection.
    private func close(_ payload: [UInt8], by deadline: Deadline) throws(ClientError) -> Message {
        let code = payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : 1005
        if !hasSentClose { try? sendClose(payload.count >= 2 ? code : nil) }
        guard try socket.isAtEnd(by: deadline) else { throw ClientError("the server sent on after its close frame") }
        return .closed(code: code, reason: String(decoding: payload.dropFirst(2), as: UTF8.self))
    }

    // MARK: Frames

    private func sendClose(_ code: Int?) throws(ClientError) {
        hasSentClose = true
        let payload = code.map { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        try send(Opcode.close, payload ?? [])
    }

    /// §5.2, §5.3
    private func send(_ opcode: UInt8, _ payload: [UInt8]) throws(ClientError) {
        var bytes = [0x80 | opcode]
        switch payload.count {
        case ...125: bytes.append(0x80 | UInt8(payload.count))
        case ...65_535: bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default: throw ClientError("a message of more than 64 KiB is not sent")
        }
        var generator = SystemRandomNumberGenerator()
        let key = (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
        bytes += key
        bytes += payload.enumerated().map { $0.element ^ key[$0.offset & 3] }
        try socket.send(bytes)
    }

    private func receiveFrame(
        by deadline: Deadline
    ) throws(ClientError) -> (opcode: UInt8, isFinal: Bool, payload: [UInt8]) {
        let head = try socket.take(2, by: deadline)
        guard head[0] & 0x70 == 0, head[1] & 0x80 == 0 else { throw ClientError("the server sent a malformed frame") }
        var length = Int(head[1])
        if length >= 126 {
            length = try socket.take(length == 126 ? 2 : 8, by: deadline).reduce(0) { $0 << 8 | Int($1) }
            guard (0...(1 << 20)).contains(length) else {
                throw ClientError("the server sent a message that is too long")
            }
        }
        return (head[0] & 0x0F, head[0] & 0x80 != 0, try socket.take(length, by: deadline))
    }

    /// §4.2.2, point 5.4
    private static func accept(for key: String) -> String {
        base64(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8).withUnsafeBytes { Digest.sha1($0) })
    }

    /// The standard alphabet with padding (RFC 4648 §4).
    private static func base64(_ bytes: [UInt8]) -> String {
        let text = Base64.encodeURL(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }
}
