internal import COpenSSL

/// What the TLS connections of one side share (RFC 8446, RFC 5246): the server's certificate and key, or the client's
/// trust. TLS 1.2 and 1.3, ALPN `http/1.1`, resumption by tickets.
///
/// A context never changes. A new certificate is a new context for the connections that come after; those that are open
/// keep theirs alive. A new context has new ticket keys, so their clients do one whole handshake more.
///
/// Unchecked: the `SSL_CTX` is configured in full before `init` returns and only read afterwards; libssl counts its
/// references atomically and locks its ticket keys, so the loops of all threads make connections of one context.
final class TLSContext: @unchecked Sendable {
    enum Side: Sendable {
        case server
        case client
    }

    /// Whom a client trusts.
    enum Authorities: Sendable {
        /// The system's store.
        case system
        /// These certificates and no others.
        case pem([UInt8])
    }

    let side: Side
    /// When the server's own certificate ends (wall clock); 0 for a client.
    let certificateEnd: Nanoseconds
    /// `SSL_CTX`, owned.
    let pointer: OpaquePointer

    private init(side: Side, adopting pointer: OpaquePointer, certificateEnd: Nanoseconds) {
        self.side = side
        self.pointer = pointer
        self.certificateEnd = certificateEnd
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    /// `certificateChain`: the server's certificate and then those that lead to the authority; `key`: its private key.
    /// Both in PEM form; what is not PEM between the blocks is skipped.
    static func server(certificateChain: [UInt8], key: [UInt8]) throws(TLSSetupError) -> TLSContext {
        ERR_clear_error()
        defer { ERR_clear_error() }
        let context = try make(TLS_server_method())
        do throws(TLSSetupError) {
            guard tiffin_tls_configure_server(context) == 1 else { throw refusal() }
            let end = try use(certificateChain: certificateChain, in: context)
            try use(key: key, in: context)
            return TLSContext(side: .server, adopting: context, certificateEnd: end)
        } catch {
            SSL_CTX_free(context)
            throw error
        }
    }

    static func client(trusting authorities: Authorities = .system) throws(TLSSetupError) -> TLSContext {
        ERR_clear_error()
        defer { ERR_clear_error() }
        let context = try make(TLS_client_method())
        do throws(TLSSetupError) {
            tiffin_tls_configure_client(context)
            try trust(authorities, in: context)
            return TLSContext(side: .client, adopting: context, certificateEnd: 0)
        } catch {
            SSL_CTX_free(context)
            throw error
        }
    }

    private static func make(_ method: OpaquePointer?) throws(TLSSetupError) -> OpaquePointer {
        guard let context = SSL_CTX_new(method) else { throw refusal() }
        guard tiffin_tls_configure(context) == 1 else {
            SSL_CTX_free(context)
            throw refusal()
        }
        return context
    }

    // MARK: - PEM

    /// The end of the first certificate's life.
    private static func use(
        certificateChain: [UInt8], in context: OpaquePointer
    ) throws(TLSSetupError) -> Nanoseconds {
        var end: Nanoseconds?
        try forEachCertificate(in: certificateChain) { certificate throws(TLSSetupError) in
            if end == nil {
                guard SSL_CTX_use_certificate(context, certificate) == 1 else { throw refusal() }
                let (product, overflow) = tiffin_certificate_end(certificate).multipliedReportingOverflow(by: .second)
                end = overflow ? .max : product
            } else {
                guard tiffin_tls_add_chain(context, certificate) == 1 else { throw refusal() }
            }
        }
        guard let end else { throw .noCertificate }
        return end
    }

    private static func use(key: [UInt8], in context: OpaquePointer) throws(TLSSetupError) {
        guard let source = tiffin_bio_over(key, key.count) else { throw .noKey }
        defer { BIO_free(source) }
        var wasAsked: Int32 = 0
        guard let pointer = PEM_read_bio_PrivateKey(source, nil, tiffin_no_password, &wasAsked) else {
            throw wasAsked == 1 ? .encryptedKey : .noKey
        }
        defer { EVP_PKEY_free(pointer) }
        // Each of these finds a key that belongs to another certificate.
        guard SSL_CTX_use_PrivateKey(context, pointer) == 1, SSL_CTX_check_private_key(context) == 1 else {
            let code = ERR_peek_last_error()
            // A key of another kind than the certificate's has no certificate.
            let isLonely =
                tiffin_error_library(code) == ERR_LIB_SSL && tiffin_error_reason(code) == SSL_R_NO_CERTIFICATE_ASSIGNED
            throw isLonely || tiffin_error_library(code) == ERR_LIB_X509 ? .keyMismatch : refusal()
        }
    }

    private static func trust(_ authorities: Authorities, in context: OpaquePointer) throws(TLSSetupError) {
        switch authorities {
        case .system:
            guard SSL_CTX_set_default_verify_paths(context) == 1 else { throw refusal() }
        case .pem(let text):
            let store = SSL_CTX_get_cert_store(context)
            var count = 0
            try forEachCertificate(in: text) { certificate throws(TLSSetupError) in
                guard X509_STORE_add_cert(store, certificate) == 1 else { throw refusal() }
                count += 1
            }
            guard count > 0 else { throw .noCertificate }
            // An intermediate that was named is trusted as it is.
            X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        }
    }

    private static func forEachCertificate(
        in text: [UInt8], _ body: (OpaquePointer) throws(TLSSetupError) -> Void
    ) throws(TLSSetupError) {
        guard let source = tiffin_bio_over(text, text.count) else { throw .noCertificate }
        defer { BIO_free(source) }
        while let certificate = PEM_read_bio_X509(source, nil, tiffin_no_password, nil) {
            defer { X509_free(certificate) }
            try body(certificate)
        }
        guard tiffin_pem_ended() == 1 else { throw .badCertificate }
        ERR_clear_error()
    }

    private static func refusal() -> TLSSetupError {
        let code = ERR_peek_last_error()
        guard code != 0, let words = ERR_reason_error_string(code) else { return .refused(reason: "refused by libssl") }
        return .refused(reason: String(cString: words))
    }
}
