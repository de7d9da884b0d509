/// The kinds of credential that a route takes (contract section 4).
struct CredentialKinds: OptionSet, Sendable {
    let rawValue: UInt8
    static let bearer = CredentialKinds(rawValue: 1)
    static let ticket = CredentialKinds(rawValue: 2)
    static let cookie = CredentialKinds(rawValue: 4)

    /// The kind with this name in the configuration.
    init?(name: String) {
        switch name {
        case "bearer": self = .bearer
        case "ticket": self = .ticket
        case "cookie": self = .cookie
        default: return nil
        }
    }

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }
}
