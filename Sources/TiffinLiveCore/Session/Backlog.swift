/// Events that a session sends as its peer takes them: what it missed, then what came while it caught up. The events
/// are shared; a backlog holds references only.
final class Backlog {
    /// Live events that may wait behind a replay; more, and the peer is too slow to ever catch up.
    static let limit = 10_000

    private var events: [Event]
    private var next = 0

    init(_ events: [Event]) {
        self.events = events
    }

    var isEmpty: Bool { next == events.count }
    var count: Int { events.count - next }

    func append(contentsOf more: [Event]) {
        events.append(contentsOf: more)
    }

    func popFirst() -> Event? {
        guard next < events.count else { return nil }
        next += 1
        return events[next - 1]
    }
}
