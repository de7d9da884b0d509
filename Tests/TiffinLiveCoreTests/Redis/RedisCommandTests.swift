import Testing

@testable import TiffinLiveCore

@Suite("Redis: commands and their replies")
struct RedisCommandTests {
    @Test("replies are matched by order; an error is one command's reply")
    func order() {
        let script = ScriptedSession.ready()
        for tag in 1...5 { #expect(script.send("GET k\(tag)", tag: tag)) }
        #expect(script.takeSent() == (1...5).map { "GET k\($0)" })
        script.hear("$1\r\na\r\n-WRONGTYPE x\r\n$-1\r\n-ERR y\r\n")
        #expect(script.takeLog() == ["1: a", "2: -WRONGTYPE", "3: null", "4: -ERR"])
        script.hear("+OK\r\n")
        #expect(script.takeLog() == ["5: OK"])
        #expect(script.session.pendingCount == 0)
    }

    @Test("ten thousand replies, with errors in between, go to whom they belong", arguments: 0..<4)
    func mass(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let script = ScriptedSession.ready { $0.maximumPending = 1000 }
        var sent = 0
        var answered = 0
        var expected: [String] = []
        while answered < 10_000 {
            for _ in 0..<Int.random(in: 0...50, using: &random) where script.send("GET \(sent)", tag: sent) {
                sent += 1
            }
            var text = ""
            for _ in 0..<min(Int.random(in: 0...60, using: &random), sent - answered) {
                let isError = Int.random(in: 0..<4, using: &random) == 0
                text += isError ? "-OOPS \(answered)\r\n" : "$\(String(answered).utf8.count)\r\n\(answered)\r\n"
                expected.append(isError ? "\(answered): -OOPS" : "\(answered): \(answered)")
                answered += 1
            }
            script.hear(text)
        }
        #expect(script.takeLog() == expected)
        #expect(script.session.pendingCount == sent - answered)
    }

    @Test("a command that timed out gets no reply any more, and its late reply is nobody else's")
    func timeout() {
        let script = ScriptedSession.ready()
        #expect(script.send("GET a", tag: 1, timeout: .second))
        #expect(script.send("GET b", tag: 2, timeout: 3 * .second))
        #expect(script.session.nextDeadline == script.now + .second)
        script.pass(.second)
        #expect(script.takeLog() == ["1: timedOut"])
        #expect(script.session.nextDeadline == script.now + 2 * .second)
        script.hear("$1\r\na\r\n$1\r\nb\r\n")
        #expect(script.takeLog() == ["2: b"])
    }

    @Test("replies are counted with the time they took, errors and those that came too late apart")
    func statistics() {
        let script = ScriptedSession.ready()
        for tag in 1...4 { #expect(script.send("GET a", tag: tag, timeout: 3 * .second)) }
        script.pass(.second)
        script.hear("$1\r\na\r\n-WRONGTYPE x\r\n")
        script.pass(2 * .second)
        script.hear("$1\r\nc\r\n-WRONGTYPE d\r\n")
        #expect(script.session.statistics.replies == 2)
        #expect(script.session.statistics.replyTime == UInt64(2 * Nanoseconds.second))
        #expect(script.session.statistics.errors == 1)
        #expect(script.session.statistics.timeouts == 2)
    }

    @Test("deadlines in any order are kept, each once")
    func deadlines() {
        let script = ScriptedSession.ready()
        for (tag, seconds) in [(1, 5), (2, 1), (3, 3), (4, 1)] as [(Int, Int64)] {
            #expect(script.send("GET a", tag: tag, timeout: seconds * .second))
        }
        script.pass(.second)
        #expect(script.takeLog() == ["2: timedOut", "4: timedOut"])
        script.pass(.second)
        #expect(script.takeLog().isEmpty)
        script.pass(.second)
        #expect(script.takeLog() == ["3: timedOut"])
        script.hear("+1\r\n+2\r\n+3\r\n+4\r\n")
        #expect(script.takeLog() == ["1: 1"])
    }

    @Test("without a time of its own a command waits as long as the settings say")
    func defaultTimeout() {
        let script = ScriptedSession.ready { $0.commandTimeout = 7 * .second }
        #expect(script.send("GET a", tag: 1))
        script.pass(7 * .second - 1)
        #expect(script.takeLog().isEmpty)
        script.pass(1)
        #expect(script.takeLog() == ["1: timedOut"])
    }

    @Test("commands under way when the link is lost are told so, in order, once")
    func lost() {
        let script = ScriptedSession.ready()
        for tag in 1...3 { #expect(script.send("INCR a", tag: tag, timeout: Int64(tag) * .second)) }
        script.pass(.second)
        script.disconnect()
        #expect(script.takeLog() == ["1: timedOut", "2: lost", "3: lost"])
        #expect(!script.send("INCR a", tag: 4))
        script.greet()
        #expect(script.takeSent().isEmpty, "nothing is sent twice")
    }

    @Test(
        "errors that concern the link are told, and end it",
        arguments: [
            "NOAUTH": "password_required", "LOADING": "loading", "READONLY": "read_only", "MASTERDOWN": "primary_down",
        ])
    func dropping(_ code: String, _ word: String) {
        let script = ScriptedSession.ready()
        for tag in 1...2 { #expect(script.send("SET a b", tag: tag)) }
        script.hear("-\(code) text\r\n+OK\r\n")
        #expect(script.takeLog() == ["1: -\(code)", "failed \(word)"])
        #expect(!script.send("SET a b", tag: 3))
        script.disconnect()
        #expect(script.takeLog() == ["2: lost"])
    }

    @Test(
        "errors that concern one command leave the link",
        arguments: ["OOM", "BUSY", "MISCONF", "MOVED", "NOPERM", "NOSCRIPT", "ERR"])
    func staying(_ code: String) {
        let script = ScriptedSession.ready()
        #expect(script.send("SET a b", tag: 1))
        script.hear("-\(code) text\r\n")
        #expect(script.takeLog() == ["1: -\(code)"])
        #expect(script.session.isReady)
    }

    @Test("no more is taken than may wait")
    func bounds() {
        let script = ScriptedSession.ready { settings in
            settings.maximumPending = 3
            settings.maximumOutput = 1000
        }
        for tag in 1...3 { #expect(script.send("GET a", tag: tag)) }
        #expect(!script.send("GET a", tag: 4))
        script.hear("+1\r\n")
        #expect(script.send([Array("SET".utf8), .init(repeating: 0x61, count: 2000)], tag: 5))
        script.hear("+2\r\n")
        #expect(!script.send("GET a", tag: 6), "the output is full")
        _ = script.takeSent()
        #expect(script.send("GET a", tag: 7))
    }

    @Test(
        "what would shift replies or change the protocol is not sent",
        arguments: [
            "", "SUBSCRIBE a", "subscribe a", "PSUBSCRIBE a", "MONITOR", "RESET", "QUIT", "HELLO 2", "AUTH x",
            "SELECT 1",
            "MULTI", "CLIENT REPLY OFF", "client reply skip",
        ])
    func rules(_ command: String) {
        let script = ScriptedSession.ready()
        #expect(!script.send(command, tag: 1))
        #expect(script.send("CLIENT ID", tag: 2))
        #expect(script.takeSent() == ["CLIENT ID"])
    }

    @Test("a reply to no command ends the link")
    func unasked() {
        let script = ScriptedSession.ready()
        script.hear("+OK\r\n")
        #expect(script.takeLog() == ["failed out_of_step"])
    }

    @Test("a confirmation where a reply was due ends the link, and the command is told")
    func confirmation() {
        let script = ScriptedSession.ready()
        #expect(script.send("GET a", tag: 1))
        script.hear(ScriptedSession.push("subscribe", "a", "1"))
        script.disconnect()
        #expect(script.takeLog() == ["failed out_of_step", "1: lost"])
    }

    @Test("a violation of the protocol ends the link; earlier replies count")
    func malformed() {
        let script = ScriptedSession.ready()
        for tag in 1...2 { #expect(script.send("GET a", tag: tag)) }
        script.hear("+1\r\n$-7\r\n+2\r\n")
        #expect(script.takeLog() == ["1: 1", "failed malformed"])
    }

    @Test("pushes of other kinds answer no command")
    func pushes() {
        let script = ScriptedSession.ready()
        #expect(script.send("GET a", tag: 1))
        script.hear(">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\na\r\n+1\r\n")
        #expect(script.takeLog() == ["1: 1"])
    }

    @Test("replies cut anywhere are the same replies")
    func chunked() {
        let text = "$3\r\na\r\n\r\n-WRONGTYPE x\r\n*2\r\n:1\r\n$-1\r\n_\r\n"
        let log = ChunkedFeed.check(Array(text.utf8)) { chunks in
            let script = ScriptedSession.ready()
            for tag in 1...4 { _ = script.send("GET a", tag: tag) }
            for chunk in chunks { script.hear(String(decoding: chunk, as: UTF8.self)) }
            return script.takeLog()
        }
        #expect(log.count == 4)
        #expect(log[1] == "2: -WRONGTYPE")
    }
}
