/// The connections of all workers by user and by address, for the limits that hold for the whole server (contract section
/// 7.10). Locked, and used at handshakes and closes only.
final class ConnectionDirectory: Sendable {
    /// Where a connection lives.
    struct Place: Equatable, Sendable {
        let worker: Int
        let handle: UInt64
    }

    /// The connections of one user, oldest first. Nearly always there is one, which then costs no allocation.
    private enum Places {
        case one(Place)
        case several([Place])

        var all: [Place] {
            switch self {
            case .one(let place): [place]
            case .several(let places): places
            }
        }

        init?(_ all: [Place]) {
            guard let first = all.first else { return nil }
            self = all.count == 1 ? .one(first) : .several(all)
        }
    }

    private struct State {
        var count = 0
        var users: [String: Places] = [:]
        var addresses: [IPAddress: Int] = [:]
        var limits: ServerConfiguration.Limits
    }

    private let state: Locked<State>

    init(limits: ServerConfiguration.Limits) {
        state = Locked(State(limits: limits))
    }

    /// For connections to come. Whether addresses are limited at all stays as it was: only then are they counted.
    func set(limits: ServerConfiguration.Limits) {
        state.withLock { $0.limits = limits }
    }

    /// Enters a connection. The oldest of a user with too many is taken out and returned: its worker must close it.
    func enter(user: String, address: IPAddress, at place: Place) -> (RegistrationOutcome, replaced: Place?) {
        state.withLock { state in
            let limits = state.limits
            guard state.count < limits.connections else { return (.full, nil) }
            if limits.perAddress > 0, state.addresses[address.network64, default: 0] >= limits.perAddress {
                return (.addressLimit, nil)
            }
            var places = state.users[user]?.all ?? []
            var replaced: Place?
            if limits.perUser > 0, places.count >= limits.perUser {
                guard limits.perUserPolicy == .replace else { return (.userLimit, nil) }
                replaced = places.removeFirst()
            }
            places.append(place)
            state.users[user] = Places(places)
            if limits.perAddress > 0 { state.addresses[address.network64, default: 0] += 1 }
            state.count += 1
            return (.entered, replaced)
        }
    }

    /// Takes a connection out. It counts against the whole until now, also when it was replaced before.
    func leave(user: String, address: IPAddress, from place: Place) {
        state.withLock { state in
            state.count -= 1
            if state.limits.perAddress > 0, let count = state.addresses[address.network64] {
                state.addresses[address.network64] = count > 1 ? count - 1 : nil
            }
            guard var places = state.users[user]?.all, let index = places.firstIndex(of: place) else { return }
            places.remove(at: index)
            state.users[user] = Places(places)
        }
    }

    var count: Int { state.withLock { $0.count } }
}
