/// The three parts of a JWS in compact serialization (RFC 7515 §3.1), as views into the token. Splits with a bound and
/// decodes nothing; the JSON serializations and JWE's five parts do not pass.
struct CompactJWS {
    /// Bytes. A token of ours has some hundred.
    static let maximumSize = 16 * 1024

    let header: UnsafeRawBufferPointer
    let payload: UnsafeRawBufferPointer
    let signature: UnsafeRawBufferPointer
    /// Header, dot and payload: what the signature covers (RFC 7515 §5.1).
    let signingInput: UnsafeRawBufferPointer

    /// The views are valid as long as `token` is.
    init(_ token: UnsafeRawBufferPointer) throws(JWTError) {
        guard token.count <= Self.maximumSize else { throw .tooLarge }
        var dots = 0
        var first = 0
        var second = 0
        for index in token.indices where token[index] == ASCII.dot {
            dots += 1
            switch dots {
            case 1: first = index
            case 2: second = index
            default: throw .notThreeParts
            }
        }
        guard dots == 2, first > 0, second < token.count - 1 else { throw .notThreeParts }
        header = UnsafeRawBufferPointer(rebasing: token[..<first])
        payload = UnsafeRawBufferPointer(rebasing: token[(first + 1)..<second])
        signature = UnsafeRawBufferPointer(rebasing: token[(second + 1)...])
        signingInput = UnsafeRawBufferPointer(rebasing: token[..<second])
    }
}
