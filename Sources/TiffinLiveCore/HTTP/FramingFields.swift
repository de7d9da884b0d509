/// What the fields say about the message itself: where it ends (RFC 9112 §6), whether the connection goes on (§9.3),
/// which host is meant (RFC 9110 §7.2). Noted line by line as a head is read, judged at its end.
///
/// Everything that two readers of one request could understand differently is an error: that is what smuggled
/// requests are made of.
struct FramingFields: Sendable {
    private var hasHost = false
    private var length: Int?
    private var codings = Codings.none
    private var connectionClose = false
    private var connectionKeepAlive = false
    private(set) var expectsContinue = false

    private enum Codings: Equatable {
        case none
        case chunked
        case otherThenChunked
    }

    /// 0 when no Content-Length was sent.
    var contentLength: Int { length ?? 0 }
    var isChunked: Bool { codings == .chunked }

    func keepsAlive(_ version: HTTPVersion) -> Bool {
        switch version {
        case .http11: !connectionClose
        case .http10: connectionKeepAlive && !connectionClose
        }
    }

    /// Takes one field line; most are told by the length of their name to be none of its business.
    mutating func note(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) throws(HTTPError) {
        switch name.count {
        case 4 where FieldList.equals(name, "host"): try noteHost(value)
        case 6 where FieldList.equals(name, "expect"):
            if FieldList.equals(value, "100-continue") { expectsContinue = true }
        case 10 where FieldList.equals(name, "connection"): noteConnection(value)
        case 14 where FieldList.equals(name, "content-length"): try noteLength(value)
        case 17 where FieldList.equals(name, "transfer-encoding"): try noteCodings(value)
        default: break
        }
    }

    /// The rules that need the whole head.
    mutating func finish(_ version: HTTPVersion) throws(HTTPError) {
        if version == .http11, !hasHost { throw .badRequest("no Host field") }
        // RFC 9110 §10.1.1: a server must ignore the expectation of an HTTP/1.0 client.
        if version == .http10 { expectsContinue = false }
        guard codings != .none else { return }
        if length != nil { throw .badRequest("both Transfer-Encoding and Content-Length") }
        if version == .http10 { throw .badRequest("Transfer-Encoding in an HTTP/1.0 request") }
        if codings == .otherThenChunked { throw .codingNotImplemented }
    }

    private mutating func noteHost(_ value: UnsafeRawBufferPointer) throws(HTTPError) {
        if hasHost { throw .badRequest("two Host fields") }
        guard Authority.isValid(value) else { throw .badRequest("a malformed Host field") }
        hasHost = true
    }

    private mutating func noteConnection(_ value: UnsafeRawBufferPointer) {
        FieldList.forEachElement(of: value) { element in
            if FieldList.equals(element, "close") { connectionClose = true }
            if FieldList.equals(element, "keep-alive") { connectionKeepAlive = true }
        }
    }

    /// RFC 9110 §8.6 lets a server take equal values that came twice; nobody sends them in good faith.
    private mutating func noteLength(_ value: UnsafeRawBufferPointer) throws(HTTPError) {
        if length != nil { throw .badRequest("two Content-Length fields") }
        guard !value.isEmpty else { throw .badRequest("a malformed Content-Length") }
        var number = 0
        for byte in value {
            guard ASCII.isDigit(byte) else { throw .badRequest("a malformed Content-Length") }
            let (tenfold, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(Int(byte - ASCII.zero))
            guard !overflow, !carry else { throw .badRequest("a Content-Length beyond all bounds") }
            number = sum
        }
        length = number
    }

    /// Chunked must come once and last, or the end of the body is unknown: 400 (RFC 9112 §6.3). Another coding
    /// before it is understood as framing but not implemented: 501 (§6.1).
    private mutating func noteCodings(_ value: UnsafeRawBufferPointer) throws(HTTPError) {
        if codings != .none { throw .badRequest("two Transfer-Encoding fields") }
        var others = 0
        var chunked = 0
        var isChunkedLast = false
        FieldList.forEachElement(of: value) { element in
            isChunkedLast = FieldList.equals(element, "chunked")
            if isChunkedLast { chunked += 1 } else { others += 1 }
        }
        guard isChunkedLast, chunked == 1 else {
            throw .badRequest("a Transfer-Encoding that does not end in one chunked")
        }
        codings = others == 0 ? .chunked : .otherThenChunked
    }
}
