import Testing

@testable import TiffinLiveCore

@Suite("A table that knows its oldest entry")
struct AgedTableTests {
    @Test("the oldest is the one that was set longest ago")
    func order() {
        var table = AgedTable<String, Int>()
        for (value, key) in ["a", "b", "c"].enumerated() { table.set(value, for: key) }
        #expect(table.oldest?.key == "a")
        table.set(9, for: "a")
        #expect(table.oldest?.key == "b")
        table.renew("b")
        #expect(table.oldest?.key == "c")
        #expect(table.value(for: "a") == 9)
        #expect((0..<3).compactMap { _ in table.removeOldest()?.key } == ["c", "a", "b"])
        #expect(table.isEmpty)
        #expect(table.removeOldest() == nil)
    }

    @Test("a change in place leaves the age as it is")
    func update() {
        var table = AgedTable<String, [Int]>()
        table.set([1], for: "a")
        table.set([2], for: "b")
        let count: Int? = table.update("a") {
            $0.append(3)
            return $0.count
        }
        #expect(count == 2)
        #expect(table.oldest?.value == [1, 3])
        #expect(table.update("z") { $0.append(1) } == nil)
        table.removeAll()
        #expect(table.count == 0)
    }

    @Test("any mixture of calls agrees with an array", arguments: 1...20)
    func model(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var table = AgedTable<Int, Int>()
        var model: [(key: Int, value: Int)] = []
        for step in 0..<2000 {
            let key = Int.random(in: 0..<12, using: &random)
            let position = model.firstIndex { $0.key == key }
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                table.set(step, for: key)
                if let position { model.remove(at: position) }
                model.append((key, step))
            case 2:
                let removed = table.remove(key)
                #expect(removed == position.map { model[$0].value })
                if let position { model.remove(at: position) }
            case 3:
                table.renew(key)
                if let position { model.append(model.remove(at: position)) }
            default:
                let removed = table.removeOldest()
                #expect(removed?.key == model.first?.key)
                #expect(removed?.value == model.first?.value)
                if !model.isEmpty { model.removeFirst() }
            }
            #expect(table.count == model.count)
            #expect(table.oldest?.key == model.first?.key)
            #expect(table.value(for: key) == model.first { $0.key == key }?.value)
        }
    }
}
