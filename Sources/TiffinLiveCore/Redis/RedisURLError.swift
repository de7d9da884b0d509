/// What is wrong with the text of a `RedisURL`; the text itself is never repeated.
enum RedisURLError: Error, Equatable, Sendable, CustomStringConvertible {
    case unknownScheme
    case malformed
    case malformedCredentials
    case malformedHost
    case malformedPort
    case malformedDatabase

    var description: String {
        switch self {
        case .unknownScheme: "begins with none of redis://, rediss:// and unix:"
        case .malformed: "is not of the form redis://user:password@host:port/database or unix:/path?db=0"
        case .malformedCredentials: "has a user or password that is not percent-encoded"
        case .malformedHost: "has no host that could be a name or an address"
        case .malformedPort: "has a port that is no number from 1 to 65535"
        case .malformedDatabase: "has a database that is no number"
        }
    }
}
