/// A look at every connection of a loop that may take several turns, so that nobody waits for it. Connections may come and
/// go meanwhile: those that are there from beginning to end are visited once, others once or not at all.
final class ConnectionWalk {
    /// Connections in one turn.
    static let slotsPerTurn = 2048

    private var cursor = 0
    private let visit: (ClientConnection) -> Void
    private let finish: () -> Void

    /// - Parameter finish: called once, after the last visit.
    init(visit: @escaping (ClientConnection) -> Void, finish: @escaping () -> Void) {
        self.visit = visit
        self.finish = finish
    }

    /// Goes on; true when it has come to its end.
    func step(_ worker: Worker) -> Bool {
        // A visit may end a connection and so change the table.
        var slots = Self.slotsPerTurn
        while slots > 0, cursor < worker.connections.count {
            if let connection = worker.connections[cursor] { visit(connection) }
            cursor += 1
            slots -= 1
        }
        guard cursor >= worker.connections.count else { return false }
        finish()
        return true
    }
}
