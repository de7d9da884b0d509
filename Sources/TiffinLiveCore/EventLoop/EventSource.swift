/// Somebody who waits for a descriptor or for a moment. The loop keeps a strong reference from `register` to
/// `deregister` and calls from its own thread only.
protocol EventSource: AnyObject {
    /// The descriptor is ready. Level-triggered: what is left undone is reported again in the next turn.
    ///
    /// `.hangUp` comes whether or not it was asked for, and in every turn until the source acts: it must read to
    /// the end or the error, or deregister. A source that waits for nothing (`interest` empty) gets it too and must
    /// not ignore it, or the loop spins.
    func ready(_ readiness: Readiness, on loop: EventLoop)

    /// The armed moment has passed; the timer is disarmed. May arm again. An overdue moment fires in the next turn.
    func timerFired(on loop: EventLoop)
}
