/// The figures of one event loop: counted without locks where things happen, copied and summed up when somebody asks.
/// Counters only grow; those said to be "now" are of the moment of the copy.
struct WorkerMetrics: Equatable, Sendable {
    /// Sessions now, by transport.
    private(set) var webSockets: Int64 = 0
    private(set) var eventStreams: Int64 = 0

    /// TCP connections.
    var connectionsAccepted: UInt64 = 0
    var acceptFailures: UInt64 = 0
    private(set) var tlsHandshakes = MetricsWords.tlsHandshakes
    private(set) var handshakes = MetricsWords.handshakes
    /// From the beginning of the connection to the admission of the session.
    var handshakeSeconds = MetricsHistogram()
    var ticketsSold: UInt64 = 0
    private(set) var closes = MetricsWords.closes
    private(set) var refreshes = MetricsWords.refreshes

    /// Events that reached the loop, and deliveries of them to connections.
    var eventsIn: UInt64 = 0
    var eventsOut: UInt64 = 0
    var bytesIn: UInt64 = 0
    var bytesOut: UInt64 = 0
    /// Messages of clients, and those among them that were handed to the backends.
    var messagesIn: UInt64 = 0
    var messagesHandedOver: UInt64 = 0
    /// Each loop hears every revocation, so they are not summed up.
    var revocations: UInt64 = 0

    /// Signatures that were computed; tokens seen before cost none.
    var signatures: UInt64 = 0
    /// Verdicts remembered now; all loops have one memory, so they are not summed up.
    var tokensAccepted = 0
    var tokensRefused = 0
    /// Remembered now; each loop remembers all, so they are not summed up.
    var revocationsRemembered = 0

    /// Connections of clients now, handshakes and closings among them: each holds a descriptor.
    var sockets = 0
    /// Bytes that wait for slow clients now.
    var queuedBytes: UInt64 = 0
    /// Must be 0: sessions now that are open although their deadline has passed.
    var connectionsPastDeadline: UInt64 = 0
    var forecast = ExpiryForecast()
    var turns = TurnStatistics()

    mutating func change(_ transport: Transport, by difference: Int64) {
        switch transport {
        case .websocket: webSockets &+= difference
        case .sse: eventStreams &+= difference
        }
    }

    /// A handshake of TLS: `full`, `resumed`, or the word of the error.
    mutating func count(tlsHandshake word: String) {
        tlsHandshakes.count(word)
    }

    /// A handshake that was answered: `accepted`, or the word of the refusal.
    mutating func count(handshake word: String) {
        handshakes.count(word)
    }

    /// A connection that was answered without being looked at.
    mutating func count(refusal status: Int) {
        handshakes.count(status == 503 ? "full" : "other")
    }

    mutating func count(close reason: DisconnectReason) {
        closes.count(reason.word)
    }

    /// A token that a connection sent: `accepted`, or the word of the refusal.
    mutating func count(refresh word: String) {
        refreshes.count(word)
    }

    /// Adds the figures of another loop.
    mutating func add(_ other: WorkerMetrics) {
        webSockets &+= other.webSockets
        eventStreams &+= other.eventStreams
        connectionsAccepted &+= other.connectionsAccepted
        acceptFailures &+= other.acceptFailures
        tlsHandshakes.add(other.tlsHandshakes)
        handshakes.add(other.handshakes)
        handshakeSeconds.add(other.handshakeSeconds)
        ticketsSold &+= other.ticketsSold
        closes.add(other.closes)
        refreshes.add(other.refreshes)
        eventsIn &+= other.eventsIn
        eventsOut &+= other.eventsOut
        bytesIn &+= other.bytesIn
        bytesOut &+= other.bytesOut
        messagesIn &+= other.messagesIn
        messagesHandedOver &+= other.messagesHandedOver
        revocations = max(revocations, other.revocations)
        signatures &+= other.signatures
        tokensAccepted = max(tokensAccepted, other.tokensAccepted)
        tokensRefused = max(tokensRefused, other.tokensRefused)
        revocationsRemembered = max(revocationsRemembered, other.revocationsRemembered)
        sockets += other.sockets
        queuedBytes &+= other.queuedBytes
        connectionsPastDeadline &+= other.connectionsPastDeadline
        forecast.add(other.forecast)
        turns.add(other.turns)
    }
}
