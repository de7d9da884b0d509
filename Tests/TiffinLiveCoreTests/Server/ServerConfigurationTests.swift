import Testing

@testable import TiffinLiveCore

/// Helpers of the configuration suites.
enum ConfigurationText {
    static func load(_ text: String, overrides: [String] = []) throws(ConfigurationFaults) -> ServerConfiguration {
        try ServerConfiguration.load(text: Array(text.utf8), file: "live.json5", overrides: overrides)
    }

    /// The faults of a text that must not load, as they are printed.
    static func faults(_ text: String, overrides: [String] = []) -> [String] {
        do {
            _ = try load(text, overrides: overrides)
            return []
        } catch {
            return error.faults.map(\.description)
        }
    }
}

@Suite("Configuration file")
struct ServerConfigurationTests {
    @Test("without a file the defaults hold")
    func defaults() throws {
        let configuration = try ServerConfiguration.load(path: nil)
        #expect(configuration.listen.map(\.description) == ["0.0.0.0:8080"])
        #expect(configuration.admin.map(\.description) == ["127.0.0.1:9090"])
        #expect(configuration.proxy.trusted.count == 2)
        #expect(configuration.tokens.keys == .file("/etc/tiffin-live/keys.json"))
        #expect(configuration.topics.count == 3)
        #expect(configuration.routes.map(\.path).first == "/rider/socket")
        #expect(configuration.limits.outbound == 262_144)
    }

    @Test("objects are merged key by key")
    func merging() throws {
        let configuration = try ConfigurationText.load(
            "{ expiry: { jitter: '5s' }, limits: { messages: { rate: 7 }, header: '8KiB' }, log: { level: 'debug' } }")
        #expect(configuration.expiry.jitter == 5 * .second)
        #expect(configuration.expiry.warning == 120 * .second)
        #expect(configuration.limits.messages == ServerConfiguration.Rate(rate: 7, burst: 40))
        #expect(configuration.limits.header == 8192)
        #expect(configuration.limits.message == 65536)
        #expect(configuration.log.level == .debug)
    }

    @Test("topics and routes replace the defaults")
    func replacing() throws {
        let configuration = try ConfigurationText.load(
            """
            { topics: { "menu:{m}": { claim: { sub: "{m}", role: "rider" }, owner: ["sismember", "m:{m}", "{sub}"] } },
              routes: { "/menu/{m}": { transports: ["sse"], topics: ["menu:{m}", "menu:{sub}"] } } }
            """)
        let topic = try #require(configuration.topics.first)
        #expect(configuration.topics.count == 1)
        #expect(topic.claims.map(\.name) == ["sub", "role"])
        #expect(topic.owner == ["SISMEMBER", "m:{m}", "{sub}"])
        #expect(
            configuration.routes == [
                ServerConfiguration.Route(
                    path: "/menu/{m}", transports: [.sse], topics: ["menu:{m}", "menu:{sub}"])
            ])
    }

    @Test("every simple setting takes a value")
    func values() throws {
        let configuration = try ConfigurationText.load(
            """
            { listen: ["127.0.0.1:0", "127.0.0.1:0", "[::]:80", "unix:/run/x.sock", "systemd", "systemd:public"], admin: [], threads: 3,
              proxy: { trusted: ["10.0.0.0/8"], header: null },
              tokens: { keys: "env:KEYS", issuer: ["a", "b"], audience: "live",
                        claims: { user: "uid" }, leeway: "0s", maxLifetime: "30m" },
              heartbeat: { ping: "0s", pong: "500ms" }, tickets: { roles: [], prefix: "t:" },
              events: { keep: 0x10, keepFor: "24h" }, inbound: { keep: 1, identityMembers: [] },
              limits: { perUserPolicy: "refuse", message: "16MiB", outbound: "1GiB", body: "1024B" } }
            """)
        #expect(
            configuration.listen.map(\.description) == [
                "127.0.0.1:0", "127.0.0.1:0", "[::]:80", "unix:/run/x.sock", "systemd", "systemd:public",
            ])
        #expect(configuration.admin.isEmpty)
        #expect(configuration.threads == 3)
        #expect(configuration.proxy.header == nil)
        #expect(configuration.tokens.keys == .environment("KEYS"))
        #expect(configuration.tokens.issuers == ["a", "b"])
        #expect(configuration.tokens.audience == "live")
        #expect(configuration.tokens.userClaim == "uid")
        #expect(configuration.tokens.roleClaim == "role")
        #expect(configuration.tokens.leeway == 0)
        #expect(configuration.tokens.maximumLifetime == 1800 * .second)
        #expect(configuration.heartbeat.ping == 0)
        #expect(configuration.heartbeat.pong == 500 * .millisecond)
        #expect(configuration.events.keep == 16)
        #expect(configuration.limits.perUserPolicy == .refuse)
        #expect(configuration.limits.message == 16 << 20)
        #expect(configuration.limits.outbound == 1 << 30)
        #expect(configuration.limits.body == 1024)
    }

    @Test("a single issuer may be a text, and null means any")
    func issuer() throws {
        #expect(try ConfigurationText.load("{tokens:{issuer:'a'}}").tokens.issuers == ["a"])
        #expect(try ConfigurationText.load("{tokens:{issuer:null,audience:null}}").tokens.issuers == [])
    }

    @Test("a rate without a burst allows as many at once as in a second")
    func burst() throws {
        let limits = try ConfigurationText.load("{ limits: { admissions: { rate: 50 } } }").limits
        #expect(limits.admissions == ServerConfiguration.Rate(rate: 50, burst: 50))
    }

    @Test("what is not there yet may be set to nothing")
    func absentFeatures() throws {
        _ = try ConfigurationText.load(
            "{ redis: null, tls: null, proxy: { protocol: false }, browser: { cookie: null, origins: [] } }")
    }

    @Test("a file that cannot be read is one fault that says why")
    func missingFile() throws {
        let error = try #require(throws: ConfigurationFaults.self) {
            try ServerConfiguration.load(path: "/nonexistent/live.json5")
        }
        #expect(
            error.description
                == "/nonexistent/live.json5: cannot open /nonexistent/live.json5: No such file or directory")
    }

    // MARK: --set

    @Test("overrides come after the file, in their order")
    func overrides() throws {
        let configuration = try ConfigurationText.load(
            "{ expiry: { jitter: '5s' } }",
            overrides: [
                "expiry.jitter=\"1s\"", "expiry.jitter='2s'", "listen=[\"127.0.0.1:0\"]", "limits.messages={rate:0}",
                "log={level:'error'}", "'drain'.\"grace\"='0s'",
            ])
        #expect(configuration.expiry.jitter == 2 * .second)
        #expect(configuration.listen.map(\.description) == ["127.0.0.1:0"])
        #expect(configuration.limits.messages == ServerConfiguration.Rate(rate: 0, burst: 40))
        #expect(configuration.log.level == .error)
        #expect(configuration.log.repeatWindow == 10 * .second)
        #expect(configuration.drain.grace == 0)
    }

    @Test("an override inside routes or topics is merged, one of the whole replaces")
    func tableOverrides() throws {
        let merged = try ConfigurationText.load(
            "{}",
            overrides: [
                "routes.\"/rider/socket\".echo=true", "routes.'/x.y'={transports:['websocket']}",
                "topics.\"orders:{order}\".role=null",
            ])
        #expect(merged.routes.count == 4)
        #expect(merged.routes[0].echo && merged.routes[0].inbound)
        #expect(merged.routes[3].path == "/x.y")
        #expect(merged.topics.count == 3)
        #expect(merged.topics[1].role == nil)
        let replaced = try ConfigurationText.load(
            "{}", overrides: ["routes={'/e':{transports:['websocket'],echo:true}}"])
        #expect(replaced.routes.map(\.path) == ["/e"])
    }

    @Test(
        "a broken override is a fault that names --set",
        arguments: [
            ("expiry.jitter", "--set expiry.jitter: expiry.jitter: a value is missing"),
            ("expiry.jitter=5s", "the value is not JSON5"), ("log.level=debug", "a text needs quotes"),
            ("=1", "malformed"), ("a..b=1", "malformed"), ("", "malformed"), ("'a=1", "not closed"),
            ("expiry.jiter='1s'", "expiry.jiter: unknown key"), ("expiry='1s'", "expected an object"),
            ("expiry.jitter.x=1", "expected a duration"), ("threads={a:1,a:2}", "given twice"),
            ("routes.\"/x\".echo=true", "transports is missing"), ("threads=", "end of the text"),
        ])
    func brokenOverrides(override: String, expected: String) {
        let faults = ConfigurationText.faults("{}", overrides: [override])
        #expect(faults.count == 1)
        #expect(faults.allSatisfy { $0.hasPrefix("--set \(override): ") && $0.contains(expected) }, "\(faults)")
    }
}
