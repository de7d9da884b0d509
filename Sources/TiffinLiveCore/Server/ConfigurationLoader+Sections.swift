/// Settings that are more than one number or text.
extension ConfigurationLoader {
    // MARK: Addresses

    mutating func readListen(_ node: JSON5Node, _ key: String) {
        guard let addresses = addresses(node, key) else { return }
        guard !addresses.isEmpty else {
            fault(node.line, key, "at least one address is needed, such as \"0.0.0.0:8080\"")
            return
        }
        configuration.listen = addresses
    }

    mutating func readAdmin(_ node: JSON5Node, _ key: String) {
        if let addresses = addresses(node, key) { configuration.admin = addresses }
    }

    private mutating func addresses(_ node: JSON5Node, _ key: String) -> [ListenAddress]? {
        guard let elements = elements(node, key, expected: "a list of addresses") else { return nil }
        var addresses: [ListenAddress] = []
        var isGood = true
        for element in elements {
            guard let address = address(element, key) else {
                isGood = false
                continue
            }
            if addresses.contains(address), !Self.isAnyPort(address) {
                fault(element.line, key, "\(address) stands in the list twice")
                isGood = false
            }
            addresses.append(address)
        }
        return isGood ? addresses : nil
    }

    /// Port 0 is another one each time.
    private static func isAnyPort(_ address: ListenAddress) -> Bool {
        if case .bind(let address) = address { address.port == 0 } else { false }
    }

    private mutating func address(_ node: JSON5Node, _ key: String) -> ListenAddress? {
        let expected =
            "an address such as \"127.0.0.1:8080\", \"[::1]:8080\", \"unix:/run/tiffin-live/live.sock\" or \"systemd\""
        guard case .string(let text) = node.value, let address = ListenAddress(text) else {
            return mismatch(node, key, expected: expected)
        }
        return address
    }

    mutating func readTrusted(_ node: JSON5Node, _ key: String) {
        guard let elements = elements(node, key, expected: "a list of address ranges") else { return }
        var ranges: [AddressRange] = []
        for element in elements {
            if case .string(let text) = element.value, let range = AddressRange(text) {
                ranges.append(range)
            } else {
                let _: Void? = mismatch(element, key, expected: "a range such as \"10.0.0.0/8\" or \"fd00::/8\"")
            }
        }
        configuration.proxy.trusted = ranges
    }

    mutating func readForwardedHeader(_ node: JSON5Node, _ key: String) {
        switch node.value {
        case .null: configuration.proxy.header = nil
        case .string("x-forwarded-for"): configuration.proxy.header = .xForwardedFor
        case .string("forwarded"): configuration.proxy.header = .forwarded
        default: let _: Void? = mismatch(node, key, expected: "\"x-forwarded-for\", \"forwarded\" or null")
        }
    }

    mutating func readProxyProtocol(_ node: JSON5Node, _ key: String) {
        if let value = boolean(node, key) { configuration.proxy.protocol = value }
    }

    mutating func readTLS(_ node: JSON5Node, _ key: String) {
        guard node.value != .null else {
            configuration.tls = nil
            return
        }
        var certificate = configuration.tls?.certificate
        var privateKey = configuration.tls?.key
        let before = faults.count
        for member in members(of: node, key: key, known: ["certificate", "key"]) {
            let secret = secret(member.value, Self.key(key, member.name))
            if member.name == "key" { privateKey = secret } else { certificate = secret }
        }
        if let certificate, let privateKey {
            configuration.tls = ServerConfiguration.TLS(certificate: certificate, key: privateKey)
        } else if faults.count == before {
            fault(node.line, key, "both certificate and key are needed")
        }
    }

    // MARK: Tokens and browsers

    mutating func readKeys(_ node: JSON5Node, _ key: String) {
        if let secret = secret(node, key) { configuration.tokens.keys = secret }
    }

    mutating func readKeyRemoval(_ node: JSON5Node, _ key: String) {
        if let policy: ServerConfiguration.KeyRemovalPolicy = word(node, key) {
            configuration.tokens.onKeyRemoval = policy
        }
    }

    mutating func readIssuer(_ node: JSON5Node, _ key: String) {
        switch node.value {
        case .null: configuration.tokens.issuers = []
        case .array:
            guard let issuers = texts(node, key) else { return }
            if issuers.isEmpty { fault(node.line, key, "the list may not be empty; null means any issuer") }
            configuration.tokens.issuers = issuers
        default:
            guard let issuer = text(node, key, expected: "a text, a list of texts or null") else { return }
            configuration.tokens.issuers = [issuer]
        }
    }

    mutating func readAudience(_ node: JSON5Node, _ key: String) {
        if node.value == .null {
            configuration.tokens.audience = nil
        } else if let audience = text(node, key, expected: "a text or null") {
            configuration.tokens.audience = audience
        }
    }

    mutating func readOrigins(_ node: JSON5Node, _ key: String) {
        guard let elements = elements(node, key) else { return }
        configuration.browser.origins = []
        for element in elements {
            guard let origin = text(element, key) else { continue }
            guard let origin = Origin(origin) else {
                fault(element.line, key, "expected an origin such as \"https://dashboard.example\", without a path")
                continue
            }
            configuration.browser.origins.append(origin)
        }
    }

    mutating func readCookie(_ node: JSON5Node, _ key: String) {
        guard node.value != .null else {
            configuration.browser.cookie = nil
            return
        }
        var name: String?
        var session: [String]?
        let before = faults.count
        for member in members(of: node, key: key, known: ["name", "session"]) {
            let memberKey = Self.key(key, member.name)
            if member.name == "name" {
                name = cookieName(member.value, memberKey)
            } else if member.value.value != .null {
                session = sessionLookup(member.value, memberKey)
            }
        }
        if let name {
            configuration.browser.cookie = ServerConfiguration.Browser.Cookie(name: name, session: session)
        } else if faults.count == before {
            fault(node.line, key, "the name of the cookie is missing: name: \"…\"")
        }
    }

    /// A token (RFC 6265 section 4.1.1): another name could never be sent.
    private mutating func cookieName(_ node: JSON5Node, _ key: String) -> String? {
        guard let name = name(node, key) else { return nil }
        guard name.utf8.allSatisfy({ ByteSet.token.contains($0) }) else {
            fault(node.line, key, "the name of a cookie has letters, digits and !#$%&'*+-.^_`|~ only")
            return nil
        }
        return name
    }

    private mutating func sessionLookup(_ node: JSON5Node, _ key: String) -> [String]? {
        guard let words = command(node, key, variables: ["cookie"]) else { return nil }
        if !words.contains(where: { $0.contains("{cookie}") }) {
            fault(node.line, key, "{cookie} must be in the look-up, or everybody would be the same user")
        }
        return words
    }

    mutating func readTicketPath(_ node: JSON5Node, _ key: String) {
        guard let path = text(node, key) else { return }
        guard let pattern = pathPattern(path, node.line, key) else { return }
        guard pattern.variables.isEmpty else {
            fault(node.line, key, "expected a path such as \"/live/tickets\", without variables")
            return
        }
        configuration.tickets.path = path
        places[key] = place(node.line)
    }

    // MARK: Redis

    mutating func readRedis(_ node: JSON5Node, _ key: String) {
        guard node.value != .null else {
            configuration.redis = nil
            return
        }
        var redis = configuration.redis ?? ServerConfiguration.Redis(url: "")
        let before = faults.count
        let known = ["url", "username", "password", "tls", "timeout", "revocations", "grants"]
        for member in members(of: node, key: key, known: known) {
            readRedis(member, Self.key(key, member.name), into: &redis)
        }
        if redis.url.isEmpty, faults.count == before {
            fault(node.line, key, "the url is missing: url: \"redis://HOST:6379/0\"")
        }
        configuration.redis = redis
    }

    private mutating func readRedis(
        _ member: JSON5Node.Member, _ key: String, into redis: inout ServerConfiguration.Redis
    ) {
        let node = member.value
        switch member.name {
        case "url":
            guard let url = text(node, key) else { return }
            if !["redis://", "rediss://", "unix:"].contains(where: url.hasPrefix) {
                fault(node.line, key, "expected an address such as \"redis://redis.internal:6379/0\"")
            } else if url.utf8.contains(ASCII.at) {
                fault(node.line, key, "no credentials in the url; use username and password")
            }
            redis.url = url
        case "username": redis.username = node.value == .null ? nil : text(node, key)
        case "password": redis.password = node.value == .null ? nil : secret(node, key)
        case "tls": redis.tls = node.value == .null ? nil : boolean(node, key)
        case "timeout":
            redis.timeout = duration(node, key, .millisecond...60 * .second) ?? redis.timeout
        case "revocations": redis.revocations = name(node, key) ?? redis.revocations
        default: redis.grants = name(node, key) ?? redis.grants
        }
    }

    // MARK: Words

    mutating func readPerUserPolicy(_ node: JSON5Node, _ key: String) {
        if let policy: ServerConfiguration.PerUserPolicy = word(node, key) {
            configuration.limits.perUserPolicy = policy
        }
    }

    mutating func readLogLevel(_ node: JSON5Node, _ key: String) {
        if case .string(let text) = node.value,
            let level = LogLevel.allCases.first(where: { $0.name.description == text })
        {
            configuration.log.level = level
        } else {
            let names = LogLevel.allCases.map { "\"\($0.name)\"" }.joined(separator: ", ")
            let _: Void? = mismatch(node, key, expected: "one of \(names)")
        }
    }
}
