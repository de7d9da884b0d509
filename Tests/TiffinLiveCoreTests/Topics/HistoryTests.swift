import Testing

@testable import TiffinLiveCore

private func event(_ milliseconds: Int) -> Event {
    Event(
        topic: "a", id: EventID(milliseconds: UInt64(milliseconds), sequence: 0), data: Array("\(milliseconds)".utf8),
        isJSON: true)
}

private func id(_ milliseconds: Int) -> EventID { EventID(milliseconds: UInt64(milliseconds), sequence: 0) }

extension History {
    fileprivate func numbers(after milliseconds: Int) -> [Int]? {
        events(after: id(milliseconds))?.compactMap { $0.id.map { Int($0.milliseconds) } }
    }
}

@Suite("The kept events of one topic")
struct HistoryTests {
    @Test("an empty history knows only its floor")
    func empty() {
        var history = History(floor: id(10))
        #expect(history.isEmpty)
        #expect(history.lastID == nil)
        #expect(history.numbers(after: 9) == nil)
        #expect(history.numbers(after: 10) == [])
        #expect(history.removeEvents(before: .max, steps: 10) == false)
    }

    @Test("keeps the newest and remembers up to where it forgot", arguments: [1, 2, 3, 7, 100])
    func ring(keep: Int) {
        var history = History(floor: id(0))
        for number in 1...50 {
            history.append(event(number), keep: keep)
            let first = max(1, number - keep + 1)
            #expect(history.count == min(number, keep))
            #expect(history.lastID == id(number))
            #expect(history.numbers(after: first - 1) == Array(first...number))
            if first > 1 { #expect(history.numbers(after: first - 2) == nil) }
        }
    }

    @Test("a keep that was made smaller takes effect with the next event")
    func smaller() {
        var history = History(floor: id(0))
        for number in 1...10 { history.append(event(number), keep: 10) }
        history.append(event(11), keep: 3)
        #expect(history.numbers(after: 8) == [9, 10, 11])
        #expect(history.numbers(after: 7) == nil)
    }

    @Test("drops aged events in bounded steps")
    func aging() {
        var history = History(floor: id(0))
        for number in 1...10 { history.append(event(number), keep: 100) }
        #expect(history.removeEvents(before: 6, steps: 3) == true)
        #expect(history.numbers(after: 3) == Array(4...10))
        #expect(history.removeEvents(before: 6, steps: 3) == false)
        #expect(history.numbers(after: 5) == Array(6...10))
        #expect(history.numbers(after: 4) == nil)
        #expect(history.removeEvents(before: 6, steps: .max) == false)
        #expect(history.removeEvents(before: 100, steps: .max) == false)
        #expect(history.isEmpty)
        #expect(history.forgottenThrough == id(10))
        history.append(event(11), keep: 100)
        #expect(history.numbers(after: 10) == [11])
    }

    @Test("a position between two events is found", arguments: 0...21)
    func between(position: Int) {
        var history = History(floor: id(0))
        for number in stride(from: 2, through: 20, by: 2) { history.append(event(number), keep: 100) }
        #expect(history.numbers(after: position) == Array(stride(from: 2, through: 20, by: 2)).filter { $0 > position })
    }

    @Test("any mixture of adding and aging agrees with an array", arguments: 1...20)
    func model(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var history = History(floor: id(0))
        var model: [Int] = []
        var forgotten = 0
        var clock = 0
        for _ in 0..<1000 {
            if Bool.random(using: &random) {
                clock += Int.random(in: 1...5, using: &random)
                let keep = Int.random(in: 1...30, using: &random)
                history.append(event(clock), keep: keep)
                while model.count >= keep { forgotten = model.removeFirst() }
                model.append(clock)
            } else {
                let before = clock - Int.random(in: 0...60, using: &random)
                let steps = Int.random(in: 0...3, using: &random)
                history.removeEvents(before: UInt64(max(before, 0)), steps: steps)
                for _ in 0..<steps {
                    if let first = model.first, first < before { forgotten = model.removeFirst() }
                }
            }
            #expect(history.count == model.count)
            #expect(history.forgottenThrough == id(forgotten))
            let after = Int.random(in: 0...(clock + 1), using: &random)
            #expect(history.numbers(after: after) == (after < forgotten ? nil : model.filter { $0 > after }))
        }
    }
}
