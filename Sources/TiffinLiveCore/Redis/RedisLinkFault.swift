/// Why a link to Redis ended, or did not come about. The texts go to logs: they never hold a password, nor anything
/// that Redis said in answer to one.
enum RedisLinkFault: Error, Equatable, Sendable {
    case unresolved(String)
    case unreachable(String)
    case connectTimedOut
    case tls(String)
    case closedByPeer
    /// Connected, and then a system call failed.
    case broken(String)
    /// No answer for too long.
    case silent
    case greetingTimedOut
    /// A wrong password or user.
    case wrongPassword
    /// Redis asks for a password and none is configured, or it was set after the link had begun.
    case passwordRequired
    case loading
    /// A replica, perhaps one that was the primary until now.
    case readOnly
    /// A replica without its primary.
    case primaryDown
    case databaseRefused(code: String)
    case tooManyClients
    /// Any other error while the link was set up.
    case refused(code: String)
    case malformed(RESPError)
    /// A reply or confirmation that belongs to nothing.
    case outOfStep
    /// The name has other addresses now.
    case moved
    /// By the owner.
    case stopped

    /// For metrics and logs: one word a kind.
    var word: String {
        switch self {
        case .unresolved: "unresolved"
        case .unreachable: "unreachable"
        case .connectTimedOut: "connect_timed_out"
        case .tls: "tls"
        case .closedByPeer: "closed"
        case .broken: "broken"
        case .silent: "silent"
        case .greetingTimedOut: "greeting_timed_out"
        case .wrongPassword: "wrong_password"
        case .passwordRequired: "password_required"
        case .loading: "loading"
        case .readOnly: "read_only"
        case .primaryDown: "primary_down"
        case .databaseRefused: "database_refused"
        case .tooManyClients: "too_many_clients"
        case .refused: "refused"
        case .malformed: "malformed"
        case .outOfStep: "out_of_step"
        case .moved: "moved"
        case .stopped: "stopped"
        }
    }
}

extension RedisLinkFault: CustomStringConvertible {
    var description: String {
        switch self {
        case .unresolved(let text): "its name cannot be resolved: \(text)"
        case .unreachable(let text): "cannot be reached: \(text)"
        case .connectTimedOut: "cannot be reached: no answer to the attempt to connect"
        case .tls(let text): "TLS: \(text)"
        case .closedByPeer: "closed the connection"
        case .broken(let text): "the connection broke: \(text)"
        case .silent: "does not answer any more"
        case .greetingTimedOut: "accepted the connection and does not answer"
        case .wrongPassword: "refused the user or the password"
        case .passwordRequired: "asks for a password"
        case .loading: "is loading its data"
        case .readOnly: "is a replica and takes no writes"
        case .primaryDown: "is a replica and has lost its primary"
        case .databaseRefused(let code): "refused the number of the database (\(code))"
        case .tooManyClients: "has too many clients"
        case .refused(let code): "refused the connection (\(code))"
        case .malformed(let error): "sent what is no Redis protocol (\(error))"
        case .outOfStep: "sent an answer to no question"
        case .moved: "was left: its name points elsewhere now"
        case .stopped: "was left"
        }
    }

    /// The fault that an error of this code is for the link as a whole, or nil when it concerns its command only.
    init?(errorCode: String) {
        switch errorCode {
        case "NOAUTH": self = .passwordRequired
        case "LOADING": self = .loading
        case "READONLY": self = .readOnly
        case "MASTERDOWN": self = .primaryDown
        default: return nil
        }
    }
}
