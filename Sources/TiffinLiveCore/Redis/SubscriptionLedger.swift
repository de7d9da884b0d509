/// Which channels are wanted, and what is known of each on the present link.
///
/// At most one SUBSCRIBE or UNSUBSCRIBE of a channel is under way at a time; its confirmation decides from the wish as it
/// is then what comes next. So no order of wishes and confirmations can leave a wanted channel deaf or subscribe it
/// twice, and a change of mind while Redis is slow costs nothing. Wishes outlive links, the rest does not.
struct SubscriptionLedger {
    /// What the owner has to send.
    enum Order: Equatable, Sendable {
        case subscribe([UInt8])
        case unsubscribe([UInt8])
    }

    enum Standing: Equatable, Sendable {
        /// Nothing on this link.
        case idle
        case subscribing
        case subscribed
        case unsubscribing
        /// Redis does not let us; asked again on the next link only.
        case refused
    }

    private struct Entry {
        /// As text once and for all, so that no message has to make one.
        let channel: String
        var isWanted: Bool
        var standing = Standing.idle
    }

    private var entries: [[UInt8]: Entry] = [:]
    private var isLinked = false
    /// Wanted channels that are not subscribed or refused.
    private var openCount = 0

    init() {}

    /// Channels that are wanted.
    private(set) var wantedCount = 0
    /// Whether everything wanted is in force, as far as Redis allows it.
    var isSettled: Bool { isLinked && openCount == 0 }
    /// Entries that are kept, wanted or on their way out.
    var count: Int { entries.count }

    func standing(of channel: String) -> Standing {
        entries[Array(channel.utf8)]?.standing ?? .idle
    }

    func isInForce(_ channel: String) -> Bool {
        entries[Array(channel.utf8)].map { $0.isWanted && $0.standing == .subscribed } ?? false
    }

    mutating func want(_ channel: String) -> Order? {
        let key = Array(channel.utf8)
        return change(key) { entry in
            if entry == nil { entry = Entry(channel: channel, isWanted: false) }
            entry?.isWanted = true
        }
    }

    mutating func release(_ channel: String) -> Order? {
        change(Array(channel.utf8)) { $0?.isWanted = false }
    }

    /// A link is ready: everything that is wanted, to be subscribed in this order.
    mutating func linked() -> [Order] {
        isLinked = true
        return entries.keys.compactMap { key in change(key) { _ in } }
    }

    mutating func unlinked() {
        isLinked = false
        for key in Array(entries.keys) { _ = change(key) { $0?.standing = .idle } }
    }

    /// What a confirmation led to.
    struct Confirmation: Equatable, Sendable {
        /// The channel is in force from here on.
        var established: String?
        var order: Order?
    }

    mutating func confirmedSubscription(_ key: [UInt8]) -> Confirmation {
        let order = change(key) { $0?.standing = .subscribed }
        guard let entry = entries[key], entry.isWanted else { return Confirmation(order: order) }
        return Confirmation(established: entry.channel, order: order)
    }

    mutating func confirmedEnd(_ key: [UInt8]) -> Order? {
        change(key) { $0?.standing = .idle }
    }

    /// The channel's text when it was still wanted.
    mutating func refused(_ key: [UInt8]) -> String? {
        _ = change(key) { $0?.standing = .refused }
        return entries[key]?.channel
    }

    /// The channel that a message is for; nil when it is not wanted any more or not yet again.
    func channel(_ key: [UInt8]) -> String? {
        guard let entry = entries[key], entry.isWanted, entry.standing == .subscribed else { return nil }
        return entry.channel
    }

    // MARK: - One change

    /// Applies a change, then sees what the entry calls for. An entry that neither side knows of any more goes.
    private mutating func change(_ key: [UInt8], _ body: (inout Entry?) -> Void) -> Order? {
        var entry = entries[key]
        count(entry, by: -1)
        body(&entry)
        let order = SubscriptionLedger.order(key, &entry, isLinked: isLinked)
        count(entry, by: 1)
        entries[key] = entry
        return order
    }

    private mutating func count(_ entry: Entry?, by step: Int) {
        guard let entry, entry.isWanted else { return }
        wantedCount += step
        if entry.standing != .subscribed, entry.standing != .refused { openCount += step }
    }

    private static func order(_ key: [UInt8], _ entry: inout Entry?, isLinked: Bool) -> Order? {
        guard let current = entry else { return nil }
        switch (current.standing, current.isWanted) {
        case (.idle, true):
            guard isLinked else { return nil }
            entry?.standing = .subscribing
            return .subscribe(key)
        case (.subscribed, false):
            entry?.standing = .unsubscribing
            return .unsubscribe(key)
        case (.idle, false), (.refused, false):
            entry = nil
            return nil
        case (.subscribing, _), (.unsubscribing, _), (.subscribed, true), (.refused, true):
            return nil
        }
    }
}
