import Testing

@testable import TiffinLiveCore

@Suite("Redis: the greeting")
struct RedisGreetingTests {
    private static let hello = "%3\r\n+version\r\n+7.0.15\r\n+role\r\n+master\r\n+mode\r\n+standalone\r\n"

    @Test("without a password: HELLO, then PING, then ready")
    func plain() {
        let script = ScriptedSession()
        script.session.connected(now: script.now)
        #expect(script.takeSent() == ["HELLO 3 SETNAME t"])
        script.hear(Self.hello)
        #expect(script.takeSent() == ["PING"])
        #expect(!script.session.isReady)
        #expect(!script.send("GET a", tag: 1))
        script.hear("+PONG\r\n")
        #expect(script.takeLog() == ["ready"])
        #expect(script.session.server?.version == "7.0.15")
        #expect(script.session.server?.mode == "standalone")
        #expect(script.send("GET a", tag: 1))
    }

    @Test("user, password and database go along")
    func credentials() {
        let script = ScriptedSession { settings in
            settings.credentials = RedisCredentials(user: "app", password: Array("s3".utf8))
            settings.database = 4
        }
        script.session.connected(now: script.now)
        #expect(script.takeSent() == ["HELLO 3 AUTH app s3 SETNAME t"])
        script.hear(Self.hello)
        #expect(script.takeSent() == ["SELECT 4"])
        script.hear("+OK\r\n")
        #expect(script.takeSent() == ["PING"])
    }

    @Test("a password alone is the default user's")
    func defaultUser() {
        let script = ScriptedSession { settings in
            settings.credentials.password = Array("s3".utf8)
            settings.clientName = ""
        }
        script.session.connected(now: script.now)
        #expect(script.takeSent() == ["HELLO 3 AUTH default s3"])
    }

    @Test(
        "where RESP3 is not spoken, AUTH and RESP2",
        arguments: [
            "-ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`, `default`, `s3`, \r\n",
            "-ERR unknown command 'HELLO'\r\n", "-NOPROTO unsupported protocol version\r\n",
        ])
    func fallback(_ answer: String) {
        let script = ScriptedSession { settings in
            settings.credentials.password = Array("s3".utf8)
            settings.database = 1
        }
        script.session.connected(now: script.now)
        _ = script.takeSent()
        script.hear(answer)
        #expect(script.takeSent() == ["AUTH s3"])
        script.hear("+OK\r\n")
        #expect(script.takeSent() == ["CLIENT SETNAME t"])
        script.hear("-ERR unknown subcommand\r\n")
        #expect(script.takeSent() == ["SELECT 1"])
        script.hear("+OK\r\n")
        #expect(script.takeSent() == ["PING"])
        script.hear("+PONG\r\n")
        #expect(script.takeLog() == ["ready"])
        #expect(script.session.server == RedisServerInfo(protocolVersion: 2))
    }

    @Test("the user's name goes along with RESP2 too")
    func fallbackUser() {
        let script = ScriptedSession { $0.credentials = RedisCredentials(user: "app", password: Array("s3".utf8)) }
        script.session.connected(now: script.now)
        script.hear("-NOPROTO no\r\n")
        #expect(script.takeSent().last == "AUTH app s3")
    }

    @Test(
        "a refusal ends the link and says why",
        arguments: [
            ("-WRONGPASS invalid username-password pair or user is disabled.\r\n", .wrongPassword),
            ("-NOAUTH HELLO must be called with the client already authenticated\r\n", .passwordRequired),
            ("-ERR max number of clients reached\r\n", .tooManyClients),
            ("-DENIED Redis is running in protected mode\r\n", .refused(code: "DENIED")),
            ("-LOADING Redis is loading the dataset in memory\r\n", .loading),
            ("-ERR syntax error in HELLO\r\n", .refused(code: "ERR")),
            ("-NOPROTO x\r\n-ERR invalid password\r\n", .wrongPassword),
            ("-NOPROTO x\r\n-WRONGPASS x\r\n", .wrongPassword),
            (hello + "-ERR DB index is out of range\r\n", .databaseRefused(code: "ERR")),
            (hello + "+OK\r\n-LOADING x\r\n", .loading),
            (hello + "+OK\r\n-MASTERDOWN x\r\n", .primaryDown),
            (hello + "+OK\r\n-BUSY x\r\n", .refused(code: "BUSY")),
            ("%1\r\n+role\r\n+replica\r\n", .readOnly),
            ("HTTP/1.1 400 Bad Request\r\n", .malformed(.unknownType(0x48))),
        ] as [(String, RedisLinkFault)])
    func refusals(_ answers: String, _ fault: RedisLinkFault) {
        let script = ScriptedSession { settings in
            settings.credentials.password = Array("hunter2".utf8)
            settings.database = 9
        }
        script.session.connected(now: script.now)
        script.hear(answers)
        #expect(script.takeLog() == ["failed \(fault.word)"])
        #expect(!fault.description.contains("hunter2") && !fault.description.isEmpty)
        #expect(!script.session.isReady)
        // Nothing that comes behind it counts.
        script.hear("+PONG\r\n")
        #expect(script.takeLog().isEmpty)
    }

    @Test("no fault repeats what an old server says of the password")
    func noSecrets() {
        let script = ScriptedSession { $0.credentials.password = Array("hunter2".utf8) }
        script.session.connected(now: script.now)
        var faults: [RedisLinkFault] = []
        Array("-HUNTER bad args: hunter2\r\n".utf8).withUnsafeBytes { bytes in
            var input = bytes
            while let event = script.session.next(&input, now: script.now) {
                if case .failed(let fault) = event { faults.append(fault) }
            }
        }
        #expect(faults == [.refused(code: "HUNTER")])
    }

    @Test("a user who may not PING, and a server that cannot save, are served", arguments: ["NOPERM", "MISCONF"])
    func answeringErrors(_ code: String) {
        let script = ScriptedSession()
        script.session.connected(now: script.now)
        script.hear(Self.hello + "-\(code) x\r\n")
        #expect(script.takeLog() == ["ready"])
    }

    @Test("a replica may be listened to")
    func subscriberOnReplica() {
        let script = ScriptedSession(.subscriptions)
        script.session.connected(now: script.now)
        script.hear("%1\r\n+role\r\n+replica\r\n+PONG\r\n")
        #expect(script.takeLog() == ["ready"])
    }

    @Test("a greeting that does not come to an end is given up")
    func timeout() {
        let script = ScriptedSession()
        script.session.connected(now: script.now)
        #expect(script.session.nextDeadline == script.now + 5 * .second)
        script.pass(4 * .second)
        script.hear(Self.hello)
        script.pass(.second - 1)
        #expect(script.takeLog().isEmpty)
        script.pass(1)
        #expect(script.takeLog() == ["failed greeting_timed_out"])
        #expect(script.session.nextDeadline == nil)
    }

    @Test("every link begins anew, with the credentials as they are then")
    func again() {
        let script = ScriptedSession.ready()
        script.hear("+O")
        script.disconnect()
        script.session.settings.credentials.password = Array("new".utf8)
        script.session.connected(now: script.now)
        #expect(script.takeSent() == ["HELLO 3 AUTH default new SETNAME t"])
        script.hear(Self.hello + "+PONG\r\n")
        #expect(script.takeLog() == ["ready"])
    }
}
