import Testing

@testable import TiffinLiveCore

@Suite("Redis: channels")
struct RedisSubscriptionTests {
    @Test("a channel is in force once it is confirmed, and its messages arrive", arguments: [2, 3])
    func messages(_ version: Int) {
        let script = ScriptedSession.ready(.subscriptions, version: version)
        script.session.subscribe("orders:1", now: script.now)
        #expect(script.takeSent() == ["SUBSCRIBE orders:1"])
        #expect(!script.session.ledger.isInForce("orders:1") && !script.session.ledger.isSettled)
        script.hear(
            ScriptedSession.push("subscribe", "orders:1", "1", version: version)
                + ScriptedSession.push("message", "orders:1", "a\r\nb", version: version)
                + ScriptedSession.push("message", "orders:1", "", version: version))
        #expect(script.takeLog() == ["subscribed orders:1", "orders:1> a\r\nb", "orders:1> "])
        #expect(script.session.ledger.isInForce("orders:1") && script.session.ledger.isSettled)
    }

    @Test("what is wanted before there is a link is subscribed when there is one, and again after a loss")
    func acrossLinks() {
        let script = ScriptedSession(.subscriptions)
        for channel in ["a", "b", "c"] { script.session.subscribe(channel, now: script.now) }
        script.session.unsubscribe("c", now: script.now)
        #expect(script.takeSent().isEmpty)
        for _ in 0..<3 {
            script.session.connected(now: script.now)
            script.hear("%0\r\n+PONG\r\n")
            #expect(script.takeSent().dropFirst(2).sorted() == ["SUBSCRIBE a", "SUBSCRIBE b"])
            script.disconnect()
            #expect(!script.session.ledger.isSettled)
        }
        #expect(script.takeLog() == ["ready", "ready", "ready"])
    }

    @Test("wanting twice subscribes once")
    func twice() {
        let script = ScriptedSession.ready(.subscriptions)
        script.session.subscribe("a", now: script.now)
        script.session.subscribe("a", now: script.now)
        script.hear(ScriptedSession.push("subscribe", "a", "1"))
        script.session.subscribe("a", now: script.now)
        #expect(script.takeSent() == ["SUBSCRIBE a"])
        #expect(script.takeLog() == ["subscribed a"])
    }

    @Test("a change of mind while Redis is slow ends as it was meant last")
    func changeOfMind() {
        let script = ScriptedSession.ready(.subscriptions)
        script.session.subscribe("a", now: script.now)
        script.session.unsubscribe("a", now: script.now)
        script.session.subscribe("a", now: script.now)
        script.session.unsubscribe("a", now: script.now)
        #expect(script.takeSent() == ["SUBSCRIBE a"])
        script.hear(ScriptedSession.push("subscribe", "a", "1") + ScriptedSession.push("message", "a", "x"))
        #expect(script.takeLog().isEmpty, "not wanted any more")
        #expect(script.takeSent() == ["UNSUBSCRIBE a"])
        script.session.subscribe("a", now: script.now)
        #expect(script.takeSent().isEmpty)
        script.hear(ScriptedSession.push("message", "a", "y") + ScriptedSession.push("unsubscribe", "a", "0"))
        #expect(script.takeSent() == ["SUBSCRIBE a"])
        script.hear(ScriptedSession.push("subscribe", "a", "1") + ScriptedSession.push("message", "a", "z"))
        #expect(script.takeLog() == ["subscribed a", "a> z"])
        script.session.unsubscribe("a", now: script.now)
        script.hear(ScriptedSession.push("unsubscribe", "a", "0"))
        #expect(script.session.ledger.count == 0, "nothing is kept of it")
    }

    @Test("a channel that is forbidden is refused alone, until the next link")
    func forbidden() {
        let script = ScriptedSession.ready(.subscriptions)
        for channel in ["a", "b", "c"] { script.session.subscribe(channel, now: script.now) }
        script.hear(ScriptedSession.push("subscribe", "a", "1"))
        script.hear("-NOPERM No permissions to access a channel\r\n" + ScriptedSession.push("subscribe", "c", "2"))
        #expect(script.takeLog() == ["subscribed a", "refused b NOPERM", "subscribed c"])
        #expect(script.session.ledger.isSettled && !script.session.ledger.isInForce("b"))
        _ = script.takeSent()
        script.disconnect()
        script.greet()
        script.hear("")
        #expect(script.session.pendingCount == 3)
    }

    @Test(
        "any other error to it ends the link, which subscribes all anew",
        arguments: ["BUSY", "LOADING", "NOAUTH", "ERR"])
    func otherErrors(_ code: String) {
        let script = ScriptedSession.ready(.subscriptions)
        script.session.subscribe("a", now: script.now)
        script.hear("-\(code) x\r\n")
        #expect(script.takeLog().count == 1 && !script.session.isReady)
        #expect(script.session.ledger.wantedCount == 1)
    }

    @Test(
        "confirmations that do not fit end the link",
        arguments: [
            ScriptedSession.push("subscribe", "b", "1"), ScriptedSession.push("unsubscribe", "a", "0"),
            ScriptedSession.push("subscribe", "a"), ScriptedSession.push("message", "a"), "+OK\r\n", ">0\r\n",
            ScriptedSession.push("subscribe", "a", "1") + ScriptedSession.push("unsubscribe", "a", "0"),
        ])
    func outOfStep(_ text: String) {
        let script = ScriptedSession.ready(.subscriptions)
        script.session.subscribe("a", now: script.now)
        script.hear(text)
        #expect(script.takeLog().last == "failed out_of_step")
    }

    @Test("messages of channels that nobody wants are dropped")
    func unwanted() {
        let script = ScriptedSession.ready(.subscriptions)
        script.hear(ScriptedSession.push("message", "a", "x"))
        #expect(script.takeLog().isEmpty)
        #expect(script.session.isReady)
    }

    @Test("no command is taken by a subscriber, and no message is one's reply")
    func roles() {
        let script = ScriptedSession.ready(.subscriptions)
        #expect(!script.send("GET a", tag: 1))
    }

    /// A Redis in a few lines: obeys in order, at any delay.
    private struct Model {
        var queue: [String] = []
        var subscribed: Set<String> = []

        mutating func answerOne() -> String? {
            guard !queue.isEmpty else { return nil }
            let words = queue.removeFirst().split(separator: " ").map(String.init)
            guard words.count == 2 else { return "+PONG\r\n" }
            if words[0] == "SUBSCRIBE" { subscribed.insert(words[1]) } else { subscribed.remove(words[1]) }
            return ScriptedSession.push(words[0].lowercased(), words[1], String(subscribed.count))
        }
    }

    @Test("after any order of wishes, delays and losses, Redis has exactly what is wanted", arguments: 0..<40)
    func model(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let script = ScriptedSession.ready(.subscriptions)
        var redis = Model()
        var wanted: Set<String> = []
        for _ in 0..<400 {
            let channel = ["a", "b", "c", "d"][Int.random(in: 0..<4, using: &random)]
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<7:
                script.session.subscribe(channel, now: script.now)
                wanted.insert(channel)
            case 7..<13:
                script.session.unsubscribe(channel, now: script.now)
                wanted.remove(channel)
            case 13..<19:
                redis.queue += script.takeSent()
                if let answer = redis.answerOne() { script.hear(answer) }
            default:
                script.disconnect()
                redis = Model()
                script.session.connected(now: script.now)
                script.hear("%0\r\n+PONG\r\n")
                redis.queue = script.takeSent().filter { $0.hasSuffix("SCRIBE") == false && $0.contains("SCRIBE") }
            }
        }
        repeat {
            redis.queue += script.takeSent()
            while let answer = redis.answerOne() { script.hear(answer) }
        } while !script.session.output.isEmpty
        #expect(redis.subscribed == wanted)
        #expect(script.session.ledger.isSettled)
        #expect(script.session.ledger.wantedCount == wanted.count && script.session.ledger.count == wanted.count)
        for channel in ["a", "b", "c", "d"] {
            #expect(script.session.ledger.isInForce(channel) == wanted.contains(channel))
        }
        #expect(!script.takeLog().contains { $0.hasPrefix("failed") })
    }
}
