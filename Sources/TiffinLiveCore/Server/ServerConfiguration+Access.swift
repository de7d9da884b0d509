/// The configuration in the terms of those who work by it.
extension ServerConfiguration {
    /// The routes in the order of the file. `ConfigurationLoader` has made sure that each can be built; should one fail
    /// all the same, nothing is open.
    var routeTable: RouteTable {
        RouteTable((try? routes.map { try TiffinLiveCore.Route($0) }) ?? [])
    }

    /// The topic rules in the order of the file; as with the routes, all or none.
    var topicRules: TopicRules {
        TopicRules((try? topics.map { try TopicRule($0, tokens: tokens) }) ?? [])
    }

    /// What tokens must say, and what of them the topic rules need.
    var tokenPolicy: TokenPolicy {
        TokenPolicy(
            issuers: tokens.issuers, audience: tokens.audience, userClaim: tokens.userClaim,
            roleClaim: tokens.roleClaim, sessionClaim: tokens.sessionClaim, keptClaims: topicRules.keptClaims,
            leeway: tokens.leeway, maximumLifetime: tokens.maximumLifetime)
    }

    /// Of one of several loops: each has an even share of what is the whole server's.
    func sessionSettings(loops: Int) -> SessionSettings {
        var settings = sessionSettings
        settings.limits.admissions = RateLimit(
            rate: Double(limits.admissions.rate) / Double(loops), burst: max(1, limits.admissions.burst / loops))
        return settings
    }

    /// Open files that `limits.connections` asks for: one for each, and those of loops, listeners, logs and Redis.
    var descriptorsNeeded: Int {
        let (sum, overflow) = limits.connections.addingReportingOverflow(100)
        return overflow ? .max : sum
    }

    var sessionSettings: SessionSettings {
        var settings = SessionSettings()
        settings.expiry.jitter = expiry.jitter
        settings.expiry.warning = expiry.warning
        settings.expiry.maximumAge = expiry.maximumAge
        settings.heartbeat.ping = heartbeat.ping
        settings.heartbeat.pong = heartbeat.pong
        settings.heartbeat.comment = heartbeat.comment
        settings.limits.handshake = limits.handshake
        settings.limits.closing = limits.closing
        settings.limits.lookup = lookups.timeout
        settings.limits.head = limits.header
        settings.limits.message = limits.message
        settings.limits.body = limits.body
        settings.limits.outbound = limits.outbound
        settings.limits.topicsPerConnection = limits.topicsPerConnection
        settings.limits.messages = RateLimit(limits.messages)
        settings.limits.admissions = RateLimit(limits.admissions)
        settings.browser.origins = OriginPolicy(browser.origins)
        settings.browser.cookie = browser.cookie.flatMap { SessionCookie($0) }
        settings.browser.policy = tokenPolicy
        settings.tickets.path = tickets.path.split(separator: "/").map(String.init)
        settings.tickets.lifetime = tickets.seconds
        settings.tickets.roles = tickets.roles
        settings.identityMembers = inbound.identityMembers
        settings.forwardedHeader = proxy.header
        settings.trustedProxies = proxy.trusted
        settings.proxyProtocol = proxy.protocol
        return settings
    }
}

extension ServerConfiguration.Tickets {
    /// The lifetime as the store counts it; at least one second.
    var seconds: Int { Int(max(1, lifetime.clampedAdding(.second - 1) / .second)) }

    /// The command that keeps a ticket, unless there is one of that name.
    func storing(_ ticket: String, value: String) -> [String] {
        ["SET", prefix + ticket, value, "EX", String(seconds), "NX"]
    }

    /// The command that takes a ticket out in one step.
    func redeeming(_ ticket: String) -> [String] { ["GETDEL", prefix + ticket] }
}

extension SessionCookie {
    /// nil for a look-up that is none, which `ConfigurationLoader` has made sure of.
    init?(_ setting: ServerConfiguration.Browser.Cookie) {
        let words = setting.session?.compactMap { try? Template($0) }
        guard words?.count == setting.session?.count else { return nil }
        self.init(name: setting.name, lookup: words)
    }
}

extension RateLimit {
    init(_ setting: ServerConfiguration.Rate) {
        self.init(rate: Double(setting.rate), burst: setting.burst)
    }
}

extension Route {
    init(_ setting: ServerConfiguration.Route) throws(PatternError) {
        var transports: Transports = []
        if setting.transports.contains(.sse) { transports.insert(.eventStream) }
        if setting.transports.contains(.websocket) { transports.insert(.webSocket) }
        var credentials: CredentialKinds = []
        if setting.credentials.contains(.bearer) { credentials.insert(.bearer) }
        if setting.credentials.contains(.ticket) { credentials.insert(.ticket) }
        if setting.credentials.contains(.cookie) { credentials.insert(.cookie) }
        var topics: [Template] = []
        for topic in setting.topics { topics.append(try Template(topic)) }
        try self.init(
            pattern: PathPattern(setting.path), transports: transports, topics: topics, credentials: credentials,
            inbound: setting.inbound, refusal: setting.refuse == .close ? .close : .status, echo: setting.echo)
    }
}

extension TopicRule {
    init(_ setting: ServerConfiguration.Topic, tokens: ServerConfiguration.Tokens) throws(PatternError) {
        var claims: [Claim] = []
        for claim in setting.claims {
            let source = ClaimSource(
                name: claim.name, userClaim: tokens.userClaim, roleClaim: tokens.roleClaim,
                sessionClaim: tokens.sessionClaim)
            claims.append(Claim(source: source, value: try Template(claim.value)))
        }
        var owner: [Template] = []
        for word in setting.owner { owner.append(try Template(word)) }
        try self.init(
            shape: TopicShape(setting.template), role: setting.role, claims: claims, owner: owner.isEmpty ? nil : owner)
    }
}
