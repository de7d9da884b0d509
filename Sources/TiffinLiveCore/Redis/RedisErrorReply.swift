/// An error that Redis answered to one command. The link goes on: the error is that command's reply.
struct RedisErrorReply: Equatable, Sendable {
    /// The first word when it is in capitals, such as `WRONGTYPE` or `NOSCRIPT`; else `ERR`.
    let code: String
    /// The whole text. An old server repeats arguments in it: the text of an error to HELLO or AUTH must never reach
    /// a log.
    let text: String

    init(code: String, text: String) {
        self.code = code
        self.text = text
    }

    init(_ line: UnsafeRawBufferPointer) {
        let word = line.prefix { $0 != ASCII.space }
        let isCode =
            !word.isEmpty && word.count <= 32
            && word.allSatisfy { ($0 >= 0x41 && $0 <= 0x5A) || ASCII.isDigit($0) || $0 == ASCII.underscore }
        code = isCode ? String(decoding: word, as: UTF8.self) : "ERR"
        text = String(decoding: line, as: UTF8.self)
    }
}
