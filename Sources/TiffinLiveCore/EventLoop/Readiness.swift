/// What epoll reports about a descriptor, and what a source asks to be told.
///
/// Of an interest, `readable`, `writable`, `peerClosed` and `exclusive` count; `hangUp` is always reported.
struct Readiness: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// Bytes, a connection to accept, or the end of the stream can be read.
    static let readable = Readiness(rawValue: 1)
    /// The kernel takes bytes again. Ask for it after a short write only, and no longer than output waits.
    static let writable = Readiness(rawValue: 2)
    /// Both directions are over or an error is pending (EPOLLHUP, EPOLLERR). Cannot be masked: see `EventSource`.
    static let hangUp = Readiness(rawValue: 4)
    /// The peer will send no more (EPOLLRDHUP). Reported only when asked for, and again in every turn until the
    /// interest in it is dropped.
    static let peerClosed = Readiness(rawValue: 8)
    /// An interest only: of the loops that watch one socket, the kernel wakes not all but the first that waits
    /// (EPOLLEXCLUSIVE).
    static let exclusive = Readiness(rawValue: 16)
}
