import Testing

@testable import TiffinLiveCore

@Suite("First in, first out")
struct ReplyQueueTests {
    @Test("it is an array from which the front is taken", arguments: 0..<4)
    func model(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = ReplyQueue<Int>()
        var model: [Int] = []
        var differences = 0
        for number in 0..<20_000 {
            if Int.random(in: 0..<100, using: &random) < (number < 10_000 ? 60 : 45) {
                queue.append(number)
                model.append(number)
            } else {
                if queue.removeFirst() != model.first { differences += 1 }
                model = Array(model.dropFirst())
            }
            if number.isMultiple(of: 1000) {
                queue.update { $0 += 1 }
                for index in model.indices { model[index] += 1 }
            }
            if queue.count != model.count || queue.first != model.first { differences += 1 }
        }
        #expect(differences == 0)
    }
}
