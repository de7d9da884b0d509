import Testing

@testable import TiffinLiveCore

@Suite("Redis: what goes from one link to the next, and from one reply to the next")
struct RedisLinkChangeTests {
    @Test("what the old server said of itself is not said of the new one")
    func server() {
        let script = ScriptedSession.ready()
        #expect(script.session.server?.version == "7.2.4")
        script.disconnect()
        script.session.connected(now: script.now)
        #expect(script.session.server == nil)
    }

    @Test("no deadline of the old link is one of the new")
    func deadline() {
        let script = ScriptedSession.ready()
        #expect(script.send("GET a", tag: 1, timeout: .second))
        script.disconnect()
        #expect(script.session.nextDeadline == nil)
        script.greet()
        #expect(script.session.nextDeadline == script.now + 5 * .second)
    }

    @Test("output up to its limit is taken, and none behind it")
    func output() {
        // "GET a" is 20 bytes on the wire.
        for (limit, isTaken) in [(20, false), (21, true)] {
            let script = ScriptedSession.ready { $0.maximumOutput = limit }
            #expect(script.send("GET a", tag: 1))
            #expect(script.session.output.count == 20)
            #expect(script.send("GET a", tag: 2) == isTaken)
        }
    }

    @Test("a reply that trickles has its minute from the reply before it, not from the question")
    func trickle() {
        let script = ScriptedSession.ready()
        for tag in 1...2 { #expect(script.send("GET a", tag: tag, timeout: 600 * .second)) }
        script.pass(9 * .second)
        script.hear("+1\r\n$100\r\n")
        for _ in 0..<6 {
            script.pass(9 * .second)
            script.hear("x")
        }
        #expect(script.takeLog() == ["1: 1"])
        #expect(script.session.isReady)
        script.pass(6 * .second)
        #expect(script.takeLog() == ["failed silent"])
    }

    @Test("each confirmation gives the next question its time anew")
    func confirmations() {
        let script = ScriptedSession.ready(.subscriptions)
        for channel in ["a", "b", "c"] { script.session.subscribe(channel, now: script.now) }
        for channel in ["a", "b"] {
            script.pass(9 * .second)
            script.hear(ScriptedSession.push("subscribe", channel, "1"))
        }
        #expect(script.takeLog() == ["subscribed a", "subscribed b"])
        script.pass(10 * .second - 1)
        #expect(script.session.isReady)
        script.pass(1)
        #expect(script.takeLog() == ["failed silent"])
    }
}
