import Testing

@testable import TiffinLiveCore

@Suite("Configuration in the terms of those who work by it")
struct ConfigurationAccessTests {
    private func identity(_ user: String, _ role: String, _ extra: [String: [String]] = [:]) -> ClaimsSet {
        ClaimsSet(
            user: user, role: role, session: nil, tokenID: nil, issuedAt: nil, expiresAt: .max, extra: extra)
    }

    @Test("the default routes open their paths, transports, topics and credentials")
    func routes() throws {
        let table = ServerConfiguration().routeTable
        let rider = try #require(table.match(["rider", "socket"]))
        #expect(rider.route.transports == .webSocket)
        #expect(rider.route.credentials == .bearer)
        #expect(rider.route.inbound && !rider.route.echo)
        #expect(rider.route.topicNames(rider.variables, identity: identity("5521", "rider")) == ["riders:5521"])
        let order = try #require(table.match(["orders", "123", "events"]))
        #expect(order.route.transports == [.webSocket, .eventStream])
        #expect(order.route.credentials == [.bearer, .cookie])
        #expect(!order.route.inbound)
        let restaurant = try #require(table.match(["restaurants", "88", "events"]))
        #expect(restaurant.route.credentials == [.bearer, .cookie, .ticket])
        #expect(table.match(["orders", "123"]) == nil)
    }

    @Test("the default topic rules give everybody their own and nothing else")
    func topicRules() {
        let rules = ServerConfiguration().topicRules
        func decide(_ topic: String, _ identity: ClaimsSet) -> TopicDecision {
            rules.decide(topic: topic, identity: identity)
        }
        #expect(decide("riders:5521", identity("5521", "rider")) == .allowed)
        #expect(decide("riders:5522", identity("5521", "rider")) == .denied)
        #expect(decide("riders:5521", identity("5521", "customer")) == .denied)
        #expect(decide("restaurants:88", identity("1", "restaurant", ["restaurants": ["7", "88"]])) == .allowed)
        #expect(decide("restaurants:88", identity("1", "restaurant", ["restaurants": ["7"]])) == .denied)
        #expect(decide("menus:1", identity("1", "restaurant")) == .denied)
        guard case .lookUp(let lookup) = decide("orders:123", identity("7001", "customer")) else {
            Issue.record("no look-up")
            return
        }
        #expect(lookup.command == ["HGET", "order:123", "customer_id"])
    }

    @Test("the names of the claims hold for the topic rules and the token policy")
    func tokenPolicy() throws {
        let configuration = try ConfigurationText.load(
            """
            { tokens: { claims: { user: "uid", role: "r", session: "s" }, issuer: "i", audience: "a", leeway: "1s",
                        maxLifetime: "2h" },
              topics: { "a:{x}": { claim: { uid: "{x}", team: "{x}", r: "boss" } } } }
            """)
        #expect(
            configuration.tokenPolicy
                == TokenPolicy(
                    issuers: ["i"], audience: "a", userClaim: "uid", roleClaim: "r", sessionClaim: "s",
                    keptClaims: ["team"], leeway: .second, maximumLifetime: 7200 * .second))
        let rules = configuration.topicRules
        #expect(rules.decide(topic: "a:1", identity: identity("1", "boss", ["team": ["1"]])) == .allowed)
        #expect(rules.decide(topic: "a:1", identity: identity("1", "rider", ["team": ["1"]])) == .denied)
        #expect(ServerConfiguration().tokenPolicy.keptClaims == ["restaurants"])
    }

    @Test("every setting of a session arrives")
    func sessionSettings() throws {
        let settings = try ConfigurationText.load(
            """
            { expiry: { jitter: "1s", warning: "2s", maxAge: "3s" },
              heartbeat: { ping: "4s", pong: "5s", comment: "6s" }, lookups: { timeout: "7s" },
              limits: { handshake: "8s", closing: "9s", header: "1KiB", message: "2KiB", outbound: "3KiB",
                        topicsPerConnection: 4, messages: { rate: 5, burst: 6 }, admissions: { rate: 7 } },
              inbound: { identityMembers: ["x"] }, proxy: { header: "forwarded", trusted: [] } }
            """
        ).sessionSettings
        #expect(
            [settings.expiry.jitter, settings.expiry.warning, settings.expiry.maximumAge]
                == [1, 2, 3].map { $0 * .second })
        #expect(
            [settings.heartbeat.ping, settings.heartbeat.pong, settings.heartbeat.comment]
                == [4, 5, 6].map { $0 * .second })
        #expect(
            [settings.limits.lookup, settings.limits.handshake, settings.limits.closing]
                == [7, 8, 9].map { $0 * .second })
        #expect([settings.limits.head, settings.limits.message, settings.limits.outbound] == [1024, 2048, 3072])
        #expect(settings.limits.topicsPerConnection == 4)
        #expect(settings.limits.messages == RateLimit(rate: 5, burst: 6))
        #expect(settings.limits.admissions == RateLimit(rate: 7, burst: 7))
        #expect(settings.identityMembers == ["x"])
        #expect(settings.forwardedHeader == .forwarded)
        #expect(settings.trustedProxies.isEmpty)
    }

    @Test("a rate of 0 is no limit")
    func noLimit() throws {
        let configuration = try ConfigurationText.load("{ limits: { messages: { rate: 0 } } }")
        #expect(configuration.sessionSettings.limits.messages.isUnlimited)
        #expect(!ServerConfiguration().sessionSettings.limits.messages.isUnlimited)
    }

    @Test("every route and rule that loads can be built")
    func allBuilt() throws {
        let configuration = try ConfigurationText.load(
            """
            { routes: { "/": { transports: ["websocket"], echo: true },
                        "/a/{x}/b/{y}": { transports: ["sse"], topics: ["t:{x}:{y}", "u:{role}"] } },
              topics: { "t:{x}:{y}": { claim: { sub: "{x}" }, owner: ["SISMEMBER", "o:{y}", "{sub}"] },
                        "u:{r}": { claim: { role: "{r}" } } } }
            """)
        #expect(configuration.routeTable.routes.count == 2)
        #expect(configuration.topicRules.rules.count == 2)
        #expect(configuration.routeTable.match(["a", "1", "b", "2"])?.index == 1)
    }
}
