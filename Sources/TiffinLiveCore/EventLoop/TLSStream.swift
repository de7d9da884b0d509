internal import COpenSSL

/// One TLS connection (RFC 8446, RFC 5246) without a socket: ciphertext and plaintext in, plaintext and ciphertext out.
/// A pure machine with one step per call; `TLSSocket` moves its bytes.
///
/// How a connection uses it: an optional `TLSSocket` beside its `Socket`, nil without TLS, so that a plain connection pays
/// for one check of a reference where it reads and one where it sends.
///
/// Records are read where they were received and written where they are sent from, so an idle connection owns no buffer
/// but for a record of which a part has come (16 KiB at most, libssl's). Belongs to one thread. The error queue of
/// libcrypto is empty before and after every call.
final class TLSStream {
    enum State: Equatable {
        case handshaking
        case established
        /// The own close_notify is written: nothing more to send, reading goes on.
        case closing
        case failed(TLSError)
    }

    /// The most plaintext that one record holds.
    static let recordLimit = 16_384

    private(set) var state = State.handshaking
    /// The peer's close_notify has come; what came behind it was dropped.
    private(set) var hasReceivedClose = false
    /// `SSL`, owned.
    let pointer: OpaquePointer
    /// A context lives as long as a connection of it.
    private let context: TLSContext
    /// A server's first record as far as it has come; nil once libssl has it. Whoever says half a hello and waits
    /// occupies these bytes and not the 64 KiB that libssl takes for a handshake.
    private var hello: [UInt8]?
    /// What is left of the ciphertext of the present call.
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Where the present call puts records; nil between calls.
    private var output: ByteBuffer?

    /// The server's end.
    convenience init(accepting context: TLSContext) throws(TLSSetupError) {
        precondition(context.side == .server)
        try self.init(context)
        SSL_set_accept_state(pointer)
        hello = []
    }

    /// A client's end. `host` is the name or the address that the server's certificate must hold; a name is sent along
    /// (SNI). `session` must be of an earlier connection to the same host.
    convenience init(
        connecting context: TLSContext, host: String, session: TLSSession? = nil
    ) throws(TLSSetupError) {
        precondition(context.side == .client)
        ERR_clear_error()
        defer { ERR_clear_error() }
        try self.init(context)
        SSL_set_connect_state(pointer)
        try expect(host)
        if let session, SSL_set_session(pointer, session.pointer) != 1 { throw .refused(reason: "session") }
    }

    private init(_ context: TLSContext) throws(TLSSetupError) {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let method = Self.method, let ssl = SSL_new(context.pointer) else { throw .refused(reason: "no memory") }
        pointer = ssl
        self.context = context
        guard let bio = BIO_new(method) else { throw .refused(reason: "no memory") }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        // One BIO for both directions, owned by the connection.
        SSL_set_bio(ssl, bio, bio)
    }

    deinit {
        switch state {
        case .handshaking, .failed: break
        case .established, .closing:
            // Without this libssl takes a connection that was only cut for a bad one, and its session for bad too.
            SSL_set_shutdown(pointer, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        }
        SSL_free(pointer)
    }

    private func expect(_ host: String) throws(TLSSetupError) {
        guard !host.isEmpty, !host.utf8.contains(0) else { throw .badHostName }
        var text = host
        let isAddress = text.withUTF8 { IPAddress(UnsafeRawBufferPointer($0)) != nil }
        if isAddress {
            guard X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(pointer), host) == 1 else { throw .badHostName }
            return
        }
        SSL_set_hostflags(pointer, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        guard SSL_set1_host(pointer, host) == 1, tiffin_tls_set_server_name(pointer, host) == 1 else {
            throw .badHostName
        }
    }

    // MARK: - What is known of the connection

    /// Such as `TLSv1.3`; only told once it is established.
    var version: String { String(cString: SSL_get_version(pointer)) }
    var cipher: String { String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(pointer))) }
    /// Whether an earlier session was taken up again.
    var isResumed: Bool { SSL_session_reused(pointer) == 1 }

    /// The protocol both agreed on (ALPN), nil when the client named none.
    var applicationProtocol: String? {
        var bytes: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(pointer, &bytes, &count)
        guard let bytes, count > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
    }

    /// For a client's next connection; nil before the server has handed out a ticket.
    func session() -> TLSSession? {
        guard let session = SSL_get1_session(pointer) else { return nil }
        guard SSL_SESSION_is_resumable(session) == 1 else {
            SSL_SESSION_free(session)
            return nil
        }
        return TLSSession(adopting: session)
    }

    // MARK: - Steps

    /// Begins a client's handshake. A server begins with what it receives.
    func start(output: ByteBuffer) throws(TLSError) {
        try step(UnsafeRawBufferPointer(start: nil, count: 0), output: output) { stream throws(TLSError) in
            try stream.shakeHands()
        }
    }

    /// Takes all of `ciphertext`: appends what it holds to `plaintext` and what must be answered to `output`. Also when
    /// this throws, `output` is to be sent, for it holds the alert.
    func receive(
        _ ciphertext: UnsafeRawBufferPointer, plaintext: ByteBuffer, output: ByteBuffer
    ) throws(TLSError) {
        guard var hello else { return try take(ciphertext, plaintext, output) }
        self.hello = nil
        hello.append(contentsOf: ciphertext)
        guard Self.isWholeRecord(hello) else {
            self.hello = hello
            return
        }
        let record = ByteBuffer(capacity: hello.count)
        record.append(hello)
        try take(record.bytes, plaintext, output)
    }

    /// Whether libssl is to see these bytes: a record that is there in full, or anything that is no handshake record of
    /// a bearable length.
    private static func isWholeRecord(_ bytes: [UInt8]) -> Bool {
        // RFC 8446 section 5.1: the type, two bytes of version, two of length.
        guard let type = bytes.first, type == UInt8(SSL3_RT_HANDSHAKE) else { return !bytes.isEmpty }
        guard bytes.count >= 5 else { return false }
        let length = Int(bytes[3]) << 8 | Int(bytes[4])
        return bytes.count - 5 >= length || length > recordLimit
    }

    private func take(
        _ ciphertext: UnsafeRawBufferPointer, _ plaintext: ByteBuffer, _ output: ByteBuffer
    ) throws(TLSError) {
        try step(ciphertext, output: output) { stream throws(TLSError) in
            if stream.state == .handshaking { try stream.shakeHands() }
            // Closed before it was established: libssl would go on with the handshake behind our end.
            guard SSL_is_init_finished(stream.pointer) == 1 else { return }
            try stream.read(into: plaintext)
        }
    }

    /// The records of `plaintext`, all of it.
    func send(_ plaintext: UnsafeRawBufferPointer, output: ByteBuffer) throws(TLSError) {
        guard !plaintext.isEmpty else { return }
        guard state == .established else {
            if case .failed(let error) = state { throw error }
            throw .notOpen
        }
        try step(UnsafeRawBufferPointer(start: nil, count: 0), output: output) { stream throws(TLSError) in
            var written = 0
            // The output takes everything, so that one call writes all records.
            let result = SSL_write_ex(stream.pointer, plaintext.baseAddress, plaintext.count, &written)
            guard result == 1, written == plaintext.count else { throw stream.fail(result) }
        }
    }

    /// The own end: a close_notify, unless the handshake was never done.
    func close(output: ByteBuffer) {
        guard state == .established || state == .handshaking else { return }
        if state == .established {
            // Cannot fail: the output takes everything, and the state says that the connection is sound.
            try? step(UnsafeRawBufferPointer(start: nil, count: 0), output: output) { stream in
                _ = SSL_shutdown(stream.pointer)
            }
        }
        state = .closing
    }

    /// The peer's stream has ended, which is only in order behind its close_notify (RFC 8446 section 6.1).
    func receiveEnd() throws(TLSError) {
        if case .failed(let error) = state { throw error }
        guard !hasReceivedClose else { return }
        if state != .closing { state = .failed(.truncated) }
        throw .truncated
    }

    // MARK: - Private

    private func step(
        _ ciphertext: UnsafeRawBufferPointer, output: ByteBuffer, _ body: (TLSStream) throws(TLSError) -> Void
    ) throws(TLSError) {
        if case .failed(let error) = state { throw error }
        ERR_clear_error()
        input = ciphertext
        self.output = output
        defer {
            input = UnsafeRawBufferPointer(start: nil, count: 0)
            self.output = nil
            ERR_clear_error()
        }
        try body(self)
    }

    private func shakeHands() throws(TLSError) {
        let result = SSL_do_handshake(pointer)
        if result == 1 {
            state = .established
        } else if SSL_get_error(pointer, result) != SSL_ERROR_WANT_READ {
            throw fail(result)
        }
    }

    private func read(into plaintext: ByteBuffer) throws(TLSError) {
        while !hasReceivedClose {
            var result: Int32 = 0
            plaintext.append(atMost: Self.recordLimit) { space in
                var count = 0
                result = SSL_read_ex(pointer, space.baseAddress, space.count, &count)
                return result == 1 ? count : 0
            }
            if result == 1 { continue }
            switch SSL_get_error(pointer, result) {
            case SSL_ERROR_WANT_READ: return
            case SSL_ERROR_ZERO_RETURN: hasReceivedClose = true
            default: throw fail(result)
            }
        }
    }

    private func fail(_ result: Int32) -> TLSError {
        let error = TLSError.taken(from: pointer)
        state = .failed(error)
        return error
    }

    // MARK: - Records

    /// How libssl gets at `input` and `output`; made once for the process.
    private nonisolated(unsafe) static let method: OpaquePointer? = tiffin_bio_method(
        { bio, bytes, count in TLSStream.of(bio)?.read(bio, bytes, count) ?? -1 },
        { bio, bytes, count in TLSStream.of(bio)?.write(bio, bytes, count) ?? -1 },
        { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 })

    private static func of(_ bio: OpaquePointer?) -> TLSStream? {
        BIO_get_data(bio).map { Unmanaged<TLSStream>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(_ bio: OpaquePointer?, _ bytes: UnsafeMutablePointer<CChar>?, _ limit: Int32) -> Int32 {
        guard let bytes, let source = input.baseAddress, !input.isEmpty, limit > 0 else {
            tiffin_bio_wants_read(bio)
            return -1
        }
        tiffin_bio_is_ready(bio)
        let count = min(input.count, Int(limit))
        UnsafeMutableRawPointer(bytes).copyMemory(from: source, byteCount: count)
        input = UnsafeRawBufferPointer(rebasing: input[count...])
        return Int32(count)
    }

    private func write(_ bio: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int32) -> Int32 {
        guard let output, let bytes, count > 0 else { return 0 }
        tiffin_bio_is_ready(bio)
        output.append(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        return count
    }
}
