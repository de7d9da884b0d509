/// Why the credentials of a request are refused before anything is verified.
enum CredentialsError: Error, Equatable, Sendable {
    case repeatedAuthorization
    case differingTickets
    case tokenInURL
    case missing
    case malformedBearer
    case malformedTicket
    case tooManyCookies

    var status: Int {
        switch self {
        case .repeatedAuthorization, .differingTickets, .tokenInURL: 400
        case .missing, .malformedBearer, .malformedTicket, .tooManyCookies: 401
        }
    }

    /// The `error` of the JSON body (contract section 5).
    var code: String {
        switch self {
        case .repeatedAuthorization, .differingTickets: "bad_request"
        case .tokenInURL: "token_in_url"
        case .missing: "missing_token"
        case .malformedBearer, .tooManyCookies: "invalid_token"
        case .malformedTicket: "ticket_invalid"
        }
    }
}
