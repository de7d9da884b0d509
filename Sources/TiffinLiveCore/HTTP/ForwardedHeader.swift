/// Which field a balancer in front of us writes the client's address into.
enum ForwardedHeader: Equatable, Sendable {
    case xForwardedFor
    /// RFC 7239.
    case forwarded
}
