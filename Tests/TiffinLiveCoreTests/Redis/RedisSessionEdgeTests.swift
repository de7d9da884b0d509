import Testing

@testable import TiffinLiveCore

private func push(_ words: [String], version: Int = 3) -> String {
    words.reduce("\(version == 3 ? ">" : "*")\(words.count)\r\n") { $0 + "$\($1.utf8.count)\r\n\($1)\r\n" }
}

@Suite("Redis: one step of the greeting after the other")
struct RedisGreetingStepTests {
    private static let hello = "%1\r\n+role\r\n+master\r\n"

    private func begun(
        _ role: RedisSession<Int>.Role = .commands, _ change: (inout RedisSettings) -> Void = { _ in }
    ) -> ScriptedSession {
        let script = ScriptedSession(role, change)
        script.session.connected(now: script.now)
        return script
    }

    @Test("the steps are asked one by one, never ahead of an answer")
    func oneByOne() {
        let script = begun { $0.database = 3 }
        #expect(script.session.state == .greeting(.hello) && script.session.pendingCount == 1)
        script.hear(Self.hello)
        #expect(script.session.state == .greeting(.select) && script.session.pendingCount == 1)
        script.hear("+OK\r\n")
        #expect(script.session.state == .greeting(.ping) && script.session.isGreeting)
        script.hear("+PONG\r\n")
        #expect(script.session.state == .ready && script.session.pendingCount == 0 && !script.session.isGreeting)
    }

    @Test("without a password RESP2 asks for none, and without a name gives none")
    func shortFallback() {
        let named = begun()
        _ = named.takeSent()
        named.hear("-NOPROTO x\r\n")
        #expect(named.takeSent() == ["CLIENT SETNAME t"])
        let nameless = begun { $0.clientName = "" }
        #expect(nameless.takeSent() == ["HELLO 3"])
        nameless.hear("-NOPROTO x\r\n")
        #expect(nameless.takeSent() == ["PING"])
        #expect(nameless.session.server?.protocolVersion == 2)
    }

    @Test(
        "an error that concerns the link ends the greeting at any step, and so do too many clients",
        arguments: ["NOAUTH", "LOADING", "READONLY", "MASTERDOWN", "ERR max number of clients reached"])
    func linkErrors(_ code: String) {
        let before = [
            "", "-NOPROTO x\r\n", "-NOPROTO x\r\n+OK\r\n", "-NOPROTO x\r\n+OK\r\n+OK\r\n", Self.hello + "+OK\r\n",
        ]
        for answers in before {
            let script = begun { settings in
                settings.credentials.password = [0x78]
                settings.database = 1
            }
            script.hear(answers + "-\(code) x\r\n")
            #expect(script.session.state == .failed, "\(code) after \(answers)")
            #expect(script.takeLog().count == 1)
        }
    }

    @Test(
        "an ERR that only speaks of an unknown command is a refusal",
        arguments: ["ERR Unknown", "ERR an unknown command"])
    func notUnknown(_ text: String) {
        let script = begun()
        script.hear("-\(text)\r\n")
        #expect(script.takeLog() == ["failed refused"])
    }

    @Test("messages and confirmations before the greeting is over end it, or are nothing")
    func early() {
        let confirmation = begun(.subscriptions)
        confirmation.hear(push(["subscribe", "a", "1"]))
        #expect(confirmation.takeLog() == ["failed out_of_step"])
        let message = begun(.subscriptions)
        message.hear(push(["message", "a", "x"]))
        #expect(message.takeLog().isEmpty && message.session.isGreeting)
    }

    @Test("RESP2 arrays are messages only once the link is ready, and only to a subscriber")
    func arrays() {
        let script = begun(.subscriptions)
        script.hear("-NOPROTO x\r\n+OK\r\n*0\r\n")
        #expect(script.takeLog() == ["ready"], "whatever answers the PING is an answer")
        script.hear("*0\r\n")
        #expect(script.takeLog() == ["failed out_of_step"])
        let commands = ScriptedSession.ready(.commands, version: 2)
        #expect(commands.send("LRANGE a 0 -1", tag: 1))
        commands.hear(push(["message", "a", "x"], version: 2))
        #expect(commands.takeLog().count == 1 && commands.session.isReady)
    }

    @Test("what was wanted while the link was greeting is subscribed when it is ready, once")
    func wishes() {
        let script = begun(.subscriptions)
        script.session.subscribe("a", now: script.now)
        _ = script.takeSent()
        script.hear(Self.hello)
        script.session.subscribe("b", now: script.now)
        script.session.subscribe("a", now: script.now)
        #expect(script.takeSent() == ["PING"])
        script.hear("+PONG\r\n")
        #expect(script.takeSent().sorted() == ["SUBSCRIBE a", "SUBSCRIBE b"])
    }

    @Test("a commands link subscribes nothing, and a failed one takes no command")
    func roles() {
        let script = ScriptedSession()
        script.session.subscribe("a", now: script.now)
        script.greet()
        #expect(script.takeSent().isEmpty && script.session.isReady)
        script.hear("?")
        #expect(!script.send("GET a", tag: 1))
        #expect(script.session.nextDeadline == nil)
        script.pass(100 * .second)
        #expect(script.takeLog() == ["failed malformed"])
    }

    @Test("too early a deadline does nothing, in any state")
    func tooEarly() {
        let script = ScriptedSession()
        script.pass(100 * .second)
        script.session.connected(now: script.now)
        script.pass(5 * .second - 1)
        #expect(script.session.isGreeting)
        script.hear(Self.hello + "+PONG\r\n")
        _ = script.takeSent()
        script.pass(5 * .second - 1)
        #expect(script.takeSent().isEmpty)
        #expect(script.takeLog() == ["ready"])
        script.pass(1)
        #expect(script.takeSent() == ["PING"])
    }
}

@Suite("Redis: replies in order, whatever happens between them")
struct RedisReplyOrderTests {
    @Test("a PING of ours between two commands takes its own reply only")
    func pingBetween() {
        let script = ScriptedSession.ready()
        script.pass(5 * .second)
        #expect(script.send("GET a", tag: 1))
        #expect(script.takeSent() == ["PING", "GET a"])
        script.hear("+PONG\r\n+1\r\n")
        #expect(script.takeLog() == ["1: 1"])
    }

    @Test("timed-out and waiting commands in turn: each late reply falls to nobody, each timely one to its own")
    func mixed() {
        let script = ScriptedSession.ready()
        for tag in 1...6 {
            #expect(script.send("GET a", tag: tag, timeout: tag.isMultiple(of: 2) ? .second : 9 * .second))
        }
        script.pass(.second)
        #expect(script.takeLog() == ["2: timedOut", "4: timedOut", "6: timedOut"])
        script.hear("+1\r\n-ERR late\r\n+3\r\n*1\r\n+late\r\n-OOPS\r\n+late\r\n")
        #expect(script.takeLog() == ["1: 1", "3: 3", "5: -OOPS"])
        #expect(script.session.pendingCount == 0 && script.session.isReady)
    }

    @Test("a late error that concerns the link ends it all the same")
    func lateLinkError() {
        let script = ScriptedSession.ready()
        #expect(script.send("GET a", tag: 1, timeout: .second))
        script.pass(.second)
        script.hear("-READONLY x\r\n")
        #expect(script.takeLog() == ["1: timedOut", "failed read_only"])
    }

    @Test("replies behind a fault in the same segment count for nothing, and their commands are lost")
    func behindFault() {
        let script = ScriptedSession.ready()
        for tag in 1...3 { #expect(script.send("GET a", tag: tag)) }
        script.hear("-NOAUTH x\r\n+2\r\n+3\r\n")
        #expect(script.takeLog() == ["1: -NOAUTH", "failed password_required"])
        script.hear("+2\r\n")
        script.disconnect()
        #expect(script.takeLog() == ["2: lost", "3: lost"])
        #expect(script.session.state == .disconnected && script.session.pendingCount == 0)
    }

    @Test("half a reply of the old link is no part of the new one's")
    func halfReply() {
        let script = ScriptedSession.ready()
        #expect(script.send("GET a", tag: 1))
        script.hear("*2\r\n$5\r\nab")
        script.disconnect()
        script.greet()
        #expect(script.send("GET b", tag: 2))
        script.hear("+2\r\n")
        #expect(script.takeLog() == ["2: 2"])
    }

    @Test("a deadline past the end of the clock is its end, and traps nothing")
    func farDeadline() {
        let script = ScriptedSession.ready { settings in
            settings.silence = .max
            settings.quiet = .max
        }
        #expect(script.send("GET a", tag: 1, timeout: .max))
        #expect(script.session.nextDeadline == .max)
        script.pass(3600 * .second)
        #expect(script.takeLog().isEmpty)
        script.hear("+1\r\n")
        #expect(script.takeLog() == ["1: 1"])
    }

    @Test(
        "a time-out of nothing is over at the next look, and a negative one too", arguments: [Nanoseconds(0), -5, .min])
    func noTime(_ timeout: Nanoseconds) {
        let script = ScriptedSession.ready()
        #expect(script.send("GET a", tag: 1, timeout: timeout))
        script.pass(0)
        #expect(script.takeLog() == ["1: timedOut"])
        script.hear("+1\r\n")
        #expect(script.takeLog().isEmpty && script.session.isReady)
    }

    @Test("the link is silent when the oldest question is, however many later ones came in between")
    func oldestQuestion() {
        let script = ScriptedSession.ready()
        #expect(script.send("GET a", tag: 1, timeout: 600 * .second))
        for tag in 2...5 {
            script.pass(2 * .second)
            #expect(script.send("GET a", tag: tag, timeout: 600 * .second))
        }
        script.pass(2 * .second - 1)
        #expect(script.session.isReady)
        script.pass(1)
        #expect(script.takeLog() == ["failed silent"])
    }

    @Test("each reply gives the next question its time anew")
    func progress() {
        let script = ScriptedSession.ready()
        for tag in 1...4 { #expect(script.send("GET a", tag: tag, timeout: 600 * .second)) }
        for tag in 1...3 {
            script.pass(9 * .second)
            script.hear("+\(tag)\r\n")
        }
        #expect(script.takeLog() == ["1: 1", "2: 2", "3: 3"])
        script.pass(10 * .second - 1)
        #expect(script.session.isReady)
        script.pass(1)
        #expect(script.takeLog() == ["failed silent"])
    }

    @Test("messages that a subscriber hears put off the PING, to the nanosecond after the last")
    func quiet() {
        let script = ScriptedSession.ready(.subscriptions)
        script.now += 3 * .second
        script.hear(push(["message", "nobody's", "x"]))
        #expect(script.session.nextDeadline == script.now + 5 * .second)
        script.pass(5 * .second - 1)
        #expect(script.takeSent().isEmpty)
        script.pass(1)
        #expect(script.takeSent() == ["PING"])
    }

    @Test(
        "pushes without a kind, or with a kind and the wrong parts, end the link",
        arguments: [
            ">0\r\n", ">1\r\n:1\r\n", ">2\r\n+message\r\n+a\r\n", ">3\r\n+message\r\n:1\r\n+x\r\n",
            ">3\r\n+message\r\n+a\r\n:1\r\n", ">3\r\n+subscribe\r\n:1\r\n:1\r\n",
            ">4\r\n+subscribe\r\n+a\r\n:1\r\n:2\r\n",
        ])
    func badPushes(_ text: String) {
        let script = ScriptedSession.ready(.subscriptions)
        script.session.subscribe("a", now: script.now)
        script.hear(text)
        #expect(script.takeLog() == ["failed out_of_step"])
    }

    @Test(
        "an error to the end of a subscription ends the link",
        arguments: [("NOPERM", "refused"), ("LOADING", "loading")])
    func refusedEnd(_ code: String, _ word: String) {
        let script = ScriptedSession.ready(.subscriptions)
        script.session.subscribe("a", now: script.now)
        script.hear(push(["subscribe", "a", "1"]))
        script.session.unsubscribe("a", now: script.now)
        script.hear("-\(code) x\r\n")
        #expect(script.takeLog() == ["subscribed a", "failed \(word)"])
    }
}
