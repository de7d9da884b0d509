/// What the sessions of one loop share: the rules, the memories of tokens and look-ups, and the place where they write.
/// It belongs to one loop; a session gets it for the length of a call.
final class SessionContext {
    var settings: SessionSettings
    var routes: RouteTable
    var rules: TopicRules
    let verifier: TokenVerifier
    var revocations: RevocationList
    var owners: OwnerCache
    let topics: TopicTable
    /// Of all loops: an address is one source, wherever its connections land.
    let penalties: any SharedValue<SourcePenalty>
    var admissions = TokenBucket()

    /// The reading of the clocks for this turn of the loop.
    var now: Moment
    var date: HTTPDate
    var random: LoopRandom

    /// Whether new sessions are refused, because the server is about to stop.
    var isDraining = false
    /// How long those wait at most who are told to come back (1012); `DrainSchedule` chooses it for a drain.
    var returnWindow: Nanoseconds = 5 * .second
    /// Whether the server is ready for load (`/readyz`).
    var isReady = true

    // The results of one call into a session; its shell takes them and clears them.
    /// What to send, after what is queued already.
    let output: ByteBuffer
    var actions: [SessionAction] = []
    /// Whether messages that are queued, but of which no byte was sent, are to be dropped before `output` is queued.
    var discardsQueue = false

    /// Whether what is in `output` was put there because there was room, so that it is not held against a peer that is slow:
    /// the next part waits until this one is gone, however large an event in it is.
    var isPaced = false

    /// Whether output of the connection at hand is queued already, set by its shell before a call.
    var isOutputBlocked = false
    /// For composing a message whose length goes in front of it.
    let scratch = ByteBuffer(capacity: 4096)
    /// Text and binary messages received since the shell last took the number.
    var messagesReceived = 0
    /// Events sent to clients since then.
    var eventsSent = 0

    init(
        settings: SessionSettings, routes: RouteTable, rules: TopicRules, verifier: TokenVerifier,
        revocations: RevocationList, owners: OwnerCache, topics: TopicTable,
        penalties: any SharedValue<SourcePenalty>, now: Moment, seed: UInt64
    ) {
        self.settings = settings
        self.routes = routes
        self.rules = rules
        self.verifier = verifier
        self.revocations = revocations
        self.owners = owners
        self.topics = topics
        self.penalties = penalties
        self.now = now
        date = HTTPDate(wall: now.wall)
        random = LoopRandom(seed: seed)
        output = ByteBuffer(capacity: 64 * 1024)
    }

    /// Takes over a new reading of the clocks; the date line changes once a second.
    func advance(to moment: Moment) {
        if moment.wall / .second != now.wall / .second { date = HTTPDate(wall: moment.wall) }
        now = moment
    }

    /// Puts a message of ours into `output` as one text frame.
    func send(_ message: ServerMessage) {
        scratch.removeAll()
        message.appendJSON(to: scratch)
        FrameEncoder.append(.text, scratch.bytes, to: output)
    }
}
