import Testing

@testable import TiffinLiveCore

@Suite("Contract 6: the table of endings")
struct DisconnectReasonTests {
    static let table: [(DisconnectReason, UInt16?, String)] = [
        (.tokenExpired, 4001, "token_expired"), (.differentUser, 4002, "different_user"), (.revoked, 4003, "revoked"),
        (.forbidden, 4004, "forbidden"), (.tooSlow, 4008, "too_slow"), (.replaced, 4009, "replaced"),
        (.rateLimited, 4029, "rate_limited"), (.restart, 1012, "restart"), (.maximumAge, 1012, "max_age"),
        (.goingAway, 1001, "going_away"), (.operatorRequest, 1012, "operator"),
        (.protocolError, 1002, "protocol_error"),
        (.unsupportedData, 1003, "unsupported_data"), (.invalidPayload, 1007, "invalid_payload"),
        (.messageTooBig, 1009, "message_too_big"),
        (.clientClosed, nil, "client_closed"), (.peerGone, nil, "peer_gone"),
        (.connectionReset, nil, "connection_reset"), (.heartbeatTimeout, nil, "heartbeat_timeout"),
        (.handshakeTimeout, nil, "handshake_timeout"), (.refused, nil, "refused"),
    ]

    @Test("every reason has its code and its word", arguments: table)
    func rows(reason: DisconnectReason, code: UInt16?, word: String) {
        #expect(reason.closeCode?.rawValue == code)
        #expect(reason.word == word)
    }

    @Test("the table is whole, words are unique, and every code may be on the wire")
    func whole() {
        #expect(Self.table.count == DisconnectReason.allCases.count)
        #expect(Set(DisconnectReason.allCases.map(\.word)).count == DisconnectReason.allCases.count)
        #expect(DisconnectReason.allCases.compactMap(\.closeCode).allSatisfy { $0.mayBeSent })
    }

    @Test("only whoever lost the right, or is too slow, loses what is queued")
    func discards() {
        let losing = DisconnectReason.allCases.filter { !$0.keepsQueuedOutput }
        #expect(losing == [.differentUser, .revoked, .forbidden, .tooSlow])
    }

    @Test(
        "a code that an operator chose has the word that goes with it, and operator when none does",
        arguments: [
            (4003, "revoked"), (4029, "rate_limited"), (1012, "restart"), (1001, "going_away"), (3000, "operator"),
            (1000, "operator"),
        ] as [(UInt16, String)])
    func operatorCodes(code: UInt16, word: String) {
        #expect(DisconnectReason.word(for: CloseCode(rawValue: code)) == word)
    }
}
