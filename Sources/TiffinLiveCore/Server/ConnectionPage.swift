/// A page of connections while it is put together: of all that are offered, in any order, those with the lowest names.
/// Holds at most twice as many as the page has.
struct ConnectionPage {
    private let limit: Int
    private var entries: [ConnectionDescription] = []
    /// Once there are enough, names from here on are beyond the page.
    private var end: UInt64?

    /// - Parameter limit: at least 1.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether a connection of this name may be in the page, as far as is known: asked before one is described.
    func mayHold(_ name: UInt64) -> Bool {
        end.map { name < $0 } ?? true
    }

    mutating func insert(_ connection: ConnectionDescription) {
        entries.append(connection)
        if entries.count >= 2 * limit { cut() }
    }

    /// In the order of their names.
    mutating func finish() -> [ConnectionDescription] {
        cut()
        return entries
    }

    private mutating func cut() {
        entries.sort { $0.connection < $1.connection }
        guard entries.count >= limit else { return }
        entries.removeSubrange(limit...)
        end = entries.last?.connection
    }

    /// The page of all loops out of the pages of each, which are in order.
    static func merge(_ pages: [[ConnectionDescription]], limit: Int) -> [ConnectionDescription] {
        var merged: [ConnectionDescription] = []
        var positions = Array(repeating: 0, count: pages.count)
        while merged.count < limit {
            var next: (page: Int, connection: ConnectionDescription)?
            for (page, position) in zip(pages.indices, positions) where position < pages[page].count {
                let candidate = pages[page][position]
                if next.map({ candidate.connection < $0.connection.connection }) ?? true { next = (page, candidate) }
            }
            guard let next else { break }
            merged.append(next.connection)
            positions[next.page] += 1
        }
        return merged
    }
}
