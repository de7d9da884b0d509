import Testing

@testable import TiffinLiveCore

@Suite("Templates, shapes and paths, at the edges")
struct PatternEdgeTests {
    @Test("a template is cut into its parts, and keeps its text")
    func parts() throws {
        let template = try Template("a:{x}{y}-b{z}")
        #expect(
            template.parts == [
                .literal("a:"), .variable("x"), .variable("y"), .literal("-b"), .variable("z"),
            ])
        #expect(template.text == "a:{x}{y}-b{z}" && template.variables == ["x", "y", "z"])
        #expect(try Template("plain").parts == [.literal("plain")])
        #expect(try Template("{_9Z}").parts == [.variable("_9Z")])
    }

    @Test(
        "a brace needs its partner and a name of 1 to 32 letters, digits and underscores",
        arguments: [
            "{", "}", "a}", "{a", "a{", "}{", "{{a}}", "{a}}", "{}", "{a b}", "{a-b}", "{a.b}", "{ä}", "{{}",
            "{\(String(repeating: "n", count: 33))}",
        ])
    func badTemplates(_ text: String) {
        #expect(throws: PatternError.self) { try Template(text) }
    }

    @Test("the longest name has 32 bytes, and the error names the pattern")
    func names() throws {
        let longest = String(repeating: "n", count: 32)
        #expect(try Template("{\(longest)}").variables == [longest])
        #expect(throws: PatternError("\"{n-}\" has a variable without a proper name")) { try Template("{n-}") }
        #expect(throws: PatternError("\"a}b\" has a brace without its partner")) { try Template("a}b") }
        #expect(throws: PatternError("an empty pattern")) { try Template("") }
    }

    @Test(
        "a value is 1 to 128 letters, digits, dots, underscores and hyphens, but no dot segment",
        arguments: [
            ("a", true), ("-", true), ("_", true), ("...", true), ("..a", true), (".a", true), ("a.", true),
            (String(repeating: ".", count: 128), true), (String(repeating: "a", count: 129), false), ("", false),
            (".", false), ("..", false), ("a/b", false), ("a:b", false), ("a b", false), ("a{", false), ("@", false),
            ("[", false), ("`", false), ("a\u{301}", false), ("ａ", false), ("a\0", false), ("a*", false), ("a%", false),
        ])
    func values(_ text: String, _ isOne: Bool) {
        #expect(Variables.isValue(text) == isOne)
        var variables = Variables()
        #expect(variables.bind("x", to: text) == isOne)
        #expect(variables["x"] == (isOne ? text : nil))
        #expect(variables["y"] == nil)
    }

    @Test("an identity gives {sub} and {role} where they have the shape, and leaves the rest as it was")
    func identities() {
        var variables = Variables()
        variables.bind("order", to: "1")
        let both = variables.with(identity("7", role: "cook"))
        #expect(both["sub"] == "7" && both["role"] == "cook" && both["order"] == "1")
        let half = variables.with(identity("a:b", role: "cook"))
        #expect(half["sub"] == nil && half["role"] == "cook")
        #expect(variables.with(identity("7", role: ""))["role"] == nil)
        #expect(variables["sub"] == nil)
    }

    @Test("a shape and a topic have at most 256 bytes")
    func topicLength() throws {
        let shape = try TopicShape("\(String(repeating: "t", count: 127)):{x}")
        #expect(shape.match("\(String(repeating: "t", count: 127)):\(String(repeating: "x", count: 128))") != nil)
        let long = try TopicShape("\(String(repeating: "t", count: 128)):{x}")
        #expect(long.match("\(String(repeating: "t", count: 128)):\(String(repeating: "x", count: 128))") == nil)
        #expect(long.match("\(String(repeating: "t", count: 128)):\(String(repeating: "x", count: 127))") != nil)
        #expect(throws: PatternError.self) { try TopicShape(String(repeating: "t", count: 257)) }
        #expect(try TopicShape(String(repeating: "t", count: 256)).match(String(repeating: "t", count: 256)) != nil)
    }

    @Test("behind a variable stands the end or a byte that no variable has", arguments: [":", "/", "*", "ü", " "])
    func separators(_ text: String) throws {
        let shape = try TopicShape("a{x}\(text)b")
        #expect(shape.match("a1\(text)b")?["x"] == "1")
        #expect(shape.match("a\(text)b") == nil)
        #expect(shape.match("a1\(text)") == nil)
        #expect(shape.match("a1\(text)bb") == nil)
        for byte in ["b", "Z", "0", ".", "_", "-"] {
            #expect(throws: PatternError.self) { try TopicShape("a{x}\(byte)b") }
        }
    }

    @Test("a path matches segment by segment, as bytes")
    func paths() throws {
        let pattern = try PathPattern("/caf\u{E9}/{x}/end")
        #expect(pattern.variables == ["x"] && pattern.text == "/caf\u{E9}/{x}/end")
        #expect(pattern.match(["caf\u{E9}", "1", "end"])?["x"] == "1")
        for path in [
            ["cafe\u{301}", "1", "end"], ["caf\u{E9}", "1", "End"], ["caf\u{E9}", "1"], ["caf\u{E9}", "1", "end", ""],
            ["caf\u{E9}", "", "end"], ["caf\u{E9}", "..", "end"], [],
        ] {
            #expect(pattern.match(path) == nil, "\(path)")
        }
        #expect(try PathPattern("/").match([]) != nil)
        #expect(try PathPattern("/").match([""]) == nil)
        #expect(try PathPattern("/a").match([]) == nil)
    }

    @Test("a path has at most 1024 bytes, and no dot segment")
    func pathLimits() throws {
        let longest = "/" + String(repeating: "a", count: 1023)
        #expect(try PathPattern(longest).match([String(longest.dropFirst())]) != nil)
        #expect(throws: PatternError.self) { try PathPattern(longest + "a") }
        for text in ["/.", "/..", "/a/../b", "/a/.", "//", "/a//"] {
            #expect(throws: PatternError.self) { try PathPattern(text) }
        }
        #expect(try PathPattern("/...").match(["..."]) != nil)
    }

    @Test("a topic of a route has at most 256 bytes, however it is put together")
    func topicNames() throws {
        let route = try Route(
            pattern: PathPattern("/{x}"), transports: .webSocket,
            topics: [Template("\(String(repeating: "t", count: 127)):{x}")], credentials: .bearer)
        let fitting = try #require(route.pattern.match([String(repeating: "x", count: 128)]))
        #expect(route.topicNames(fitting, identity: identity())?.first?.utf8.count == 256)
        let longer = try Route(
            pattern: PathPattern("/{x}"), transports: .webSocket,
            topics: [Template("\(String(repeating: "t", count: 128)):{x}")], credentials: .bearer)
        #expect(longer.topicNames(fitting, identity: identity()) == nil)
    }

    @Test("an owner look-up has 2 to 8 words, the first a read-only command as it stands")
    func lookUps() throws {
        func rule(_ words: [String]) throws -> TopicRule {
            try TopicRule(shape: TopicShape("t:{x}"), owner: words.map { try Template($0) })
        }
        #expect(try rule(["GET", "{x}"]).owner?.count == 2)
        #expect(try rule(["GETRANGE"] + (1...7).map { "\($0)" }).owner?.count == 8)
        for words in [["GET"], ["GETRANGE"] + (1...8).map { "\($0)" }, ["G{x}", "a"], ["SET", "a"]] {
            #expect(throws: PatternError.self) { try rule(words) }
        }
    }

    @Test("an event stream has at most five topics, and a variable of a topic is one of the path or the identity")
    func routes() throws {
        func route(_ path: String, _ topics: [String], _ transports: Route.Transports) throws -> Route {
            try Route(
                pattern: PathPattern(path), transports: transports, topics: topics.map { try Template($0) },
                credentials: .bearer)
        }
        let five = (0..<5).map { "t\($0)" }
        #expect(try route("/a", five, .eventStream).topics.count == 5)
        #expect(throws: PatternError.self) { try route("/a", five + ["t6"], [.eventStream, .webSocket]) }
        #expect(try route("/{x}", ["{x}:{sub}:{role}"], .eventStream).topics.count == 1)
        #expect(throws: PatternError.self) { try route("/{x}", ["{X}"], .webSocket) }
    }
}
