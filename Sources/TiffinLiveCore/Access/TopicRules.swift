/// Who may have a topic (contract section 3). The first rule whose shape the name has decides; no rule, no access.
struct TopicRules: Sendable {
    let rules: [TopicRule]

    init(_ rules: [TopicRule]) {
        self.rules = rules
    }

    /// The claims beyond user, role and session that the rules look at: what a verified token must keep.
    var keptClaims: [String] {
        var names: Set<String> = []
        for rule in rules {
            for claim in rule.claims {
                if case .extra(let name) = claim.source { names.insert(name) }
            }
        }
        return names.sorted()
    }

    func decide(topic: String, identity: ClaimsSet) -> TopicDecision {
        for rule in rules {
            if let variables = rule.shape.match(topic) {
                return rule.decide(topic: topic, variables: variables, identity: identity)
            }
        }
        return .denied
    }
}
