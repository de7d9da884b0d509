import Testing

@testable import TiffinLiveCore

@Suite("A page of the list of connections")
struct ConnectionPageTests {
    private func connection(_ name: UInt64) -> ConnectionDescription {
        ConnectionDescription(
            connection: name, user: "", role: "", route: "", transport: .sse, topics: [], remote: "", openedAt: 0,
            deadline: 0, queued: 0)
    }

    private func page(_ limit: Int, of names: [UInt64]) -> [UInt64] {
        var page = ConnectionPage(limit: limit)
        for name in names where page.mayHold(name) { page.insert(connection(name)) }
        return page.finish().map(\.connection)
    }

    @Test("holds the lowest names in order, whatever order they come in", arguments: 0..<20)
    func lowest(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let count = Int.random(in: 0...300, using: &random)
        let names = Array(Set((0..<count).map { _ in UInt64.random(in: 0...1000, using: &random) }))
        for limit in [1, 2, 10, 299, 1000] {
            #expect(page(limit, of: names.shuffled(using: &random)) == Array(names.sorted().prefix(limit)))
        }
    }

    @Test("a full page takes nothing beyond its end")
    func bounded() {
        var page = ConnectionPage(limit: 2)
        for name: UInt64 in [5, 6, 7, 8] { page.insert(connection(name)) }
        #expect(page.mayHold(5))
        #expect(!page.mayHold(6))
        #expect(!page.mayHold(.max))
        page.insert(connection(1))
        #expect(page.finish().map(\.connection) == [1, 5])
    }

    @Test("pages of several loops become one", arguments: 0..<20)
    func merging(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var names = Array(0..<UInt64.random(in: 0...60, using: &random)).shuffled(using: &random)
        let all = names.sorted()
        var pages: [[ConnectionDescription]] = []
        for _ in 0..<5 {
            let count = Int.random(in: 0...names.count, using: &random)
            pages.append(names.prefix(count).sorted().map(connection))
            names.removeFirst(count)
        }
        pages.append(names.sorted().map(connection))
        for limit in [1, 7, 1000] {
            #expect(ConnectionPage.merge(pages, limit: limit).map(\.connection) == Array(all.prefix(limit)))
        }
        #expect(ConnectionPage.merge([], limit: 5).isEmpty)
    }
}
