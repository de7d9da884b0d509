import Testing

@testable import TiffinLiveCore

@Suite("Event loop: the order and the bounds of a turn")
struct EventLoopTurnTests {
    @Test("clock step, mailboxes, timers, events, end of turn: in this order")
    func order() throws {
        let clock = LoopClock()
        let loop = try clock.makeLoop()
        let pair = try SocketPair()
        let mailbox = try Mailbox<Int>()
        var steps: [String] = []
        let source = RecordingSource()
        source.onReady = { _, _ in steps.append("event") }
        source.onTimer = { _ in steps.append("timer") }
        let registration = try loop.register(pair.near.descriptor, interest: .readable, source: source)
        try mailbox.attach(to: loop) { steps.append("mail \($0)") }
        loop.clockStepped = { steps.append("step") }
        loop.beforePoll = {
            steps.append("end")
            return false
        }
        loop.arm(registration, at: clock.manual.now.monotonic + .second)
        _ = pair.far.send([1])
        mailbox.post(1)
        clock.manual.advance(seconds: 2)
        clock.manual.stepWall(by: -3_600 * .second)
        loop.turn()
        #expect(steps == ["step", "mail [1]", "timer", "event", "end"])
    }

    @Test("mail posted after the wait is received before the input of that turn")
    func mailOvertakesInput() throws {
        let clock = LoopClock()
        let loop = try clock.makeLoop()
        let pair = try SocketPair()
        let mailbox = try Mailbox<String>()
        var steps: [String] = []
        let source = RecordingSource()
        source.onReady = { _, _ in steps.append("event") }
        let registration = try loop.register(pair.near.descriptor, interest: .readable, source: source)
        try mailbox.attach(to: loop) { steps += $0 }
        _ = pair.far.send([1])
        // The clock is read right after the wait, so epoll cannot have reported this message.
        var isPosted = false
        clock.onRead = {
            if !isPosted { mailbox.post("mail") }
            isPosted = true
        }
        loop.turn()
        #expect(steps == ["mail", "event"])
        loop.deregister(registration)
        for _ in 0..<3 { loop.turn(waitingAtMost: 0) }
        #expect(steps == ["mail", "event"])
    }

    @Test("an event of a source that a timer of the same turn took out is dropped")
    func timerTakesOut() throws {
        let clock = LoopClock()
        let loop = try clock.makeLoop()
        let pair = try SocketPair()
        let source = RecordingSource()
        let registration = try loop.register(pair.near.descriptor, interest: .readable, source: source)
        source.onTimer = { $0.deregister(registration) }
        loop.arm(registration, at: clock.manual.now.monotonic + .second)
        _ = pair.far.send([1])
        clock.manual.advance(seconds: 2)
        loop.turn()
        #expect(source.timersFired == 1)
        #expect(source.readiness.isEmpty)
    }

    @Test("a wall step is told once, slewing and time going by are not")
    func clockSteps() throws {
        let clock = LoopClock()
        let loop = try clock.makeLoop()
        var steps = 0
        loop.clockStepped = { steps += 1 }
        clock.manual.advance(seconds: 5)
        loop.turn(waitingAtMost: 0)
        clock.manual.stepWall(by: 90 * .millisecond)
        loop.turn(waitingAtMost: 0)
        #expect(steps == 0)
        // Small changes count against the last step, so that they cannot add up unnoticed.
        clock.manual.stepWall(by: 20 * .millisecond)
        loop.turn(waitingAtMost: 0)
        #expect(steps == 1)
        clock.manual.stepWall(by: -10 * .second)
        loop.turn(waitingAtMost: 0)
        loop.turn(waitingAtMost: 0)
        #expect(steps == 2)
    }

    @Test("work that is left makes the next wait return at once")
    func moreWork() throws {
        let loop = try EventLoop()
        var turns = 0
        loop.beforePoll = {
            turns += 1
            return turns < 100
        }
        let start = Clock.monotonic()
        for _ in 0..<100 { loop.turn(waitingAtMost: .second) }
        #expect(turns == 100)
        #expect(Clock.monotonic() - start < 50 * .second)
    }

    @Test("a source that arms an overdue moment again and again fires once a turn")
    func overdueRearm() throws {
        let clock = LoopClock()
        let loop = try clock.makeLoop()
        let source = RecordingSource()
        let registration = loop.registerTimer(source)
        source.onTimer = { $0.arm(registration, at: 0) }
        loop.arm(registration, at: 0)
        for turns in 1...5 {
            loop.turn()
            #expect(source.timersFired == turns)
        }
    }

    @Test("a mass expiry is spread over turns, so that input is seen in between")
    func massExpiry() throws {
        let clock = LoopClock()
        let loop = try clock.makeLoop()
        let pair = try SocketPair()
        let source = RecordingSource()
        let registration = try loop.register(pair.near.descriptor, interest: .readable, source: source)
        let expiring = RecordingSource()
        for _ in 0..<2_500 {
            loop.arm(loop.registerTimer(expiring), at: clock.manual.now.monotonic + .second)
        }
        _ = pair.far.send([1])
        clock.manual.advance(seconds: 2)
        loop.turn()
        #expect(expiring.timersFired == EventLoop.timersPerTurn)
        #expect(source.readiness.count == 1)
        loop.turn()
        loop.turn()
        #expect(expiring.timersFired == 2_500)
        #expect(source.readiness.count == 3)
        loop.deregister(registration)
    }

    @Test("a real timer fires not before its moment, and the loop sleeps until then")
    func realTimer() throws {
        let loop = try EventLoop()
        let source = RecordingSource()
        let registration = loop.registerTimer(source)
        let deadline = Clock.monotonic() + 30 * .millisecond
        var firedAt: Nanoseconds = 0
        source.onTimer = { loop in
            firedAt = loop.now.monotonic
            loop.stop()
        }
        var turns = 0
        loop.beforePoll = {
            turns += 1
            return false
        }
        loop.arm(registration, at: deadline)
        loop.run()
        #expect(firedAt >= deadline)
        #expect(turns <= 10)
    }

    @Test("disarmed and deregistered timers do not fire")
    func disarmed() throws {
        let clock = LoopClock()
        let loop = try clock.makeLoop()
        let source = RecordingSource()
        let first = loop.registerTimer(source)
        let second = loop.registerTimer(source)
        loop.arm(first, at: clock.manual.now.monotonic + .second)
        loop.arm(second, at: clock.manual.now.monotonic + .second)
        loop.disarm(first)
        loop.deregister(second)
        clock.manual.advance(seconds: 10)
        loop.turn(waitingAtMost: 0)
        #expect(source.timersFired == 0)
    }

    @Test("turns are counted, and the longest is remembered")
    func longestTurn() throws {
        let clock = LoopClock()
        let loop = try clock.makeLoop()
        let source = RecordingSource()
        let registration = loop.registerTimer(source)
        source.onTimer = { _ in clock.manual.advance(by: 70 * .millisecond) }
        loop.arm(registration, at: 0)
        loop.turn()
        #expect(loop.lastTurn == 70 * .millisecond)
        loop.turn(waitingAtMost: 0)
        #expect(loop.lastTurn == 0)
        #expect(loop.statistics.turns == 2)
        #expect(loop.statistics.longest == 70 * .millisecond)
        #expect(loop.statistics.busy == UInt64(70 * Nanoseconds.millisecond))
    }
}
