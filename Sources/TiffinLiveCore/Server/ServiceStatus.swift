/// What `systemctl status` shows of a server, in words.
struct ServiceStatus: Equatable, Sendable {
    enum Stage: Equatable, Sendable {
        case starting, serving, waitingForBalancer, draining
    }

    var stage = Stage.starting
    /// Open sessions.
    var connections = 0
    /// Whether both links are up; nil without Redis.
    var isRedisUp: Bool?

    var text: String {
        let number = connections == 1 ? "1 connection" : "\(connections) connections"
        let redis = isRedisUp.map { $0 ? "; Redis is up" : "; Redis is down" } ?? ""
        return switch stage {
        case .starting: "Starting"
        case .serving: "Serving \(number)\(redis)"
        case .waitingForBalancer: "Stopping: no longer ready, \(number) open\(redis)"
        case .draining: "Stopping: \(number) to send away\(redis)"
        }
    }
}
