import Testing

@testable import TiffinLiveCore

/// The seam between the kept events of a topic and its live ones, over two links that come and go (contract sections 8
/// and 9): no gap and no double, and `reset` where that cannot be had.
@Suite("One topic over Redis")
struct RedisTopicFeedTests {
    @Test("the channel comes first, the history then; a position is answered with the present one")
    func firstReading() {
        var topic = FeedUnderTest()
        #expect(topic.listen() == nil)
        #expect(topic.answers.isEmpty)
        let reading = topic.subscribed()
        #expect(reading != nil)
        topic.read(reading, [1, 2, 3])
        #expect(topic.answers == [.live(3)])
        #expect(topic.delivered.isEmpty)
        topic.live(4)
        #expect(topic.delivered == [4])
    }

    @Test("what comes live before, while and after the history is read is there once, in order")
    func seam() {
        var topic = FeedUnderTest()
        topic.live(1)
        #expect(topic.listen(after: 2) == nil)
        let reading = topic.subscribed()
        topic.live(3)
        topic.live(4)
        topic.live(5)
        topic.read(reading, [1, 2, 3, 4])
        #expect(topic.answers == [.replay([3, 4, 5], position: 5)])
        topic.live(5)
        topic.live(6)
        #expect(topic.delivered == [5, 6])
        #expect(topic.deliveredAfterAnswers == [6])
    }

    @Test("those who wait get in their answer, and not once more, what open connections get")
    func answersComeAfterDeliveries() {
        var topic = FeedUnderTest.open(at: 3)
        topic.lost()
        let reading = topic.subscribed()
        #expect(topic.listen(after: 2) == nil)
        topic.live(5)
        topic.read(reading, [1, 2, 3, 4])
        #expect(topic.delivered == [4, 5])
        #expect(topic.answers == [.replay([3, 4, 5], position: 5)])
        #expect(topic.deliveredAfterAnswers.isEmpty)
    }

    @Test("all who come while the history is read share that one reading")
    func sharedReading() {
        var topic = FeedUnderTest()
        var readings = 0
        for after in 0..<1000 where topic.listen(after: after % 5) != nil { readings += 1 }
        let reading = topic.subscribed()
        for after in 0..<1000 where topic.listen(after: after % 5) != nil { readings += 1 }
        #expect(readings == 0)
        topic.read(reading, [1, 2, 3, 4, 5], floor: 0)
        #expect(topic.answers.count == 2000)
        for (index, answer) in topic.answers.enumerated() {
            #expect(answer == .replay(Array((index % 5 + 1)...5), position: 5))
        }
    }

    @Test("whoever comes later reads from the history that is still there, live events included")
    func cachedHistory() {
        var topic = FeedUnderTest.open(at: 3)
        topic.live(4)
        for after in 0...4 { #expect(topic.listen(after: after) == nil) }
        #expect(
            topic.answers == [
                .replay([1, 2, 3, 4], position: 4), .replay([2, 3, 4], position: 4), .replay([3, 4], position: 4),
                .replay([4], position: 4), .live(4),
            ])
    }

    @Test("the history is kept for ten seconds after the last one who needed it, then read anew")
    func linger() {
        var topic = FeedUnderTest.open(at: 3)
        for _ in 0..<5 {
            topic.wait(9)
            #expect(topic.listen(after: 2) == nil)
        }
        topic.wait(10)
        topic.live(4)
        let reading = topic.listen(after: 2)
        #expect(reading != nil)
        #expect(topic.listen(after: 3) == nil)
        topic.live(5)
        topic.read(reading, [1, 2, 3, 4])
        #expect(topic.answers.suffix(2) == [.replay([3, 4, 5], position: 5), .replay([4, 5], position: 5)])
        #expect(topic.delivered == [4, 5])
    }

    @Test("without a position nobody waits while an open topic is read again")
    func liveAnswerWhileReading() {
        var topic = FeedUnderTest.open(at: 3)
        topic.wait(11)
        let reading = topic.listen(after: 1)
        topic.live(4)
        #expect(topic.listen() == nil)
        #expect(topic.answers == [.live(4)])
        topic.read(reading, [1, 2, 3, 4])
        #expect(topic.delivered == [4])
    }

    @Test("an event without an id is delivered as it comes and never twice")
    func withoutID() {
        var topic = FeedUnderTest()
        topic.listen()
        let reading = topic.subscribed()
        topic.live(nil)
        topic.read(reading, [1])
        topic.live(nil)
        #expect(topic.delivered == [nil, nil])
        topic.listen(after: 0)
        #expect(topic.answers == [.live(1), .replay([1], position: 1)])
    }

    // MARK: Links

    @Test("after a lost link open connections get what came meanwhile, once")
    func catchUp() {
        var topic = FeedUnderTest.open(at: 3)
        topic.live(4)
        topic.lost()
        topic.live(5)
        let reading = topic.subscribed()
        topic.live(7)
        topic.live(8)
        topic.live(nil)
        topic.read(reading, [2, 3, 4, 5, 6, 7], floor: 2)
        topic.live(8)
        topic.live(9)
        #expect(topic.resets.isEmpty)
        #expect(topic.delivered == [4, 5, 6, 7, 8, nil, 9])
    }

    @Test("what was missed and is trimmed is a reset, then live events")
    func trimmed() {
        var topic = FeedUnderTest.open(at: 3)
        topic.lost()
        let reading = topic.subscribed()
        topic.live(9)
        topic.live(nil)
        topic.read(reading, [6, 7, 8], floor: 6)
        #expect(topic.resets == [8])
        #expect(topic.delivered == [9, nil])
        topic.live(10)
        #expect(topic.delivered == [9, nil, 10])
    }

    @Test("Redis that came back with less than was delivered is a reset, and its newer ids count")
    func dataLost() {
        var topic = FeedUnderTest.open(at: 100)
        topic.lost()
        let reading = topic.subscribed()
        topic.live(52)
        topic.read(reading, [50, 51])
        #expect(topic.resets == [51])
        topic.live(53)
        #expect(topic.delivered == [52, 53])
    }

    @Test("a reading from before the link was lost is of no use to the next link")
    func staleReading() {
        var topic = FeedUnderTest.open(at: 3)
        topic.lost()
        let first = topic.subscribed()
        topic.lost()
        let second = topic.subscribed()
        // What the first one found is older than the present subscription: 4 came in between and nobody heard it.
        topic.read(first, [1, 2, 3])
        #expect(topic.delivered.isEmpty)
        topic.live(5)
        topic.read(second, [1, 2, 3, 4])
        #expect(topic.delivered == [4, 5])
    }

    @Test("who waits when the link is lost is told so, once")
    func lostWhileWaiting() {
        var topic = FeedUnderTest()
        topic.listen(after: 1)
        let reading = topic.subscribed()
        topic.listen()
        topic.lost()
        #expect(topic.answers == [.unknown, .unknown])
        topic.read(reading, [1])
        #expect(topic.answers.count == 2)
    }

    @Test("a reading that fails is told to those who wait, and is tried again by the next one or by time")
    func failedReading() {
        var topic = FeedUnderTest()
        topic.listen(after: 1)
        topic.fail(topic.subscribed())
        #expect(topic.answers == [.unknown])
        let second = topic.listen(after: 1)
        #expect(second != nil)
        topic.fail(second)
        let third = topic.resume()
        #expect(third != nil)
        #expect(topic.resume() == nil)
        topic.listen(after: 1)
        topic.read(third, [1, 2])
        #expect(topic.answers == [.unknown, .unknown, .replay([2], position: 2)])
        #expect(topic.resume() == nil)
    }

    @Test("a reading for a client that fails takes nothing from the open connections")
    func failedReadingWhileLive() {
        var topic = FeedUnderTest.open(at: 3)
        topic.wait(11)
        let reading = topic.listen(after: 1)
        topic.live(4)
        topic.fail(reading)
        topic.live(5)
        #expect(topic.answers == [.unknown])
        #expect(topic.delivered == [4, 5])
        #expect(topic.resume() == nil)
        topic.read(topic.listen(after: 3), [1, 2, 3, 4, 5])
        #expect(topic.answers.last == .replay([4, 5], position: 5))
    }

    @Test("nothing is read or tried while the channel is not in force")
    func notInForce() {
        var topic = FeedUnderTest()
        #expect(topic.resume() == nil)
        #expect(topic.listen(after: 1) == nil)
        topic.lost()
        #expect(topic.resume() == nil)
        #expect(topic.subscribed() != nil)
        #expect(topic.subscribed() == nil)
    }

    @Test("a topic that nobody listens to is left alone until somebody does")
    func unheard() {
        var topic = FeedUnderTest.open(at: 3)
        #expect(topic.feed.unheardSince == nil)
        topic.feed.nobodyListens(now: 7)
        #expect(topic.feed.unheardSince == 7)
        topic.listen()
        #expect(topic.feed.unheardSince == nil)
    }

    // MARK: Servers ahead and behind

    @Test("whoever has seen more elsewhere waits for a reading, and gets nothing of it again")
    func clientAhead() {
        var topic = FeedUnderTest.open(at: 3)
        let reading = topic.listen(after: 6)
        #expect(reading != nil)
        topic.live(4)
        topic.read(reading, [1, 2, 3, 4, 5, 6, 7])
        // For those who are here what the channel has not brought yet; then the answer.
        #expect(topic.delivered == [4, 5, 6, 7])
        #expect(topic.answers == [.replay([7], position: 7)])
        for number in 5...8 { topic.live(number) }
        #expect(topic.deliveredAfterAnswers == [8])
    }

    @Test("a reading that is ahead of the channel takes no event from those who are here")
    func readingAhead() {
        var topic = FeedUnderTest.open(at: 3)
        topic.wait(11)
        topic.read(topic.listen(after: 2), [1, 2, 3, 4, 5])
        #expect(topic.answers == [.replay([3, 4, 5], position: 5)])
        for number in 4...6 { topic.live(number) }
        #expect(topic.delivered == [4, 5, 6])
    }

    @Test("what a reading cannot give any more the channel still brings; whoever came back begins anew")
    func trimmedOnTheWay() {
        var topic = FeedUnderTest.open(at: 3)
        topic.wait(11)
        let reading = topic.listen(after: 3)
        topic.listen(after: 2)
        topic.listen()
        topic.read(reading, [8, 9], floor: 8)
        #expect(topic.answers == [.live(3), .reset(3), .reset(3)])
        for number in 4...10 { topic.live(number) }
        #expect(topic.delivered == [4, 5, 6, 7, 8, 9, 10])
        #expect(topic.resets.isEmpty)
    }

    @Test("what was seen elsewhere while a reading was under way is asked for again, not taken for lost")
    func aheadOfTheReading() {
        var topic = FeedUnderTest.open(at: 3)
        topic.wait(11)
        let reading = topic.listen(after: 3)
        topic.listen(after: 5)
        topic.read(reading, [1, 2, 3, 4])
        #expect(topic.answers == [.replay([4], position: 4)])
        #expect(topic.next != nil)
        topic.read(topic.next, [1, 2, 3, 4, 5, 6])
        #expect(topic.answers.last == .replay([6], position: 6))
        #expect(topic.next == nil)
        #expect(topic.delivered == [4, 5, 6])
    }

    @Test("a position that Redis does not know of, asked for after it was given, is lost: reset")
    func lostPosition() {
        var topic = FeedUnderTest.open(at: 3)
        topic.read(topic.listen(after: 9), [1, 2, 3])
        #expect(topic.answers == [.reset(3)])
        #expect(topic.next == nil)
    }

    // MARK: Positions

    @Test(
        "a position that is none, from the future, or from before what is kept is a reset",
        arguments: [
            "", "x", "5", "5-", "-5", "5-0-0", "05-0", "1-0,2-0", "9999999999999-0", "18446744073709551616-0", "1-9",
        ])
    func badPositions(_ after: String) {
        var topic = FeedUnderTest.open(at: 5, floor: 2)
        topic.listen(text: after)
        #expect(topic.answers == [.reset(5)])
    }

    @Test("a malformed position costs no reading")
    func malformedPosition() {
        var topic = FeedUnderTest.open(at: 5)
        topic.wait(60)
        #expect(topic.listen(text: "nonsense") == nil)
        #expect(topic.answers == [.reset(5)])
    }

    @Test("a position at a moment without an event replays what came after it")
    func momentPosition() {
        var topic = FeedUnderTest.open(at: 5)
        topic.listen(text: "3-77")
        #expect(topic.answers == [.replay([4, 5], position: 5)])
    }

    @Test("whatever happens in which order, a client that comes back again and again has every event once or was told")
    func model() {
        for seed in 0..<300 {
            var model = FeedModel(seed: UInt64(seed))
            for _ in 0..<120 { model.step() }
            model.settle()
            #expect(model.fault == nil, "seed \(seed)")
        }
    }
}
