/// The protocol versions that are served (RFC 9112 §2.3). Every other one is answered 505.
enum HTTPVersion: Equatable, Sendable {
    case http10
    case http11
}
