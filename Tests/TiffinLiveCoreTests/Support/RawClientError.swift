/// Why a test client gave up. Thrown out of a test it fails it with this text.
enum RawClientError: Error, Equatable, CustomStringConvertible {
    /// A system call failed.
    case system(operation: String, errno: Int32)
    /// The safety net: what was waited for did not come.
    case timedOut(waitingFor: String)
    /// The connection ended where more was due; `received` is what had come of it.
    case ended(StreamEnd, waitingFor: String, received: [UInt8])
    /// The server broke the protocol.
    case malformed(String)
    /// The server kept to the protocol, but this is not what the test expected.
    case unexpected(String)

    var description: String {
        switch self {
        case .system(let operation, let number): "\(operation): errno \(number)"
        case .timedOut(let what): "timed out waiting for \(what)"
        case .ended(let end, let what, let received):
            "connection \(end) while waiting for \(what), after \(received.count) bytes: "
                + String(decoding: received.prefix(200), as: UTF8.self)
        case .malformed(let what): "malformed: \(what)"
        case .unexpected(let what): "unexpected: \(what)"
        }
    }
}
