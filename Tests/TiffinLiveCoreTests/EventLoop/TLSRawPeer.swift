internal import COpenSSL

@testable import TiffinLiveCore

/// A client that uses libssl in its plainest form and nothing of `TLSStream`, so that one fault cannot sit on both sides.
/// Trusts everybody and can be told to speak old versions and odd protocols.
final class TLSRawPeer {
    private let context: OpaquePointer
    let pointer: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer

    enum Failure: Error { case refused }

    /// `protocols` is the wire form of ALPN (RFC 7301): names with a length in front. `session` is one of an earlier
    /// peer's, to be resumed.
    init(
        minimum: Int32 = TLS1_2_VERSION, maximum: Int32 = TLS1_3_VERSION, protocols: [UInt8] = [],
        ciphers: String = "DEFAULT", session: TLSSession? = nil
    ) throws {
        defer { ERR_clear_error() }
        guard let context = SSL_CTX_new(TLS_client_method()), let incoming = BIO_new(BIO_s_mem()),
            let outgoing = BIO_new(BIO_s_mem())
        else { throw Failure.refused }
        self.context = context
        // SSL_CTX_set_min_proto_version and its twin are macros over these two.
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(minimum), nil)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(maximum), nil)
        guard SSL_CTX_set_cipher_list(context, ciphers) == 1, let ssl = SSL_new(context) else { throw Failure.refused }
        if !protocols.isEmpty { SSL_set_alpn_protos(ssl, protocols, UInt32(protocols.count)) }
        // A memory BIO that is empty is not at its end.
        BIO_ctrl(incoming, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, nil)
        BIO_ctrl(outgoing, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, nil)
        SSL_set_bio(ssl, incoming, outgoing)
        SSL_set_connect_state(ssl)
        if let session, SSL_set_session(ssl, session.pointer) != 1 { throw Failure.refused }
        pointer = ssl
        self.incoming = incoming
        self.outgoing = outgoing
    }

    deinit {
        // Without this libssl takes a connection that was only let go for a bad one, and its session for bad too.
        SSL_set_shutdown(pointer, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        SSL_free(pointer)
        SSL_CTX_free(context)
    }

    var isResumed: Bool { SSL_session_reused(pointer) == 1 }

    /// For a later peer; nil before the server has handed out a ticket.
    var session: TLSSession? {
        guard let session = SSL_get1_session(pointer) else { return nil }
        guard SSL_SESSION_is_resumable(session) == 1 else {
            SSL_SESSION_free(session)
            return nil
        }
        return TLSSession(adopting: session)
    }

    /// Whether the handshake is done; false while it goes on or when it failed.
    @discardableResult
    func shakeHands() -> Bool {
        defer { ERR_clear_error() }
        return SSL_do_handshake(pointer) == 1
    }

    func feed(_ bytes: [UInt8]) {
        var fed = 0
        while fed < bytes.count {
            fed += bytes.withUnsafeBytes {
                Int(BIO_write(incoming, $0.baseAddress?.advanced(by: fed), Int32(bytes.count - fed)))
            }
        }
    }

    /// Takes the records that it wants to send.
    func takeOutput() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(BIO_ctrl_pending(outgoing)))
        guard !bytes.isEmpty else { return [] }
        let count = BIO_read(outgoing, &bytes, Int32(bytes.count))
        return Array(bytes.prefix(Int(max(count, 0))))
    }

    func write(_ text: [UInt8]) {
        SSL_write(pointer, text, Int32(text.count))
    }

    func read() -> [UInt8] {
        defer { ERR_clear_error() }
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = SSL_read(pointer, &chunk, Int32(chunk.count))
            guard count > 0 else { return all }
            all += chunk.prefix(Int(count))
        }
    }

    /// The peer's close_notify has come.
    var hasReceivedClose: Bool { SSL_get_shutdown(pointer) & SSL_RECEIVED_SHUTDOWN != 0 }

    func close() {
        SSL_shutdown(pointer)
    }

    /// Asks for new traffic keys on both sides (RFC 8446 section 4.6.3).
    func updateKeys() {
        SSL_key_update(pointer, SSL_KEY_UPDATE_REQUESTED)
        SSL_do_handshake(pointer)
    }

    /// Tries to begin a second handshake on a TLS 1.2 connection.
    func renegotiate() {
        SSL_renegotiate(pointer)
        SSL_do_handshake(pointer)
        ERR_clear_error()
    }

    /// The common name in the server's certificate.
    var serverName: String? {
        guard let certificate = SSL_get1_peer_certificate(pointer) else { return nil }
        defer { X509_free(certificate) }
        var text = [CChar](repeating: 0, count: 64)
        let count = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, &text, 64)
        return count < 0 ? nil : String(decoding: text.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
