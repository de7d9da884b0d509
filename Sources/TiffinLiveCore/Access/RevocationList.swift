/// The revocations that one loop remembers, so that a revoked token does not get back in by reconnecting (contract
/// section 7.6). Revocations of the same user, token, session and role are one entry; a check looks at most at one entry
/// for each way of naming somebody that is in use. Bounded: when it is full, the oldest gives way.
struct RevocationList {
    /// What a revocation names. Exact bytes, because two texts may be different and yet equal as `String`s.
    private struct Selector: Hashable {
        var user: [UInt8]?
        var tokenID: [UInt8]?
        var session: [UInt8]?
        var role: [UInt8]?

        /// Which members it has.
        var form: Int {
            (user == nil ? 0 : 1) | (tokenID == nil ? 0 : 2) | (session == nil ? 0 : 4) | (role == nil ? 0 : 8)
        }
    }

    private struct Entry {
        /// Tokens issued at or before are refused.
        var moment: Nanoseconds
        /// Wall clock; by then every such token has expired.
        var until: Nanoseconds
    }

    private var entries = AgedTable<Selector, Entry>()
    /// How many entries there are of each form.
    private var formCounts = [Int](repeating: 0, count: 16)
    private let maximumLifetime: Nanoseconds
    private let capacity: Int

    /// Clocks that differ a little, and `iat` leeway.
    private static let margin: Nanoseconds = 60 * .second

    /// - Parameter maximumLifetime: of a token; 0 = no limit, and revocations stay until there is no room.
    init(maximumLifetime: Nanoseconds, capacity: Int = 1_000_000) {
        self.maximumLifetime = maximumLifetime
        self.capacity = max(capacity, 1)
    }

    var count: Int { entries.count }

    /// - Parameter wall: when the revocation was made: now, or the time with which it was recorded.
    mutating func insert(_ revocation: Revocation, wall: Nanoseconds) {
        let selector = Selector(
            user: revocation.user.map { Array($0.utf8) }, tokenID: revocation.tokenID.map { Array($0.utf8) },
            session: revocation.session.map { Array($0.utf8) }, role: revocation.role.map { Array($0.utf8) })
        var entry = Entry(moment: revocation.moment(at: wall), until: until(revocation, wall: wall))
        if let old = entries.value(for: selector) {
            entry.moment = max(entry.moment, old.moment)
            entry.until = max(entry.until, old.until)
        } else {
            if entries.count >= capacity { removeOldest() }
            formCounts[selector.form] += 1
        }
        entries.set(entry, for: selector)
    }

    /// Whether a token with these claims is revoked.
    func refuses(_ claims: ClaimsSet) -> Bool {
        guard !entries.isEmpty else { return false }
        let user = Array(claims.user.utf8)
        let tokenID = claims.tokenID.map { Array($0.utf8) }
        let session = claims.session.map { Array($0.utf8) }
        let role = Array(claims.role.utf8)
        for form in 1..<16 where formCounts[form] > 0 {
            if form & 2 != 0 && tokenID == nil || form & 4 != 0 && session == nil { continue }
            let selector = Selector(
                user: form & 1 != 0 ? user : nil, tokenID: form & 2 != 0 ? tokenID : nil,
                session: form & 4 != 0 ? session : nil, role: form & 8 != 0 ? role : nil)
            if let entry = entries.value(for: selector), Revocation.isIssued(claims, atOrBefore: entry.moment) {
                return true
            }
        }
        return false
    }

    /// Drops what has served its time, in at most `steps` steps.
    mutating func prune(wall: Nanoseconds, steps: Int) {
        guard maximumLifetime > 0 else { return }
        let usual = wall.clampedAdding(maximumLifetime).clampedAdding(Self.margin)
        for _ in 0..<max(steps, 0) {
            guard let (selector, entry) = entries.oldest else { return }
            if entry.until <= wall {
                removeOldest()
            } else if entry.until > usual {
                // One that lasts longer than all others must not stand in their way.
                entries.renew(selector)
            } else {
                return
            }
        }
    }

    private func until(_ revocation: Revocation, wall: Nanoseconds) -> Nanoseconds {
        guard maximumLifetime > 0 else { return .max }
        let last = max(wall, revocation.issuedBefore ?? wall)
        return last.clampedAdding(maximumLifetime).clampedAdding(Self.margin)
    }

    private mutating func removeOldest() {
        if let removed = entries.removeOldest() { formCounts[removed.key.form] -= 1 }
    }
}
