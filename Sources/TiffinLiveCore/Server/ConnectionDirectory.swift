/// The connections of all workers by user and by address, for the limits that hold for the whole server (contract section
/// 7.10). Locked, and used at handshakes and closes only.
final class ConnectionDirectory: Sendable {
    /// Where a connection lives.
    struct Place: Equatable, Sendable {
        let worker: Int
        let handle: UInt64
    }

    private struct State {
        var count = 0
        var users: [String: [Place]] = [:]
        var addresses: [IPAddress: Int] = [:]
    }

    private let limits: ServerConfiguration.Limits
    private let state = Locked(State())

    init(limits: ServerConfiguration.Limits) {
        self.limits = limits
    }

    /// Enters a connection. The oldest of a user with too many is taken out and returned: its worker must close it.
    func enter(user: String, address: IPAddress, at place: Place) -> (RegistrationOutcome, replaced: Place?) {
        state.withLock { state in
            guard state.count < limits.connections else { return (.full, nil) }
            if limits.perAddress > 0, state.addresses[address.network64, default: 0] >= limits.perAddress {
                return (.addressLimit, nil)
            }
            var replaced: Place?
            if limits.perUser > 0, let places = state.users[user], places.count >= limits.perUser {
                guard limits.perUserPolicy == .replace else { return (.userLimit, nil) }
                replaced = state.users[user]?.removeFirst()
            }
            state.users[user, default: []].append(place)
            if limits.perAddress > 0 { state.addresses[address.network64, default: 0] += 1 }
            state.count += 1
            return (.entered, replaced)
        }
    }

    /// Takes a connection out. It counts against the whole until now, also when it was replaced before.
    func leave(user: String, address: IPAddress, from place: Place) {
        state.withLock { state in
            state.count -= 1
            if limits.perAddress > 0, let count = state.addresses[address.network64] {
                state.addresses[address.network64] = count > 1 ? count - 1 : nil
            }
            guard var places = state.users.removeValue(forKey: user) else { return }
            if let index = places.firstIndex(of: place) { places.remove(at: index) }
            if !places.isEmpty { state.users[user] = places }
        }
    }

    var count: Int { state.withLock { $0.count } }
}
