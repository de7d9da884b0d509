import CEpoll
import Glibc

/// An epoll instance and the room for what one wait reports. Level-triggered; knows descriptors and registrations,
/// not sources.
struct Poller: ~Copyable {
    /// Most events that one wait reports; the rest is reported by the next.
    static let batch = 1024

    private let descriptor: Int32
    private let events: UnsafeMutablePointer<epoll_event>

    init() throws(SystemError) {
        let created = epoll_create1(TIFFIN_EPOLL_CLOEXEC)
        guard created >= 0 else { throw .last("epoll_create1") }
        descriptor = created
        events = .allocate(capacity: Poller.batch)
        events.initialize(repeating: epoll_event(), count: Poller.batch)
    }

    deinit {
        close(descriptor)
        events.deallocate()
    }

    func add(_ watched: Int32, interest: Readiness, registration: Registration) throws(SystemError) {
        guard control(EPOLL_CTL_ADD, watched, interest, registration) else { throw .last("epoll_ctl") }
    }

    /// False when the kernel does not know the descriptor: it was closed before it was deregistered.
    func modify(_ watched: Int32, interest: Readiness, registration: Registration) -> Bool {
        // The kernel does not change an exclusive entry (EINVAL): out and in again.
        if interest.contains(.exclusive) { return renew(watched, interest: interest, registration: registration) }
        return control(EPOLL_CTL_MOD, watched, interest, registration)
    }

    /// Takes the descriptor out and puts it in again, behind all others that wait for it.
    func renew(_ watched: Int32, interest: Readiness, registration: Registration) -> Bool {
        remove(watched)
        return control(EPOLL_CTL_ADD, watched, interest, registration)
    }

    func remove(_ watched: Int32) {
        var ignored = epoll_event()
        _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, watched, &ignored)
    }

    /// Waits for events, at most `milliseconds`; 0 when there is none in time or a signal came.
    func wait(milliseconds: Int32) -> Int {
        max(0, Int(epoll_wait(descriptor, events, Int32(Poller.batch), milliseconds)))
    }

    /// An event of the latest wait.
    func event(_ position: Int) -> (registration: Registration, readiness: Readiness) {
        let event = events[position]
        let data = event.data.u64
        let registration = Registration(
            index: UInt32(truncatingIfNeeded: data), generation: UInt32(truncatingIfNeeded: data >> 32))
        var readiness: Readiness = []
        if event.events & TIFFIN_EPOLLIN != 0 { readiness.insert(.readable) }
        if event.events & TIFFIN_EPOLLOUT != 0 { readiness.insert(.writable) }
        if event.events & (TIFFIN_EPOLLHUP | TIFFIN_EPOLLERR) != 0 { readiness.insert(.hangUp) }
        if event.events & TIFFIN_EPOLLRDHUP != 0 { readiness.insert(.peerClosed) }
        return (registration, readiness)
    }

    private func control(
        _ operation: Int32, _ watched: Int32, _ interest: Readiness, _ registration: Registration
    ) -> Bool {
        var event = epoll_event()
        if interest.contains(.readable) { event.events |= TIFFIN_EPOLLIN }
        if interest.contains(.writable) { event.events |= TIFFIN_EPOLLOUT }
        if interest.contains(.peerClosed) { event.events |= TIFFIN_EPOLLRDHUP }
        if interest.contains(.exclusive) { event.events |= TIFFIN_EPOLLEXCLUSIVE }
        event.data.u64 = UInt64(registration.generation) << 32 | UInt64(registration.index)
        return epoll_ctl(descriptor, operation, watched, &event) == 0
    }
}
