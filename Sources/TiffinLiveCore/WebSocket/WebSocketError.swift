/// Why a connection has to be failed (RFC 6455 §7.1.7): the code and the reason for the close frame. The reason names
/// the broken rule and holds nothing of what the peer sent.
struct WebSocketError: Error, Sendable {
    let closeCode: CloseCode
    let reason: StaticString

    private init(_ closeCode: CloseCode, _ reason: StaticString) {
        self.closeCode = closeCode
        self.reason = reason
    }

    static let reservedBits = WebSocketError(.protocolError, "reserved bit set")
    static let unknownOpcode = WebSocketError(.protocolError, "unknown opcode")
    static let fragmentedControlFrame = WebSocketError(.protocolError, "fragmented control frame")
    static let longControlFrame = WebSocketError(.protocolError, "control frame too long")
    static let unmaskedFrame = WebSocketError(.protocolError, "unmasked frame")
    static let invalidLength = WebSocketError(.protocolError, "invalid payload length")
    static let unexpectedContinuation = WebSocketError(.protocolError, "continuation without a message")
    static let expectedContinuation = WebSocketError(.protocolError, "new message inside a message")
    static let truncatedCloseCode = WebSocketError(.protocolError, "close payload of one byte")
    static let invalidCloseCode = WebSocketError(.protocolError, "invalid close code")
    static let invalidCloseReason = WebSocketError(.invalidPayload, "close reason is not UTF-8")
    static let invalidText = WebSocketError(.invalidPayload, "text is not UTF-8")
    static let messageTooBig = WebSocketError(.messageTooBig, "message too big")
}
