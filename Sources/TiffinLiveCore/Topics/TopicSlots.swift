/// One subscription as seen from its subscriber: an element of a chain that begins at the subscriber's own head.
/// 12 bytes, in a slab that `TopicTable` owns.
struct TopicLink {
    /// The topic's slot; in a free link the next free one.
    var topic: Int32
    /// The next subscription of the same subscriber, or -1.
    var next: Int32
    /// Where in the topic's array of listeners this subscription stands.
    var position: Int32
}

/// One subscription as seen from its topic. 8 bytes.
struct TopicListener {
    var subscriber: UInt32
    /// The `TopicLink`, or `tombstone` after a detach in the middle of a fan-out.
    var link: Int32

    static let tombstone: Int32 = -1
}

/// A topic that somebody on this loop listens to.
struct TopicSlot {
    var name: String
    var listeners: UnsafeMutablePointer<TopicListener>?
    /// Listeners and tombstones.
    var count: Int32 = 0
    var capacity: Int32 = 0
    /// Listeners without tombstones.
    var live: Int32 = 0
    /// The next topic in the list of dirty ones, or -1.
    var nextDirty: Int32 = -1
    /// There while events wait to be delivered.
    var fanOut: TopicFanOut?
    /// The newest id that passed through here.
    var lastID: EventID?
}
