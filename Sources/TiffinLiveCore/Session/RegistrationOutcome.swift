/// What the registers of a server say of a connection that is to be entered (contract section 7.10).
enum RegistrationOutcome: Sendable {
    case entered
    /// The user has as many connections as it may, and newer ones do not replace older ones.
    case userLimit
    case addressLimit
    /// The server has as many connections as it may.
    case full
}
