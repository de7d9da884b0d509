import Testing

@testable import TiffinLiveCore

@Suite("Redis: a link that says nothing")
struct RedisHealthTests {
    @Test("silence is asked about, an answer is enough", arguments: [RedisSession<Int>.Role.commands, .subscriptions])
    func ping(_ role: RedisSession<Int>.Role) {
        let script = ScriptedSession.ready(role)
        for _ in 0..<3 {
            #expect(script.session.nextDeadline == script.now + 5 * .second)
            script.pass(5 * .second)
            #expect(script.takeSent() == ["PING"])
            script.now += .second
            script.hear("+PONG\r\n")
        }
        #expect(script.takeLog().isEmpty)
    }

    @Test("a PING without an answer ends the link after ten seconds")
    func dead() {
        let script = ScriptedSession.ready()
        script.pass(5 * .second)
        #expect(script.session.nextDeadline == script.now + 10 * .second)
        script.pass(10 * .second - 1)
        #expect(script.takeLog().isEmpty)
        script.pass(1)
        #expect(script.takeLog() == ["failed silent"])
    }

    @Test("a command without an answer ends it too, after its own time is up")
    func deadCommand() {
        let script = ScriptedSession.ready()
        #expect(script.send("GET a", tag: 1))
        script.pass(2 * .second)
        #expect(script.takeLog() == ["1: timedOut"])
        script.pass(8 * .second)
        #expect(script.takeLog() == ["failed silent"])
        #expect(script.takeSent() == ["GET a"], "a PING behind it would tell nothing")
    }

    @Test("messages keep a subscriber from being asked")
    func messages() {
        let script = ScriptedSession.ready(.subscriptions)
        script.session.subscribe("c", now: script.now)
        script.hear(ScriptedSession.push("subscribe", "c", "1"))
        for _ in 0..<10 {
            script.pass(4 * .second)
            script.hear(ScriptedSession.push("message", "c", "x"))
        }
        #expect(script.takeSent() == ["SUBSCRIBE c"])
    }

    @Test("messages do not hide that nothing we send arrives")
    func oneDirection() {
        let script = ScriptedSession.ready(.subscriptions)
        script.session.subscribe("c", now: script.now)
        script.hear(ScriptedSession.push("subscribe", "c", "1"))
        script.session.subscribe("d", now: script.now)
        _ = script.takeLog()
        for _ in 0..<5 {
            script.pass(2 * .second)
            script.hear(ScriptedSession.push("message", "c", "x"))
        }
        script.pass(0)
        #expect(script.takeLog().last == "failed silent")
    }

    @Test("a reply that is still arriving is an answer, but not for ever")
    func slowReply() {
        let script = ScriptedSession.ready()
        #expect(script.send("GET a", tag: 1, timeout: 600 * .second))
        script.hear("$100\r\n")
        for _ in 0..<6 {
            script.pass(9 * .second)
            script.hear("x")
        }
        #expect(script.takeLog().isEmpty)
        script.pass(6 * .second)
        #expect(script.takeLog() == ["failed silent"])
    }

    @Test("a PING that is refused is an answer, unless it says that nobody is served")
    func refusedPing() {
        let script = ScriptedSession.ready()
        script.pass(5 * .second)
        script.hear("-NOPERM x\r\n")
        #expect(script.takeLog().isEmpty)
        script.pass(5 * .second)
        script.hear("-NOAUTH x\r\n")
        #expect(script.takeLog() == ["failed password_required"])
    }

    @Test("with RESP2 a subscriber's PING is answered in either form")
    func resp2() {
        let script = ScriptedSession.ready(.subscriptions, version: 2)
        script.pass(5 * .second)
        script.hear("+PONG\r\n")
        script.session.subscribe("c", now: script.now)
        script.hear(ScriptedSession.push("subscribe", "c", "1", version: 2))
        script.pass(5 * .second)
        script.hear("*2\r\n$4\r\npong\r\n$0\r\n\r\n")
        #expect(script.takeLog() == ["subscribed c"])
        #expect(script.takeSent() == ["PING", "SUBSCRIBE c", "PING"])
        #expect(script.session.pendingCount == 0)
    }
}
