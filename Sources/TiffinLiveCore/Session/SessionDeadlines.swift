/// The moments that matter to one connection, of which the earliest is armed on the loop's timer (contract sections 7.2,
/// 7.3 and 7.8). All on the monotonic clock; the token's end is kept on the wall clock too, and whichever passes first
/// decides, so a clock set back extends nothing.
struct SessionDeadlines {
    static let never = Nanoseconds.max

    /// Nothing is delivered from here on, and the connection is being closed.
    private(set) var end = never
    /// The end on the wall clock: the token's `exp`.
    private(set) var wallEnd = never
    /// The random moment of the close, before `end`.
    private(set) var close = never
    /// When to tell the client that its token is about to end.
    private(set) var warning = never
    /// Next ping or comment.
    var heartbeat = never
    /// A phase's own time-out: request head, look-up, pong, closing.
    var timeout = never
    /// Whether the maximum age and not the token decides.
    private(set) var endsByAge = false

    /// The earliest moment at which there is something to do.
    var earliest: Nanoseconds {
        min(min(close, warning), min(heartbeat, timeout))
    }

    var hasEnd: Bool { end != Self.never }

    /// Sets the end from a token that was just accepted, and draws the moment of the close in the window before it.
    ///
    /// - Parameters:
    ///   - expiresAt: the token's `exp` on the wall clock.
    ///   - ageEnd: when the maximum age is reached, monotonic; `never` for no limit.
    ///   - warns: whether the transport can be told of the coming end (WebSocket only).
    mutating func set(
        expiresAt: Nanoseconds, ageEnd: Nanoseconds, expiry: SessionSettings.Expiry, warns: Bool, now: Moment,
        random: inout some RandomNumberGenerator
    ) {
        let tokenEnd = now.monotonic.clampedAdding(max(0, expiresAt.clampedAdding(-now.wall)))
        endsByAge = ageEnd < tokenEnd
        end = min(tokenEnd, ageEnd)
        wallEnd = expiresAt
        let remaining = max(0, end - now.monotonic)
        let window = min(expiry.jitter, remaining / 4)
        // The timer fires up to a tick late: the close must be on the wire before the end.
        let guardTime = min(Self.closeGuard, remaining / 4)
        let spread = max(0, window - guardTime)
        close = end - guardTime - Nanoseconds.random(in: 0...spread, using: &random)
        if warns && expiry.warning > 0 {
            warning = end - min(max(expiry.warning, window.clampedAdding(Self.warningGuard)), remaining / 2)
        } else {
            warning = Self.never
        }
    }

    /// How long before the end the close is decided at the latest.
    static let closeGuard: Nanoseconds = 50 * .millisecond

    /// How long before the window opens the client is told at the latest, so that it hears of the end before it comes.
    static let warningGuard: Nanoseconds = .second

    mutating func warningWasSent() {
        warning = Self.never
    }

    /// Forgets everything but the time-out of closing.
    mutating func clear() {
        let kept = timeout
        self = SessionDeadlines()
        timeout = kept
    }

    /// While closing: the moment from which only the close itself may still go out.
    mutating func setLastDelivery(_ moment: Nanoseconds) {
        close = moment
    }

    /// Whether the end has passed on either clock. Asked before anything is delivered.
    func isPast(_ now: Moment) -> Bool {
        now.monotonic >= end || now.wall >= wallEnd
    }

    /// The wall clock moved against the monotonic one (it was set, or the machine slept): the token's end may be nearer
    /// now. It never moves away.
    mutating func clockStepped(now: Moment) {
        guard wallEnd != Self.never else { return }
        let tokenEnd = now.monotonic.clampedAdding(max(0, wallEnd.clampedAdding(-now.wall)))
        guard tokenEnd < end else { return }
        let earlier = end - tokenEnd
        end = tokenEnd
        endsByAge = false
        close = min(close, max(now.monotonic, close - earlier))
        if warning != Self.never { warning = min(warning, max(now.monotonic, warning - earlier)) }
    }

    /// Whole seconds left, for `expires_in`.
    func secondsLeft(_ now: Moment) -> Int {
        guard hasEnd else { return 0 }
        let left = min(end - now.monotonic, wallEnd.clampedAdding(-now.wall))
        return Int(max(0, (left.clampedAdding(.second / 2)) / .second))
    }
}
