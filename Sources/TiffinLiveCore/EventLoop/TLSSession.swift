internal import COpenSSL

/// What a client keeps of a connection so that the next one to the same server is resumed without a signature
/// (RFC 8446 section 2.2). Only for contexts and hosts that are the same as before: a resumed connection is not verified
/// anew.
final class TLSSession {
    /// `SSL_SESSION`, owned.
    let pointer: OpaquePointer

    init(adopting pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        SSL_SESSION_free(pointer)
    }
}
