/// Why a connection that must begin with a PROXY header does not. To be closed without a word: what is at the other
/// end speaks no HTTP, or not with our leave.
enum ProxyHeaderError: Error, Equatable, Sendable {
    case missing
    case malformed

    /// For logs and metrics.
    var word: String {
        switch self {
        case .missing: "proxy_header_missing"
        case .malformed: "proxy_header_malformed"
        }
    }
}
