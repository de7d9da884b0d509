/// Why a revocation is ignored (on the channel, with a warning) or refused (400).
enum RevocationError: Error, Equatable, Sendable, CustomStringConvertible {
    case tooLarge
    case notJSON
    case notAnObject
    case namesNobody
    case badMember(String)

    var description: String {
        switch self {
        case .tooLarge: "larger than 64 KiB"
        case .notJSON: "not valid JSON"
        case .notAnObject: "not a JSON object"
        case .namesNobody: "none of user_id, jti, session"
        case .badMember(let name): "\(name) has the wrong type or value"
        }
    }
}
