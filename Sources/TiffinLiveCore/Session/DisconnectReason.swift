/// Why a connection ended: one table for the close code on the wire (contract section 6, RFC 6455 section 7.4), the word
/// beside it, and the label in logs and metrics.
enum DisconnectReason: UInt8, CaseIterable, Sendable {
    // Decided by this server.
    case tokenExpired, differentUser, revoked, forbidden, tooSlow, replaced, rateLimited
    case restart, maximumAge, goingAway, operatorRequest
    case protocolError, unsupportedData, invalidPayload, messageTooBig
    // Found out about the peer.
    case clientClosed, peerGone, connectionReset, heartbeatTimeout, handshakeTimeout, refused

    /// The code of the close frame or `close` event; nil when there is nobody to tell, or nothing was opened.
    var closeCode: CloseCode? {
        switch self {
        case .tokenExpired: .tokenExpired
        case .differentUser: .differentUser
        case .revoked: .revoked
        case .forbidden: .forbidden
        case .tooSlow: .tooSlow
        case .replaced: .replaced
        case .rateLimited: .rateLimited
        case .restart, .maximumAge, .operatorRequest: .serviceRestart
        case .goingAway: .goingAway
        case .protocolError: .protocolError
        case .unsupportedData: .unsupportedData
        case .invalidPayload: .invalidPayload
        case .messageTooBig: .messageTooBig
        case .clientClosed, .peerGone, .connectionReset, .heartbeatTimeout, .handshakeTimeout, .refused: nil
        }
    }

    /// The word in the close reason, in logs and in the metric label.
    var word: String {
        switch self {
        case .tokenExpired: "token_expired"
        case .differentUser: "different_user"
        case .revoked: "revoked"
        case .forbidden: "forbidden"
        case .tooSlow: "too_slow"
        case .replaced: "replaced"
        case .rateLimited: "rate_limited"
        case .restart: "restart"
        case .maximumAge: "max_age"
        case .goingAway: "going_away"
        case .operatorRequest: "operator"
        case .protocolError: "protocol_error"
        case .unsupportedData: "unsupported_data"
        case .invalidPayload: "invalid_payload"
        case .messageTooBig: "message_too_big"
        case .clientClosed: "client_closed"
        case .peerGone: "peer_gone"
        case .connectionReset: "connection_reset"
        case .heartbeatTimeout: "heartbeat_timeout"
        case .handshakeTimeout: "handshake_timeout"
        case .refused: "refused"
        }
    }

    /// Whether what is still queued may go out before the close. Somebody who lost the right to it must not get it, and
    /// for somebody too slow the queue is the fault.
    var keepsQueuedOutput: Bool {
        switch self {
        case .revoked, .forbidden, .differentUser, .tooSlow: false
        default: true
        }
    }

    /// The word that goes with a close code that an operator chose.
    static func word(for code: CloseCode) -> String {
        allCases.first { $0.closeCode == code }?.word ?? Self.operatorRequest.word
    }

    /// The reason for a message that a peer was not allowed to send (RFC 6455 section 7.4.1).
    init(_ error: WebSocketError) {
        switch error.closeCode {
        case .invalidPayload: self = .invalidPayload
        case .messageTooBig: self = .messageTooBig
        case .unsupportedData: self = .unsupportedData
        default: self = .protocolError
        }
    }
}
