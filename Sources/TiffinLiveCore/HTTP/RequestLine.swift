/// `method SP request-target SP HTTP-version` (RFC 9112 §3), read strictly: one space each, nothing around.
struct RequestLine: Sendable {
    let method: String
    let target: RequestTarget
    let version: HTTPVersion

    /// Longer than the name of any method in IANA's registry.
    static let maximumMethodLength = 32

    /// Reads a line without its line end. No byte of it may be a control byte; the caller has seen to that.
    static func read(_ line: UnsafeRawBufferPointer) throws(HTTPError) -> RequestLine {
        let token = ByteSet.token
        var methodEnd = 0
        while methodEnd < line.count, token.contains(line[methodEnd]) { methodEnd += 1 }
        guard methodEnd > 0, methodEnd < line.count, line[methodEnd] == ASCII.space else {
            throw .badRequest("a request line that does not begin with a method and a space")
        }
        guard methodEnd <= maximumMethodLength else { throw .methodTooLong }
        guard let lastSpace = line.lastIndex(of: ASCII.space), lastSpace > methodEnd else {
            throw .badRequest("a request line without a version")
        }
        let version = try readVersion(UnsafeRawBufferPointer(rebasing: line[(lastSpace + 1)...]))
        let method = UnsafeRawBufferPointer(rebasing: line[..<methodEnd])
        let target = try RequestTarget.read(
            UnsafeRawBufferPointer(rebasing: line[(methodEnd + 1)..<lastSpace]),
            isOptions: method.count == 7 && method.elementsEqual("OPTIONS".utf8))
        return RequestLine(method: String(decoding: method, as: UTF8.self), target: target, version: version)
    }

    /// `HTTP/` DIGIT `.` DIGIT, in this case only (RFC 9112 §2.3).
    private static func readVersion(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> HTTPVersion {
        let prefix: StaticString = "HTTP/"
        guard bytes.count == 8, ASCII.isDigit(bytes[5]), bytes[6] == ASCII.dot, ASCII.isDigit(bytes[7]) else {
            throw .badRequest("a malformed HTTP version")
        }
        for index in 0..<5 where bytes[index] != prefix.utf8Start[index] {
            throw .badRequest("a malformed HTTP version")
        }
        guard bytes[5] == ASCII.zero + 1 else { throw .versionNotSupported }
        switch bytes[7] {
        case ASCII.zero: return .http10
        case ASCII.zero + 1: return .http11
        default: throw .versionNotSupported
        }
    }
}
