import Testing

@testable import TiffinLiveCore

/// What a reload changes, key by key.
@Suite("Reload of a configuration")
struct ConfigurationReloadTests {
    private func load(_ settings: [String]) throws -> ServerConfiguration {
        try ServerConfiguration.load(path: nil, overrides: settings)
    }

    private func reload(_ old: [String], _ new: [String]) throws -> ConfigurationReload {
        ConfigurationReload(from: try load(old), to: try load(new))
    }

    @Test("the same configuration changes nothing")
    func same() throws {
        let reload = try reload(["threads=2"], ["threads=2"])
        #expect(reload.changed.isEmpty)
        #expect(reload.pending.isEmpty)
    }

    @Test(
        "these take effect",
        arguments: [
            #"tokens.keys="file:/x""#, #"tokens.issuer="i""#, #"tokens.audience="a""#, #"tokens.onKeyRemoval="close""#,
            #"tokens.claims.user="id""#, #"tokens.leeway="1s""#, #"expiry.jitter="1s""#, #"expiry.maxAge="1h""#,
            #"heartbeat.ping="1s""#, #"browser.origins=["https://a.example"]"#, #"browser.cookie={name:"s"}"#,
            #"tickets.path="/t""#, #"tickets.roles=["rider"]"#, #"inbound.identityMembers=[]"#, "topics={}",
            "routes={}",
            #"lookups.cache="1s""#, "limits.connections=5", "limits.perUser=1", #"limits.perUserPolicy="refuse""#,
            "limits.messages.rate=9", "limits.forged.burst=9", #"limits.message="1MiB""#, #"drain.spread="1s""#,
            #"log.level="debug""#, #"proxy.header="forwarded""#, "proxy.trusted=[]",
        ])
    func live(_ setting: String) throws {
        let key = String(setting.prefix { $0 != "=" })
        let new = try load([setting])
        let reload = ConfigurationReload(from: ServerConfiguration(), to: new)
        #expect(reload.changed == [key])
        #expect(reload.pending.isEmpty)
        #expect(String(reflecting: reload.configuration) == String(reflecting: new))
    }

    @Test(
        "these wait for a restart, and keep their value until then",
        arguments: [
            #"listen=["127.0.0.1:1"]"#, "admin=[]", "threads=3", #"redis={url:"redis://localhost"}"#,
            #"tokens.maxLifetime="2h""#, #"tickets.lifetime="9s""#, #"tickets.prefix="t:""#, #"events.prefix="e:""#,
            "events.keep=9", #"events.keepFor="2h""#, #"inbound.stream="i""#, "inbound.keep=9", "limits.perAddress=9",
            #"tls={certificate:"file:/c",key:"file:/k"}"#,
        ])
    func pending(_ setting: String) throws {
        let key = String(setting.prefix { $0 != "=" })
        let reload = try reload([], [setting])
        #expect(reload.changed.isEmpty)
        #expect(reload.pending == [key])
        #expect(String(reflecting: reload.configuration) == String(reflecting: ServerConfiguration()))
        let again = ConfigurationReload(from: reload.configuration, to: try load([setting]))
        #expect(again.pending == [key], "it is said each time")
    }

    @Test("every key of the table is either one or the other")
    func everyKey() throws {
        for (key, setting) in ConfigurationSetting.all {
            let configuration = ServerConfiguration()
            #expect(setting.field.isSame(configuration, configuration), "\(key)")
            var other = configuration
            setting.field.copy(configuration, &other)
            #expect(String(reflecting: other) == String(reflecting: configuration), "\(key)")
        }
    }

    @Test("another certificate of a server with TLS takes effect, and so does another limit by address")
    func conditional() throws {
        let tls = #"tls={certificate:"file:/c",key:"file:/k"}"#
        #expect(try reload([tls], [tls.replacing("/c", with: "/d")]).changed == ["tls"])
        #expect(try reload([tls], []).pending == ["tls"])
        #expect(try reload(["limits.perAddress=5"], ["limits.perAddress=6"]).changed == ["limits.perAddress"])
        #expect(try reload(["limits.perAddress=5"], []).pending == ["limits.perAddress"])
    }

    @Test("keys of both kinds are told apart, in alphabetical order")
    func mixed() throws {
        let reload = try reload([], ["threads=3", "limits.perUser=1", "admin=[]", #"drain.grace="1s""#])
        #expect(reload.changed == ["drain.grace", "limits.perUser"])
        #expect(reload.pending == ["admin", "threads"])
        #expect(reload.configuration.threads == 0)
        #expect(reload.configuration.limits.perUser == 1)
    }
}
