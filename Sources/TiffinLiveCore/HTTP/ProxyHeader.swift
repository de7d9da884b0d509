/// What a balancer says in a PROXY protocol header about the connection that it carries (haproxy.org,
/// "The PROXY protocol", versions 1 and 2).
struct ProxyHeader: Equatable, Sendable {
    /// The client's address; nil when the header speaks of no client (LOCAL, UNKNOWN, or a family that has no IP
    /// address): the socket's own peer then counts.
    let source: IPAddress?
}
