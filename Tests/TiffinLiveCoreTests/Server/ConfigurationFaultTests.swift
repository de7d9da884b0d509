import Testing

@testable import TiffinLiveCore

@Suite("Configuration faults")
struct ConfigurationFaultTests {
    @Test("all faults are found at once, each with file, line and key")
    func allFaults() {
        let faults = ConfigurationText.faults(
            """
            {
              listn: [],
              threads: "many",
              expiry: { jitter: "2 minutes",
                        jitter: "1s" },
              limits: { header: "1B", messages: { rat: 1 } },
            }
            """)
        #expect(
            faults == [
                "live.json5:5: expiry.jitter: the key is given twice, first on line 4; remove one of the two",
                "live.json5:2: listn: unknown key; known here are admin, browser, drain, events, expiry, heartbeat, "
                    + "inbound, limits, listen, log, lookups, proxy, redis, routes, threads, tickets, tls, tokens, topics",
                "live.json5:3: threads: expected a whole number from 0 to 256 instead of the text \"many\"",
                "live.json5:4: expiry.jitter: expected a duration such as \"30s\" (units ms, s, m, h) instead of "
                    + "the text \"2 minutes\"",
                "live.json5:6: limits.header: expected a size from \"1KiB\" to \"1MiB\" instead of the text \"1B\"",
                "live.json5:6: limits.messages.rat: unknown key; known here are burst, rate",
            ])
    }

    @Test("a file that is no JSON5 is one fault with its line")
    func syntax() {
        let faults = ConfigurationText.faults("{\n threads: 1,\n log: { level: info }\n}")
        #expect(faults == ["live.json5:3: log.level: info is not a value; a text needs quotes"])
    }

    @Test(
        "one wrong value is one fault at its key",
        arguments: [
            ("[]", "expected an object"), ("{listen:'0.0.0.0:80'}", "listen: expected a list of addresses"),
            ("{listen:[]}", "listen: at least one address"),
            ("{listen:['localhost:80']}", "listen: expected an address"),
            ("{listen:['1.2.3.4']}", "listen: expected an address"), ("{listen:[80]}", "listen: expected an address"),
            ("{listen:['1.2.3.4:70000']}", "listen: expected an address"),
            ("{listen:['unix:']}", "listen: expected an address"),
            ("{listen:['systemd:']}", "listen: expected an address"),
            ("{listen:['systemd:a:b']}", "listen: expected an address"),
            ("{listen:['systemd','systemd']}", "listen: systemd stands in the list twice"),
            ("{listen:['1.2.3.4:80','1.2.3.4:80']}", "listen: 1.2.3.4:80 stands in the list twice"),
            ("{admin:null}", "admin: expected a list of addresses instead of null"),
            ("{threads:-1}", "threads: expected a whole number"), ("{threads:1.5}", "threads: expected a whole number"),
            ("{threads:NaN}", "threads: expected a whole number"), ("{threads:true}", "instead of true"),
            ("{threads:1e2}", "threads: expected a whole number"), ("{threads:Infinity}", "threads: expected"),
            ("{threads:99999999999999999999}", "threads: expected a whole number"),
            ("{proxy:{trusted:['10.0.0.0/33']}}", "proxy.trusted: expected a range"),
            ("{proxy:{trusted:['x']}}", "proxy.trusted: expected a range"),
            ("{proxy:{header:'via'}}", "proxy.header: expected \"x-forwarded-for\""),
            ("{proxy:{protocol:1}}", "proxy.protocol: expected true or false"),
            ("{proxy:1}", "proxy: expected an object"),
            ("{tokens:{keys:'/etc/keys.json'}}", "tokens.keys: expected \"file:PATH\""),
            ("{tokens:{keys:'credential:../x'}}", "tokens.keys: expected \"file:PATH\""),
            ("{tokens:{keys:null}}", "tokens.keys: expected \"file:PATH\""),
            ("{tokens:{issuer:[]}}", "tokens.issuer: the list may not be empty"),
            ("{tokens:{issuer:5}}", "tokens.issuer: expected a text, a list of texts or null"),
            ("{tokens:{issuer:['a','a']}}", "tokens.issuer: \"a\" stands in the list twice"),
            ("{tokens:{audience:['a']}}", "tokens.audience: expected a text or null"),
            ("{tokens:{claims:{user:''}}}", "tokens.claims.user: a text may not be empty"),
            ("{tokens:{claims:{role:'a b'}}}", "tokens.claims.role: a name is"),
            ("{tokens:{maxLifetime:'0s'}}", "tokens.maxLifetime: expected a duration from \"1s\" to \"720h\""),
            ("{tokens:{leeway:'6m'}}", "tokens.leeway: expected a duration from \"0s\" to \"5m\""),
            ("{expiry:{maxAge:'721h'}}", "expiry.maxAge: expected a duration from \"0s\""),
            ("{expiry:{jitter:5}}", "expiry.jitter: expected a duration such as \"30s\""),
            ("{expiry:{jitter:'5'}}", "expiry.jitter: expected a duration"),
            ("{expiry:{jitter:'-5s'}}", "expiry.jitter: expected a duration"),
            ("{expiry:{jitter:'1.5s'}}", "expiry.jitter: expected a duration"),
            ("{expiry:{jitter:'5S'}}", "expiry.jitter: expected a duration"),
            ("{expiry:{jitter:'5s '}}", "expiry.jitter: expected a duration"),
            ("{expiry:{jitter:'9223372036854775807h'}}", "expiry.jitter: expected a duration"),
            ("{expiry:{jitter:'99999999999999999999s'}}", "expiry.jitter: expected a duration"),
            ("{heartbeat:{pong:'0s'}}", "heartbeat.pong: expected a duration from \"1ms\""),
            ("{tickets:{path:'live'}}", "tickets.path: \"live\" is no path"),
            ("{tickets:{path:'/live/{x}'}}", "tickets.path: expected a path"),
            ("{tickets:{path:'/rider/socket'}}", "tickets.path: the path is a route already"),
            ("{tickets:{roles:'x'}}", "tickets.roles: expected a list of texts"),
            ("{limits:{header:65536}}", "limits.header: expected a size such as"),
            ("{limits:{header:'64kb'}}", "limits.header: expected a size such as"),
            ("{limits:{header:'99999999999GiB'}}", "limits.header: expected a size"),
            ("{limits:{connections:0}}", "limits.connections: expected a whole number from 1"),
            ("{limits:{perUserPolicy:'oldest'}}", "expected \"replace\" or \"refuse\" instead of the text \"oldest\""),
            ("{limits:{messages:20}}", "limits.messages: expected an object instead of the number 20"),
            ("{limits:{messages:{rate:-1}}}", "limits.messages.rate: expected a whole number from 0"),
            ("{log:{level:'trace'}}", "log.level: expected one of \"debug\", \"info\""),
            ("{log:{level:'INFO'}}", "log.level: expected one of"),
            ("{log:{repeat:'2h'}}", "log.repeat: expected a duration"),
            ("{'expiry.jitter':'5s'}", "\"expiry.jitter\": unknown key"),
            ("{events:{prefix:'a\\nb'}}", "events.prefix: a text may not"),
        ])
    func wrongValues(text: String, expected: String) {
        let faults = ConfigurationText.faults(text)
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.allSatisfy { $0.hasPrefix("live.json5:1: ") && $0.contains(expected) }, "\(faults)")
    }

    @Test("a secret that stands in the file itself is not repeated")
    func secretNotRepeated() {
        let faults = ConfigurationText.faults("{tokens:{keys:'hunter2'}, redis:{url:'redis://x',password:'hunter2'}}")
        #expect(faults.count == 2)
        #expect(faults.allSatisfy { !$0.contains("hunter2") })
    }

    @Test(
        "a certificate and its key belong together",
        arguments: [
            ("{tls:{key:'file:/k'}}", "both certificate and key"),
            ("{tls:{certificate:'file:/c'}}", "both certificate"),
            ("{tls:{cert:'file:/k'}}", "tls.cert: unknown key"),
            ("{tls:{certificate:'/c',key:'env:K'}}", "tls.certificate"),
        ])
    func certificate(text: String, expected: String) {
        let faults = ConfigurationText.faults(text)
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.allSatisfy { $0.contains(expected) }, "\(faults)")
    }

    @Test(
        "a fault in Redis or in what browsers sign in with is named",
        arguments: [
            ("{redis:{}}", "the url is missing"), ("{redis:{url:'http://x'}}", "redis.url: expected an address"),
            ("{redis:{url:'redis://:pw@x'}}", "no credentials in the url"),
            ("{redis:{url:'redis://x',timeout:1}}", "redis.timeout: expected a duration"),
            ("{browser:{origins:['https://d.example/']}}", "expected an origin"),
            ("{browser:{origins:['null']}}", "expected an origin"), ("{browser:{cookie:{}}}", "the name of the cookie"),
            ("{browser:{origins:['https://*.d.example']}}", "expected an origin"),
            ("{browser:{origins:['https://d.example:0']}}", "expected an origin"),
            ("{browser:{cookie:{name:'s;d'}}}", "the name of a cookie"),
            ("{browser:{cookie:{name:'s',session:['DEL','{cookie}']}}}", "a look-up only reads"),
            ("{browser:{cookie:{name:'s',session:['GET','session:{sub}']}}}", "known here are {cookie}"),
            ("{browser:{cookie:{name:'s',session:['GET','session:x']}}}", "{cookie} must be in the look-up"),
            ("{tickets:{lifetime:'500ms'}}", "tickets.lifetime"),
        ])
    func wrongCredentials(text: String, expected: String) {
        let faults = ConfigurationText.faults(text)
        #expect((1...2).contains(faults.count), "\(faults)")
        #expect(faults.contains { $0.contains(expected) }, "\(faults)")
    }

    @Test(
        "a topic rule that is wrong is one fault",
        arguments: [
            ("'a:{x}':{}", "a claim or an owner is needed"),
            ("'a:{x}':{role:'rider'}", "a claim or an owner is needed"),
            ("'a:{x':{claim:{sub:'{x}'}}", "has a brace without its partner"),
            ("'a:x}':{claim:{sub:'x'}}", "has a brace without its partner"),
            ("'':{claim:{sub:'x'}}", "an empty pattern"), ("'a b':{claim:{sub:'x'}}", "a topic is visible ASCII"),
            ("'{a}{b}':{claim:{sub:'{a}'}}", "without text between them"),
            ("'a:{é}':{claim:{sub:'x'}}", "without a proper name"),
            ("'a:{x}':{claim:{sub:'{y}'}}", "nothing gives the variable {y}; known here are {x}, {sub}, {role}"),
            ("'a:{x}':{claim:{sub:'{x'}}", "has a brace without its partner"),
            ("'a:{x}':{claim:{sub:5}}", "claim.sub: expected a text"),
            ("'a:{x}':{claim:'sub'}", "claim: expected an object"),
            ("'a:{x}':{owner:'GET x'}", "owner: expected a command"),
            ("'a:{x}':{owner:['GETDEL','o:{x}']}", "a look-up only reads"),
            ("'a:{x}':{owner:[]}", "a look-up only reads"),
            ("'a:{x}':{owner:['HGET','o:{x}']}", "HGET takes 2 arguments, not 1"),
            ("'a:{x}':{owner:['GET','o:{y}']}", "nothing gives the variable {y}"),
            ("'a:{x}':{owner:['SISMEMBER','o','{x}']}", "answers for everybody alike"),
            ("'a:{x}':{claims:{sub:'{x}'}}", "unknown key; known here are role, claim, owner"),
            ("'a:{x}':{claim:{sub:'{x}'}},'a:{y}':{claim:{sub:'{y}'}}", "has the same shape as \"a:{x}\""),
            ("'a:{x}':5", "expected an object"), ("'a:{sub}':{claim:{sub:'{sub}'}}", "or it is sub or role"),
            ("'a:{x}-b':{claim:{sub:'{x}'}}", "does not say where a variable ends"),
        ])
    func wrongTopics(text: String, expected: String) {
        let faults = ConfigurationText.faults("{topics:{\(text)}}")
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.allSatisfy { $0.hasPrefix("live.json5:1: topics.") && $0.contains(expected) }, "\(faults)")
    }

    @Test(
        "a route that is wrong is one fault",
        arguments: [
            ("'/x':{}", "transports is missing"), ("'/x':{transports:[]}", "transports: the list may not be empty"),
            ("'/x':{transports:['ws']}", "expected \"websocket\" or \"sse\" instead of the text \"ws\""),
            ("'/x':{transports:['sse','sse']}", "\"sse\" stands in the list twice"),
            ("'x':{transports:['sse']}", "must begin with a slash"),
            ("'/a//b':{transports:['sse']}", "an empty pattern"),
            ("'/a/':{transports:['sse']}", "an empty pattern"),
            ("'/a{b}':{transports:['sse']}", "is not a whole segment"),
            ("'/a/../b':{transports:['sse']}", "has a dot segment"), ("'/%41':{transports:['sse']}", "expected a path"),
            ("'/{a}/{a}':{transports:['sse']}", "has the variable {a} twice"),
            (
                "'/x/{a}':{transports:['sse'],topics:['t:{b}']}",
                "nothing gives the variable {b}; known here are {a}, {sub}"
            ),
            ("'/x':{transports:['sse'],topics:['t:{']}", "topics: \"t:{\" has a brace without its partner"),
            ("'/x':{transports:['sse'],topics:['t','t']}", "\"t\" stands in the list twice"),
            ("'/x':{transports:['sse'],topics:['a','b','c','d','e','f']}", "at most five topics, here are 6"),
            ("'/x':{transports:['sse'],credentials:['token']}", "expected \"bearer\" or \"cookie\" or \"ticket\""),
            ("'/x':{transports:['sse'],credentials:[]}", "credentials: the list may not be empty"),
            ("'/x':{transports:['sse'],refuse:'drop'}", "expected \"status\" or \"close\""),
            ("'/x':{transports:['sse'],inbound:'yes'}", "inbound: expected true or false"),
            ("'/x':{transport:['sse']}", "unknown key; known here are transports"),
            ("'/x/{a}':{transports:['sse']},'/x/{b}':{transports:['sse']}", "has the same shape as \"/x/{a}\""),
            ("'/live/tickets':{transports:['sse']}", "the path is a route already"),
            ("'/x?y':{transports:['sse']}", "expected a path such as"),
            ("'/{sub}':{transports:['sse']}", "or it is sub or role"),
            ("'/x':{transports:['sse'],topics:['a,b']}", "topics: a topic is visible ASCII"),
        ])
    func wrongRoutes(text: String, expected: String) {
        let faults = ConfigurationText.faults("{routes:{\(text)}}")
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.allSatisfy { $0.contains(expected) }, "\(faults)")
    }

    @Test("five topics are enough for an event stream, and a socket may have more")
    func topicCounts() throws {
        _ = try ConfigurationText.load("{routes:{'/x':{transports:['sse'],topics:['a','b','c','d','e']}}}")
        _ = try ConfigurationText.load("{routes:{'/x':{transports:['websocket'],topics:['a','b','c','d','e','f']}}}")
    }

    @Test("a fault of two layers together points at the later one")
    func relationPlaces() {
        let faults = ConfigurationText.faults(
            "{\n routes: {\n '/x/{a}': { transports: ['sse'] } } }",
            overrides: ["routes.'/x/{b}'.transports=['sse']"])
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("--set routes.'/x/{b}'.transports=['sse']: routes.\"/x/{b}\": ") == true)
    }
}
