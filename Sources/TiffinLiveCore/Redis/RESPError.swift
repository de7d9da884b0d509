/// Why the bytes of a peer are no RESP, or more of it than may be taken. The stream cannot be read on: nobody knows
/// where the next value begins, so the link is dropped.
enum RESPError: Error, Equatable, Sendable {
    case unknownType(UInt8)
    /// A line that does not end with CR LF, or data that is not followed by it.
    case malformedLineEnd
    case lineTooLong
    case malformedLength
    case malformedNumber
    case malformedBoolean
    case malformedVerbatimString
    case malformedNull
    /// A push inside another value.
    case misplacedPush
    case bulkTooLong
    case tooManyElements
    case tooDeep
    case replyTooLarge
}
