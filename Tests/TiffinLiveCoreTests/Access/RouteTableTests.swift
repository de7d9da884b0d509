import Testing

@testable import TiffinLiveCore

func identity(
    _ user: String = "5521", role: String = "rider", session: String? = nil, tokenID: String? = nil,
    issuedAt: Nanoseconds? = nil, extra: [String: [String]] = [:]
) -> ClaimsSet {
    ClaimsSet(
        user: user, role: role, session: session, tokenID: tokenID, issuedAt: issuedAt, expiresAt: .max, extra: extra)
}

private func table() throws -> RouteTable {
    RouteTable([
        try Route(
            pattern: PathPattern("/rider/socket"), transports: .webSocket, topics: [Template("riders:{sub}")],
            credentials: .bearer, inbound: true),
        try Route(
            pattern: PathPattern("/orders/{order}/events"), transports: [.eventStream, .webSocket],
            topics: [Template("orders:{order}"), Template("{role}:{order}")], credentials: [.bearer, .cookie]),
        try Route(
            pattern: PathPattern("/orders/{any}/{what}"), transports: .webSocket, topics: [], credentials: .ticket,
            refusal: .close, echo: true),
        try Route(pattern: PathPattern("/"), transports: .webSocket, topics: [], credentials: .bearer),
    ])
}

@Suite("Routes")
struct RouteTableTests {
    @Test("a path finds its route and variables, the first route first")
    func match() throws {
        let table = try table()
        let order = try #require(table.match(["orders", "123", "events"]))
        #expect(order.index == 1)
        #expect(order.variables["order"] == "123")
        #expect(table.match(["orders", "123", "other"])?.index == 2)
        #expect(table.match(["orders", "123", "other"])?.variables["what"] == "other")
        #expect(table.match(["rider", "socket"])?.index == 0)
        #expect(table.match([])?.index == 3)
    }

    @Test(
        "another path is no route",
        arguments: [
            ["rider"], ["rider", "socket", "x"], ["Rider", "socket"], ["orders", "123"], ["orders", "", "events"],
            ["orders", ".", "events"], ["orders", "..", "events"], ["orders", "a b", "events"],
            ["orders", "a:b", "events"], ["orders", "a/b", "events"], ["orders", "é", "events"],
            ["orders", "a\u{0}", "events"], ["orders", "*", "events"], ["orders", "１", "events"],
            ["orders", String(repeating: "1", count: 129), "events"],
        ])
    func noMatch(path: [String]) throws {
        #expect(try table().match(path) == nil)
    }

    @Test("the path of no route matches none")
    func noSegments() throws {
        #expect(try table().match(nil) == nil)
    }

    @Test("variables are letters, digits, dot, underscore and hyphen", arguments: ["a", "Z9._-", "...", "-", "a.b"])
    func values(value: String) throws {
        #expect(try table().match(["orders", value, "events"])?.variables["order"] == value)
        let longest = String(repeating: "x", count: 128)
        #expect(Variables.isValue(longest))
        #expect(!Variables.isValue(longest + "x"))
    }

    @Test("a table that takes the place of another keeps the names of all routes that there were")
    func replaced() throws {
        func route(_ path: String) throws -> Route {
            try Route(pattern: PathPattern(path), transports: .webSocket, topics: [], credentials: .bearer)
        }
        let first = RouteTable([try route("/a"), try route("/b")])
        let second = RouteTable([try route("/c"), try route("/b")], after: first)
        #expect(second.match(["a"]) == nil)
        #expect(second.match(["b"])?.index == 1)
        #expect(second.match(["c"])?.index == 2)
        #expect(second.paths == ["/a", "/b", "/c"])
        let third = RouteTable([try route("/a")], after: second)
        #expect(third.match(["a"])?.index == 0, "the same path is the same name")
        #expect(third.paths.count == 3)
    }

    @Test("topics are named by path and identity")
    func topics() throws {
        let table = try table()
        let order = try #require(table.match(["orders", "123", "events"]))
        #expect(
            order.route.topicNames(order.variables, identity: identity(role: "customer")) == [
                "orders:123", "customer:123",
            ])
        let rider = try #require(table.match(["rider", "socket"]))
        #expect(rider.route.topicNames(rider.variables, identity: identity("5521")) == ["riders:5521"])
    }

    @Test(
        "an identity of another shape is never put into a topic",
        arguments: ["", ".", "..", "a:b", "5521/x", "*", "a b", "riders:1", "5521\u{0}", "ü", "{sub}", "auth0|1"])
    func badIdentity(user: String) throws {
        let rider = try #require(try table().match(["rider", "socket"]))
        #expect(rider.route.topicNames(rider.variables, identity: identity(user)) == nil)
        let order = try #require(try table().match(["orders", "1", "events"]))
        #expect(order.route.topicNames(order.variables, identity: identity(role: user)) == nil)
    }

    @Test("a topic that would be too long is none, and one named twice is one")
    func topicLimits() throws {
        let long = String(repeating: "t", count: 130)
        let route = try Route(
            pattern: PathPattern("/{a}"), transports: .webSocket,
            topics: [Template("\(long){a}"), Template("\(long)x")], credentials: .bearer)
        var variables = Variables()
        variables.bind("a", to: "x")
        #expect(route.topicNames(variables, identity: identity()) == ["\(long)x"])
        var longer = Variables()
        longer.bind("a", to: String(repeating: "a", count: 127))
        #expect(route.topicNames(longer, identity: identity()) == nil)
    }

    @Test(
        "refuses patterns that are no paths",
        arguments: [
            "", "orders", "/a//b", "/a/", "/{a}/{a}", "/{sub}", "/{role}", "/a{b}", "/{a}b", "/{", "/}", "/{}",
            "/{a-b}",
            "/{a", "/a}", "/.", "/../a", "/{ a}",
        ])
    func badPatterns(text: String) {
        #expect(throws: PatternError.self) { try PathPattern(text) }
    }

    @Test("refuses topics with variables that the path has not, and streams over too many topics")
    func badRoutes() throws {
        #expect(throws: PatternError.self) {
            try Route(
                pattern: PathPattern("/{a}"), transports: .webSocket, topics: [Template("t:{b}")], credentials: .bearer)
        }
        let six = try (0..<6).map { try Template("t\($0)") }
        #expect(throws: PatternError.self) {
            try Route(pattern: PathPattern("/a"), transports: .eventStream, topics: six, credentials: .bearer)
        }
        _ = try Route(pattern: PathPattern("/a"), transports: .webSocket, topics: six, credentials: .bearer)
    }

    @Test("a template expands whole or not at all")
    func template() throws {
        let template = try Template("a{x}b{y}")
        #expect(template.variables == ["x", "y"])
        var variables = Variables()
        variables.bind("x", to: "1")
        #expect(template.expand(variables) == nil)
        #expect(variables.bind("y", to: "a:b") == false)
        #expect(template.expand(variables) == nil)
        variables.bind("y", to: "2")
        #expect(template.expand(variables) == "a1b2")
        #expect(throws: PatternError.self) { try Template("") }
    }
}
