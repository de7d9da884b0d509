/// The status code of a close frame (RFC 6455 §7.4 and its IANA registry) and our own ones from the private range.
///
/// The words that go with our own codes are the session's affair; here is only what the wire allows.
struct CloseCode: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt16

    static let normal = CloseCode(rawValue: 1000)
    static let goingAway = CloseCode(rawValue: 1001)
    static let protocolError = CloseCode(rawValue: 1002)
    static let unsupportedData = CloseCode(rawValue: 1003)
    /// "No code was in the frame": a value for the log, never for the wire.
    static let noStatusReceived = CloseCode(rawValue: 1005)
    /// "There was no close frame": a value for the log, never for the wire.
    static let abnormalClosure = CloseCode(rawValue: 1006)
    static let invalidPayload = CloseCode(rawValue: 1007)
    static let policyViolation = CloseCode(rawValue: 1008)
    static let messageTooBig = CloseCode(rawValue: 1009)
    static let mandatoryExtension = CloseCode(rawValue: 1010)
    static let internalError = CloseCode(rawValue: 1011)
    static let serviceRestart = CloseCode(rawValue: 1012)
    static let tryAgainLater = CloseCode(rawValue: 1013)
    static let badGateway = CloseCode(rawValue: 1014)
    /// "The TLS handshake failed": a value for the log, never for the wire.
    static let tlsHandshake = CloseCode(rawValue: 1015)

    static let tokenExpired = CloseCode(rawValue: 4001)
    static let differentUser = CloseCode(rawValue: 4002)
    static let revoked = CloseCode(rawValue: 4003)
    static let forbidden = CloseCode(rawValue: 4004)
    static let tooSlow = CloseCode(rawValue: 4008)
    static let replaced = CloseCode(rawValue: 4009)
    static let rateLimited = CloseCode(rawValue: 4029)

    /// Whether a peer may put this code into a close frame. 1004 is reserved, 1005, 1006 and 1015 stand for the
    /// absence of a code, 1016–2999 are not assigned, and nothing is defined outside 1000–4999 (§7.4.2).
    var mayBeReceived: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// Whether this code may go out in a close frame: the same rule. That covers 1010, which is a client's alone to
    /// choose, because a close is answered with the code that came (§5.5.1).
    var mayBeSent: Bool { mayBeReceived }
}
