/// How a connection takes up a topic. `position` is up to where it is told: the id for a client that sees no event before
/// it comes back, and the mark behind which live events are new to it.
enum Resumption {
    /// Nothing was missed, or nothing was asked for.
    case live(position: EventID)
    /// These events were missed, in order.
    case replay([Event], position: EventID)
    /// What was missed cannot be given without a gap: the app must reload its state.
    case reset(position: EventID)

    var position: EventID {
        switch self {
        case .live(let position), .replay(_, let position), .reset(let position): position
        }
    }

    /// What was missed.
    var events: [Event] {
        if case .replay(let events, _) = self { events } else { [] }
    }

    var isReset: Bool {
        if case .reset = self { true } else { false }
    }
}
