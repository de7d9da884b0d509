/// Cuts request heads out of a connection's bytes (RFC 9112 §2).
///
/// Linear in the bytes however they are split, and bounded: no more than `headLimit` bytes are ever kept. A head that
/// comes whole in one read is read where it lies and copied once, into the request's fields; only a partial head is
/// kept here. After an error the connection cannot be read any further and the decoder must not be used again.
/// Bodies, and whatever follows an upgrade, are left in the caller's hands.
struct HTTPRequestDecoder {
    private let headLimit: Int
    private var scanner = RequestHeadScanner()
    /// The head so far; nil while nothing of one has come.
    private var partial: ByteBuffer?

    /// `headLimit`: bytes from the first one of the request to the end of the empty line, all included.
    init(headLimit: Int = 32 * 1024) {
        self.headLimit = min(max(headLimit, 64), 1 << 30)
    }

    /// Whether part of a head has come: the end of the stream would cut a request in two.
    var isInsideHead: Bool { partial != nil }

    /// Takes the next bytes of the connection and gives the request once its head is whole. `consumed` is set to how
    /// many of `bytes` belong to the head: all of them as long as it is not whole.
    mutating func receive(
        _ bytes: UnsafeRawBufferPointer, consumed: inout Int
    ) throws(HTTPError) -> HTTPRequest? {
        consumed = 0
        guard !bytes.isEmpty else { return nil }
        let before = partial?.count ?? 0
        let taken = UnsafeRawBufferPointer(rebasing: bytes[..<min(bytes.count, headLimit - before)])
        var head = taken
        if let partial {
            partial.append(taken)
            head = partial.bytes
        }
        guard let length = try scanner.scan(head) else {
            // A limit that is reached with the head unfinished cannot be kept any more: do not wait for the next byte.
            guard head.count < headLimit else { throw scanner.line == nil ? .targetTooLong : .headTooLarge }
            if partial == nil {
                let buffer = ByteBuffer(capacity: max(512, taken.count))
                buffer.append(taken)
                partial = buffer
            }
            consumed = bytes.count
            return nil
        }
        consumed = length - before
        return finish(UnsafeRawBufferPointer(rebasing: head[..<length]))
    }

    private mutating func finish(_ head: UnsafeRawBufferPointer) -> HTTPRequest? {
        guard let line = scanner.line else { return nil }
        let request = HTTPRequest(
            method: line.method, target: line.target, version: line.version,
            fields: HTTPFields(head: Array(head), lines: scanner.fieldLines),
            contentLength: scanner.framing.contentLength, isChunked: scanner.framing.isChunked,
            expectsContinue: scanner.framing.expectsContinue, keepsAlive: scanner.framing.keepsAlive(line.version))
        scanner = RequestHeadScanner()
        partial = nil
        return request
    }
}
