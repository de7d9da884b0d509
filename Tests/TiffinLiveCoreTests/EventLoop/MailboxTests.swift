import Synchronization
import Testing

@testable import TiffinLiveCore

@Suite("Mailbox")
struct MailboxTests {
    @Test("messages come in the order of posting, batches whole")
    func order() throws {
        let loop = try EventLoop()
        let mailbox = try Mailbox<Int>()
        var received: [[Int]] = []
        mailbox.post(1)
        try mailbox.attach(to: loop) { received.append($0) }
        mailbox.post(contentsOf: [2, 3])
        mailbox.post(4)
        loop.turn()
        #expect(received == [[1, 2, 3, 4]])
        loop.turn(waitingAtMost: 0)
        mailbox.post(contentsOf: 5...6)
        loop.turn()
        #expect(received == [[1, 2, 3, 4], [5, 6]])
    }

    @Test("a message posted while mail is received comes in the next turn, without another wake-up from outside")
    func postWhileReceiving() throws {
        let loop = try EventLoop()
        let mailbox = try Mailbox<Int>()
        var received: [Int] = []
        try mailbox.attach(to: loop) { messages in
            received += messages
            if let last = messages.last, last < 5 { mailbox.post(last + 1) }
        }
        mailbox.post(1)
        for expected in 1...5 {
            loop.turn()
            #expect(received == Array(1...expected))
        }
    }

    @Test("an empty mailbox leaves the loop asleep after a burst")
    func noSpin() throws {
        let loop = try EventLoop()
        let mailbox = try Mailbox<Int>()
        var drains = 0
        try mailbox.attach(to: loop) { _ in drains += 1 }
        mailbox.post(contentsOf: Array(0..<100_000))
        loop.turn()
        #expect(drains == 1)
        loop.turn(waitingAtMost: 0)
        let start = Clock.monotonic()
        loop.turn(waitingAtMost: 20 * .millisecond)
        #expect(Clock.monotonic() - start >= 15 * .millisecond)
        #expect(drains == 1)
    }

    @Test("an empty batch is no message")
    func emptyBatch() throws {
        let loop = try EventLoop()
        let mailbox = try Mailbox<Int>()
        var drains = 0
        try mailbox.attach(to: loop) { _ in drains += 1 }
        mailbox.post(contentsOf: [])
        loop.turn(waitingAtMost: 0)
        #expect(drains == 0)
    }

    @Test("several threads post, nothing is lost, and each thread's order is kept")
    func threads() throws {
        let mailbox = try Mailbox<(thread: Int, number: Int)>()
        let posters = 4
        let each = 5_000
        let results = Locked<[[Int]]>([])
        let receiver = try LoopThread.start(name: "receiver") {
            guard let loop = try? EventLoop() else { return }
            var numbers = [[Int]](repeating: [], count: posters)
            var count = 0
            try? mailbox.attach(to: loop) { messages in
                for message in messages { numbers[message.thread].append(message.number) }
                count += messages.count
                if count == posters * each { loop.stop() }
            }
            loop.run()
            let received = numbers
            results.withLock { $0 = received }
        }
        let threads = try (0..<posters).map { thread in
            try LoopThread.start(name: "poster") {
                var number = 0
                while number < each {
                    if number % 7 == 0, number + 3 < each {
                        mailbox.post(contentsOf: (number..<(number + 3)).map { (thread, $0) })
                        number += 3
                    } else {
                        mailbox.post((thread, number))
                        number += 1
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        receiver.join()
        #expect(results.withLock { $0 } == [[Int]](repeating: Array(0..<each), count: posters))
    }

    @Test("two loops hand a message to and fro")
    func roundTrips() throws {
        let there = try Mailbox<Int>()
        let back = try Mailbox<Int>()
        let last = Locked(0)
        let thread = try LoopThread.start(name: "echo") {
            guard let loop = try? EventLoop() else { return }
            try? there.attach(to: loop) { messages in
                for message in messages {
                    back.post(message + 1)
                    if message < 0 { loop.stop() }
                }
            }
            loop.run()
        }
        let loop = try EventLoop()
        try back.attach(to: loop) { messages in
            for message in messages {
                if message <= 0 { return loop.stop() }
                last.withLock { $0 = message }
                there.post(message < 1_000 ? message : -1)
            }
        }
        there.post(1)
        loop.run()
        thread.join()
        #expect(last.withLock { $0 } == 1_000)
    }
}
