/// `topics` and `routes`: objects whose keys are data.
extension ConfigurationLoader {
    /// Variables that the identity of a connection gives.
    private static let identityVariables = ["sub", "role"]

    // MARK: Topics

    mutating func readTopics(_ node: JSON5Node, _ key: String) {
        if !mergesTables { configuration.topics = [] }
        for member in members(of: node, key: key, known: nil) {
            readTopic(member, Self.key(key, member.name))
        }
    }

    private mutating func readTopic(_ member: JSON5Node.Member, _ key: String) {
        guard let shape = pattern(member.line, key, { () throws(PatternError) in try TopicShape(member.name) }),
            isTopic(member.name, member.line, key)
        else { return }
        let index = configuration.topics.firstIndex { $0.template == member.name }
        var topic = index.map { configuration.topics[$0] } ?? ServerConfiguration.Topic(template: member.name)
        let variables = shape.template.variables + Self.identityVariables
        let before = faults.count
        for part in members(of: member.value, key: key, known: ["role", "claim", "owner"]) {
            let partKey = Self.key(key, part.name)
            switch part.name {
            case "role": topic.role = part.value.value == .null ? nil : text(part.value, partKey)
            case "claim": topic.claims = claims(part.value, partKey, variables)
            default:
                topic.owner =
                    part.value.value == .null ? [] : command(part.value, partKey, variables: variables) ?? []
            }
        }
        if topic.claims.isEmpty, topic.owner.isEmpty, faults.count == before {
            fault(member.line, key, "a claim or an owner is needed, or nobody could have the topic")
        }
        places[key] = place(member.line)
        if let index { configuration.topics[index] = topic } else { configuration.topics.append(topic) }
    }

    private mutating func claims(
        _ node: JSON5Node, _ key: String, _ variables: [String]
    ) -> [ServerConfiguration.Topic.Claim] {
        guard node.value != .null else { return [] }
        var claims: [ServerConfiguration.Topic.Claim] = []
        for member in members(of: node, key: key, known: nil) {
            let memberKey = Self.key(key, member.name)
            guard let value = text(member.value, memberKey), !member.name.isEmpty else { continue }
            checkVariables(of: value, member.value.line, memberKey, variables)
            claims.append(ServerConfiguration.Topic.Claim(name: member.name, value: value))
        }
        return claims
    }

    /// What `make` builds of a text of the configuration, or a fault with its reason.
    private mutating func pattern<Pattern>(
        _ line: Int, _ key: String, _ make: () throws(PatternError) -> Pattern
    ) -> Pattern? {
        do {
            return try make()
        } catch {
            fault(line, key, error.description)
            return nil
        }
    }

    /// Topics are visible ASCII; a comma could not stand among the positions of an event stream.
    private mutating func isTopic(_ text: String, _ line: Int, _ key: String) -> Bool {
        if text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != ASCII.comma }) { return true }
        fault(line, key, "a topic is visible ASCII without spaces and commas, such as \"orders:{order}\"")
        return false
    }

    /// Faults for a template that is malformed or names a variable that nothing gives.
    private mutating func checkVariables(of text: String, _ line: Int, _ key: String, _ known: [String]) {
        guard let template = pattern(line, key, { () throws(PatternError) in try Template(text) }) else { return }
        for variable in template.variables where !known.contains(variable) {
            let list = known.map { "{\($0)}" }.joined(separator: ", ")
            fault(line, key, "nothing gives the variable {\(variable)}; known here are \(list)")
        }
    }

    // MARK: Look-ups

    /// A command that reads one value, with `variables` in its arguments.
    mutating func command(_ node: JSON5Node, _ key: String, variables: [String]) -> [String]? {
        guard let elements = elements(node, key, expected: "a command as a list of texts") else { return nil }
        let words = elements.compactMap { text($0, key) }
        guard words.count == elements.count else { return nil }
        guard let name = words.first, let lookup = OwnerCommand(rawValue: name.uppercased()) else {
            let list = OwnerCommand.allCases.map(\.rawValue).joined(separator: ", ")
            fault(node.line, key, "a look-up only reads; the commands are \(list)")
            return nil
        }
        guard words.count == lookup.wordCount else {
            fault(node.line, key, "\(lookup.rawValue) takes \(lookup.wordCount - 1) arguments, not \(words.count - 1)")
            return nil
        }
        for (word, element) in zip(words, elements).dropFirst() {
            checkVariables(of: word, element.line, key, variables)
        }
        if lookup.answersInteger, !words.contains(where: { $0.contains("{sub}") }) {
            fault(node.line, key, "\(lookup.rawValue) answers for everybody alike unless {sub} is one of its arguments")
        }
        return [lookup.rawValue] + words.dropFirst()
    }

    /// The commands that a look-up may be: they read one text or integer, and change nothing.
    enum OwnerCommand: String, CaseIterable {
        case get = "GET"
        case hget = "HGET"
        case sismember = "SISMEMBER"

        /// With the name.
        var wordCount: Int { self == .get ? 2 : 3 }

        /// Such an answer must be 1; a text must be the user.
        var answersInteger: Bool { self == .sismember }
    }

    // MARK: Routes

    mutating func readRoutes(_ node: JSON5Node, _ key: String) {
        if !mergesTables { configuration.routes = [] }
        for member in members(of: node, key: key, known: nil) {
            readRoute(member, Self.key(key, member.name))
        }
    }

    private mutating func readRoute(_ member: JSON5Node.Member, _ key: String) {
        guard let path = pathPattern(member.name, member.line, key) else { return }
        let pathVariables = path.variables
        let index = configuration.routes.firstIndex { $0.path == member.name }
        var route = index.map { configuration.routes[$0] } ?? ServerConfiguration.Route(path: member.name)
        let before = faults.count
        let known = ["transports", "topics", "credentials", "inbound", "refuse", "echo"]
        for part in members(of: member.value, key: key, known: known) {
            readRoutePart(part, Self.key(key, part.name), pathVariables, into: &route)
        }
        if route.transports.isEmpty, faults.count == before {
            fault(member.line, key, "transports is missing: [\"websocket\"], [\"sse\"] or both")
        }
        if route.transports.contains(.sse), route.topics.count > 5 {
            fault(member.line, key, "an event stream has at most five topics, here are \(route.topics.count)")
        }
        places[key] = place(member.line)
        if let index { configuration.routes[index] = route } else { configuration.routes.append(route) }
    }

    private mutating func readRoutePart(
        _ part: JSON5Node.Member, _ key: String, _ pathVariables: [String],
        into route: inout ServerConfiguration.Route
    ) {
        let node = part.value
        switch part.name {
        case "transports": route.transports = words(node, key) ?? route.transports
        case "topics":
            guard let topics = texts(node, key) else { return }
            for topic in topics where isTopic(topic, node.line, key) {
                checkVariables(of: topic, node.line, key, pathVariables + Self.identityVariables)
            }
            route.topics = topics
        case "credentials": route.credentials = words(node, key) ?? route.credentials
        case "inbound": route.inbound = boolean(node, key) ?? route.inbound
        case "refuse":
            guard let refuse: ServerConfiguration.Route.Refusal = word(node, key) else { return }
            route.refuse = refuse
        default: route.echo = boolean(node, key) ?? route.echo
        }
    }

    /// A path as requests name it once decoded: no query, nothing encoded.
    mutating func pathPattern(_ text: String, _ line: Int, _ key: String) -> PathPattern? {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"?#%".utf8.contains($0) }) else {
            fault(line, key, "expected a path such as \"/orders/{order}/events\", without spaces, ?, # and %")
            return nil
        }
        return pattern(line, key) { () throws(PatternError) in try PathPattern(text) }
    }

    // MARK: Relations

    /// What only shows when all layers are known.
    mutating func checkRelations() {
        var topicShapes: [String: String] = [:]
        for topic in configuration.topics {
            let key = Self.key("topics", topic.template)
            if let other = topicShapes.updateValue(topic.template, forKey: Self.shape(of: topic.template)) {
                fault(at: places[key], key, "has the same shape as \"\(other)\"; remove one of the two")
            }
        }
        var routeShapes: [String: String] = [:]
        for route in configuration.routes {
            let key = Self.key("routes", route.path)
            if let other = routeShapes.updateValue(route.path, forKey: Self.shape(of: route.path)) {
                fault(at: places[key], key, "has the same shape as \"\(other)\"; remove one of the two")
            }
        }
        if routeShapes[configuration.tickets.path] != nil {
            fault(at: places["tickets.path"], "tickets.path", "the path is a route already; choose another")
        }
        checkPatterns()
        // A rate alone is enough: as many at once as in a second.
        for path in [\ServerConfiguration.Limits.messages, \.forged, \.admissions] {
            let rate = configuration.limits[keyPath: path]
            if rate.burst == 0 { configuration.limits[keyPath: path].burst = rate.rate }
        }
    }

    /// Rules that only hold for a whole route or topic rule, such as variables that come twice.
    private mutating func checkPatterns() {
        guard faults.isEmpty else { return }
        for route in configuration.routes {
            let key = Self.key("routes", route.path)
            do {
                _ = try Route(route)
            } catch {
                fault(at: places[key], key, error.description)
            }
        }
        for topic in configuration.topics {
            let key = Self.key("topics", topic.template)
            do {
                _ = try TopicRule(topic, tokens: configuration.tokens)
            } catch {
                fault(at: places[key], key, error.description)
            }
        }
    }

    /// The pattern with every variable as `{}`: two of one shape mean the same texts.
    private static func shape(of pattern: String) -> String {
        guard let parts = try? Template(pattern).parts else { return pattern }
        return parts.map { if case .literal(let text) = $0 { text } else { "{}" } }.joined()
    }
}
