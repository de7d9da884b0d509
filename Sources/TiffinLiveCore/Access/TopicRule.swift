/// One topic rule: the shape of the topics that it is for, and everything that must be true at once.
struct TopicRule: Sendable {
    /// Where a claim is found in a verified token.
    enum ClaimSource: Equatable, Sendable {
        case user
        case role
        case session
        case extra(String)

        /// - Parameters: the names that the configuration gives the claims (`tokens.claims`).
        init(name: String, userClaim: String = "sub", roleClaim: String = "role", sessionClaim: String = "sid") {
            switch name {
            case userClaim: self = .user
            case roleClaim: self = .role
            case sessionClaim: self = .session
            default: self = .extra(name)
            }
        }

        func holds(_ value: String, in identity: ClaimsSet) -> Bool {
            switch self {
            case .user: JSONObject.isSame(identity.user, value)
            case .role: JSONObject.isSame(identity.role, value)
            case .session: identity.session.map { JSONObject.isSame($0, value) } ?? false
            case .extra(let name): identity.extra[name]?.contains { JSONObject.isSame($0, value) } ?? false
            }
        }
    }

    /// A claim that must equal the expanded text, or be an array that contains it.
    struct Claim: Sendable {
        let source: ClaimSource
        let value: Template

        init(source: ClaimSource, value: Template) {
            self.source = source
            self.value = value
        }
    }

    let shape: TopicShape
    let role: String?
    let claims: [Claim]
    /// The words of the look-up, when the store decides.
    let owner: [Template]?

    init(shape: TopicShape, role: String? = nil, claims: [Claim] = [], owner: [Template]? = nil) throws(PatternError) {
        let known = Set(shape.template.variables + ["sub", "role"])
        for template in claims.map(\.value) + (owner ?? []) {
            if let unknown = template.variables.first(where: { !known.contains($0) }) {
                throw PatternError("\"\(template.text)\" has {\(unknown)}, which \"\(shape.template.text)\" does not")
            }
        }
        if let owner {
            guard let command = owner.first, command.variables.isEmpty, EmbeddedStore.isReadOnly(command.text) else {
                throw PatternError("the owner look-up of \"\(shape.template.text)\" is no read-only command")
            }
            guard owner.count >= 2, owner.count <= 8 else {
                throw PatternError("the owner look-up of \"\(shape.template.text)\" has too few or too many words")
            }
        }
        self.shape = shape
        self.role = role
        self.claims = claims
        self.owner = owner
    }

    /// - Parameter variables: what `shape` found in `topic`.
    func decide(topic: String, variables: Variables, identity: ClaimsSet) -> TopicDecision {
        if role == nil, claims.isEmpty, owner == nil { return .denied }
        if let role, !JSONObject.isSame(role, identity.role) { return .denied }
        let variables = variables.with(identity)
        for claim in claims {
            guard let value = claim.value.expand(variables), claim.source.holds(value, in: identity) else {
                return .denied
            }
        }
        guard let owner else { return .allowed }
        var command: [String] = []
        command.reserveCapacity(owner.count)
        for template in owner {
            guard let word = template.expand(variables) else { return .denied }
            command.append(word)
        }
        let asksAboutUser = owner.contains { $0.variables.contains("sub") }
        return .lookUp(
            OwnerLookup(topic: topic, command: command, user: identity.user, asksAboutUser: asksAboutUser))
    }
}
