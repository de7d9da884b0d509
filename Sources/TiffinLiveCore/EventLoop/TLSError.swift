internal import COpenSSL

/// Why a TLS connection is over (RFC 8446 section 6). Fixed words and numbers only: nothing that the peer sent beyond
/// the code of its alert, and nothing secret, so every case may be logged.
enum TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A plain HTTP request on a TLS port.
    case plaintextHTTP
    /// Bytes that are no TLS record.
    case notTLS
    /// The peer knows TLS 1.1 at most.
    case unsupportedVersion
    case noSharedCipher
    /// The client offered protocols (ALPN), and none of them is http/1.1.
    case noApplicationProtocol
    /// The peer gave up: the description of its alert.
    case alert(UInt8)
    /// The server's certificate is not to be trusted: the code and the words of the check.
    case certificate(Int, reason: String)
    /// The stream ended without a close_notify, so it may have been cut.
    case truncated
    /// Something to send before the handshake was done, or after the own end.
    case notOpen
    /// Any other breach: libssl's words for it.
    case protocolViolation(reason: String)

    /// For metrics, a word a kind.
    var word: String {
        switch self {
        case .plaintextHTTP: "plain_http"
        case .notTLS: "not_tls"
        case .unsupportedVersion: "unsupported_version"
        case .noSharedCipher: "no_shared_cipher"
        case .noApplicationProtocol: "no_application_protocol"
        case .alert: "alert"
        case .certificate: "certificate"
        case .truncated: "truncated"
        case .notOpen: "not_open"
        case .protocolViolation: "protocol_violation"
        }
    }

    var description: String {
        switch self {
        case .plaintextHTTP: "plain HTTP on a TLS port"
        case .notTLS: "no TLS"
        case .unsupportedVersion: "a version of TLS below 1.2"
        case .noSharedCipher: "no cipher in common"
        case .noApplicationProtocol: "no application protocol in common"
        case .alert(let code): "the peer sent alert \(code)"
        case .certificate(_, let reason): "certificate: \(reason)"
        case .truncated: "ended without close_notify"
        case .notOpen: "not open"
        case .protocolViolation(let reason): reason
        }
    }

    /// Reads the error queue of this thread and empties it. `ssl` is the connection whose call failed.
    static func taken(from ssl: OpaquePointer) -> TLSError {
        let code = ERR_peek_error()
        let reason = tiffin_error_reason(code)
        defer { ERR_clear_error() }
        guard code != 0, tiffin_error_library(code) == ERR_LIB_SSL else {
            return .protocolViolation(reason: Self.words(code))
        }
        // libssl numbers the reasons of received alerts from 1000 on.
        if reason > SSL_AD_REASON_OFFSET, let alert = UInt8(exactly: reason - SSL_AD_REASON_OFFSET) {
            return .alert(alert)
        }
        switch reason {
        case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST:
            return .plaintextHTTP
        case SSL_R_WRONG_VERSION_NUMBER:
            return .notTLS
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, SSL_R_UNKNOWN_PROTOCOL, SSL_R_WRONG_SSL_VERSION:
            return .unsupportedVersion
        case SSL_R_NO_SHARED_CIPHER:
            return .noSharedCipher
        case SSL_R_NO_APPLICATION_PROTOCOL:
            return .noApplicationProtocol
        case SSL_R_CERTIFICATE_VERIFY_FAILED:
            let result = SSL_get_verify_result(ssl)
            return .certificate(result, reason: String(cString: X509_verify_cert_error_string(result)))
        default:
            return .protocolViolation(reason: Self.words(code))
        }
    }

    private static func words(_ code: UInt) -> String {
        guard code != 0, let words = ERR_reason_error_string(code) else { return "unknown" }
        return String(cString: words)
    }
}
