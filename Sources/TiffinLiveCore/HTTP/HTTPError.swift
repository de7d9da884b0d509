/// Why a request cannot be served, as the status to answer with (RFC 9110 §15) and the word in the JSON body.
///
/// After an error of the request head or of its framing the connection must be closed: where the next request begins
/// is no longer known (RFC 9112 §9.3). Nothing of the request's own bytes is in here, so an error may be logged.
struct HTTPError: Error, Equatable, Sendable {
    let status: Int
    /// The machine-readable word, such as `bad_request`.
    let error: String
    /// One fixed phrase for the log; never text from outside.
    let detail: String

    init(status: Int, error: String, detail: String = "") {
        self.status = status
        self.error = error
        self.detail = detail
    }

    static func badRequest(_ detail: String) -> HTTPError {
        HTTPError(status: 400, error: "bad_request", detail: detail)
    }

    static let targetTooLong = HTTPError(
        status: 414, error: "uri_too_long", detail: "the request line is longer than the limit for a head")
    static let headTooLarge = HTTPError(
        status: 431, error: "head_too_large", detail: "the head is longer than the limit for a head")
    static let tooManyFields = HTTPError(
        status: 431, error: "head_too_large", detail: "more fields than a head may have")
    static let versionNotSupported = HTTPError(
        status: 505, error: "version_not_supported", detail: "neither HTTP/1.0 nor HTTP/1.1")
    static let methodTooLong = HTTPError(
        status: 501, error: "not_implemented", detail: "a method longer than any that exists")
    static let codingNotImplemented = HTTPError(
        status: 501, error: "not_implemented", detail: "a transfer coding besides chunked")
    static let lengthRequired = HTTPError(
        status: 411, error: "length_required", detail: "a chunked body where Content-Length is asked for")
    static let contentTooLarge = HTTPError(
        status: 413, error: "content_too_large", detail: "a body longer than the limit for a body")
}
