/// Writes the pieces of a response head (RFC 9112 §4, §5) so that no value, wherever it comes from, can end its line:
/// what cannot be in a field is left out. Splitting a response is thus impossible, not merely checked for.
enum ResponseHeadEncoder {
    /// Always names HTTP/1.1: the version of the server, not of the message (RFC 9112 §2.3).
    static func append(status: Int, to buffer: ByteBuffer) {
        buffer.append("HTTP/1.1 ")
        buffer.append(decimal: status)
        buffer.append(ASCII.space)
        buffer.append(reason(status))
        buffer.append("\r\n")
    }

    static func append(field name: StaticString, _ value: StaticString, to buffer: ByteBuffer) {
        buffer.append(name)
        buffer.append(": ")
        buffer.append(value)
        buffer.append("\r\n")
    }

    /// Control bytes are dropped from the value, and whatever is not `tchar` from the name; a field without a name is
    /// not written.
    static func append(field name: String, _ value: String, to buffer: ByteBuffer) {
        let start = buffer.count
        let token = ByteSet.token
        for byte in name.utf8 where token.contains(byte) { buffer.append(byte) }
        guard buffer.count > start else { return }
        buffer.append(": ")
        var value = value
        value.withUTF8 { ControlScan.append(withoutControls: UnsafeRawBufferPointer($0), to: buffer) }
        buffer.append("\r\n")
    }

    static func append(date: HTTPDate, to buffer: ByteBuffer) {
        buffer.append("Date: ")
        date.append(to: buffer)
        buffer.append("\r\n")
    }

    static func appendEnd(to buffer: ByteBuffer) {
        buffer.append("\r\n")
    }

    /// The reason phrases of the statuses in use (RFC 9110 §15, RFC 6585).
    static func reason(_ status: Int) -> StaticString {
        switch status {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 200: "OK"
        case 204: "No Content"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        // The phrase may be empty (RFC 9112 §4); clients go by the number.
        default: ""
        }
    }
}
