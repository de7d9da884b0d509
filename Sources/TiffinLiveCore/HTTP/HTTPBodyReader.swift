/// Reads a body whose length was announced (RFC 9112 §6.2), for the few requests that have one.
///
/// A body that is too long is refused before its first byte. A chunked one is refused with 411, which tells the
/// client the remedy: send a Content-Length. (501 is for codings that are not understood, which the decoder has
/// refused already.) Both mean that the connection must be closed. Bounded by `limit`; nothing is reserved in advance
/// for a body that may never come.
struct HTTPBodyReader {
    private var missing: Int
    private var body: [UInt8] = []

    init(_ request: HTTPRequest, limit: Int) throws(HTTPError) {
        if request.isChunked { throw .lengthRequired }
        guard request.contentLength <= limit else { throw .contentTooLarge }
        missing = max(request.contentLength, 0)
    }

    /// Takes the next bytes and gives the body once it is whole, which for an empty one is at the first call, also
    /// with no bytes. `consumed` is set to how many of `bytes` belong to the body.
    mutating func receive(_ bytes: UnsafeRawBufferPointer, consumed: inout Int) -> [UInt8]? {
        consumed = min(bytes.count, missing)
        body.append(contentsOf: bytes[..<consumed])
        missing -= consumed
        guard missing == 0 else { return nil }
        let whole = body
        body = []
        return whole
    }
}
