/// A request head that was read whole and found well formed (RFC 9112 §2 to §6). The body, if one is announced, is
/// for `HTTPBodyReader`; what the method, the target and the fields ask for is for the session.
package struct HTTPRequest: Sendable {
    /// As sent; methods are case-sensitive (RFC 9110 §9.1).
    package let method: String
    package let target: RequestTarget
    let version: HTTPVersion
    package let fields: HTTPFields
    /// 0 when the request has no Content-Length.
    let contentLength: Int
    let isChunked: Bool
    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
    let expectsContinue: Bool
    /// Whether the client is willing to send another request on this connection (RFC 9112 §9.3).
    let keepsAlive: Bool

    init(
        method: String, target: RequestTarget, version: HTTPVersion = .http11, fields: HTTPFields = HTTPFields(),
        contentLength: Int = 0, isChunked: Bool = false, expectsContinue: Bool = false, keepsAlive: Bool = true
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.fields = fields
        self.contentLength = contentLength
        self.isChunked = isChunked
        self.expectsContinue = expectsContinue
        self.keepsAlive = keepsAlive
    }

    var hasBody: Bool { isChunked || contentLength > 0 }
}
