/// One thread's event loop: an epoll instance, a slab of registrations, a timer wheel. Mechanism only.
///
/// Made and used inside one thread (it is not Sendable); other threads reach it through a `Mailbox`.
///
/// A turn: wait; read the clocks; tell of a clock step; drain mailboxes; fire timers; hand out events; `beforePoll`.
/// Mailboxes come first, and by their flag even when epoll has not reported them: an order given by another thread
/// (a revocation) is obeyed before any input that is read later. Work is bounded: 1,024 timers and 1,024 events a
/// turn. Nothing is allocated in a turn.
final class EventLoop {
    /// Most timers fired in one turn, so that a mass expiry does not starve I/O.
    static let timersPerTurn = 1024
    /// The longest wait: a step of the wall clock is noticed within this time.
    static let longestWait: Nanoseconds = .second
    /// A change between the two clocks that counts as a step and not as slewing.
    static let clockTolerance: Nanoseconds = 100 * .millisecond
    static let receiveBufferSize = 128 * 1024

    /// Both clocks, read once a turn, right after the wait.
    private(set) var now: Moment
    /// Input of whichever source reads at the moment; valid until that source returns.
    let receiveBuffer: UnsafeMutableRawBufferPointer

    /// The end of every turn: flush what the turn has put together. True when work is left that does not wait for
    /// an event: the next wait returns at once.
    var beforePoll: (() -> Bool)?
    /// The wall clock moved against the monotonic one by more than 100 ms since the last call: it was set, or the
    /// machine slept. Called before everything else in the turn; deadlines that stand for wall time must be armed
    /// anew.
    var clockStepped: (() -> Void)?

    /// How long the latest turn kept the loop from waiting again.
    private(set) var lastTurn: Nanoseconds = 0
    private(set) var statistics = TurnStatistics()
    /// Descriptors and timers registered.
    private(set) var registrationCount = 0

    /// For whoever watches that this loop goes on.
    let turns: TurnCounter

    private let poller: Poller
    private let readClock: () -> Moment
    private var wheel: TimerWheel
    private var slots: UnsafeMutablePointer<LoopSlot>
    private var capacity: Int
    private var firstFree = LoopSlot.none
    /// Given up in this turn: freed at its end, so that a source is not destroyed in the middle of its own call and
    /// its index is not used again while events of this turn are left.
    private var firstRetired = LoopSlot.none
    private var mailboxes: [any MailboxDrain] = []
    private var clockOffset: Nanoseconds
    private var turnEnd: Nanoseconds
    private var isRunning = false
    private var hasMoreWork = true

    init(clock: @escaping () -> Moment = Clock.now, turns: TurnCounter = TurnCounter()) throws(SystemError) {
        poller = try Poller()
        self.turns = turns
        readClock = clock
        now = clock()
        clockOffset = now.wall &- now.monotonic
        turnEnd = now.monotonic
        wheel = TimerWheel(now: now.monotonic)
        receiveBuffer = .allocate(byteCount: EventLoop.receiveBufferSize, alignment: 64)
        capacity = 0
        slots = .allocate(capacity: 0)
    }

    deinit {
        slots.deinitialize(count: capacity)
        slots.deallocate()
        receiveBuffer.deallocate()
    }

    // MARK: - Registering

    /// Watches a non-blocking descriptor. The descriptor stays the caller's: deregister first, close then.
    func register(
        _ descriptor: Int32, interest: Readiness, source: any EventSource
    ) throws(SystemError) -> Registration {
        let registration = takeSlot(source, descriptor, interest)
        do throws(SystemError) {
            try poller.add(descriptor, interest: interest, registration: registration)
        } catch {
            slots[Int(registration.index)].descriptor = -1
            deregister(registration)
            throw error
        }
        return registration
    }

    /// A registration without a descriptor, for a source that only waits for moments.
    func registerTimer(_ source: any EventSource) -> Registration {
        takeSlot(source, -1, [])
    }

    /// A system call when it changes something, none otherwise.
    func setInterest(_ interest: Readiness, of registration: Registration) {
        guard isCurrent(registration) else { return }
        let slot = slots + Int(registration.index)
        guard slot.pointee.interest != interest, slot.pointee.descriptor >= 0 else { return }
        slot.pointee.interest = interest
        let known = poller.modify(slot.pointee.descriptor, interest: interest, registration: registration)
        assert(known, "closed before it was deregistered")
    }

    /// Lets the others that share the descriptor of an exclusive registration go first next time. False when the kernel
    /// has no memory for it; then nothing is reported until the interest changes.
    func yieldTurn(_ registration: Registration) -> Bool {
        guard isCurrent(registration) else { return false }
        let slot = slots[Int(registration.index)]
        return poller.renew(slot.descriptor, interest: slot.interest, registration: registration)
    }

    func interest(of registration: Registration) -> Readiness {
        isCurrent(registration) ? slots[Int(registration.index)].interest : []
    }

    /// Gives a registration up; events of it that wait in this turn are dropped. To be called before the descriptor
    /// is closed. `closingDescriptor`: the caller closes it right away and holds no duplicate, so the kernel takes
    /// it out of the set by itself and one system call is saved.
    func deregister(_ registration: Registration, closingDescriptor: Bool = false) {
        guard isCurrent(registration) else { return }
        let slot = slots + Int(registration.index)
        if slot.pointee.descriptor >= 0, !closingDescriptor { poller.remove(slot.pointee.descriptor) }
        wheel.disarm(registration.index)
        slot.pointee.descriptor = -1
        slot.pointee.interest = []
        slot.pointee.generation &+= 1
        slot.pointee.next = firstRetired
        firstRetired = registration.index
        registrationCount -= 1
    }

    // MARK: - Timers

    /// Sets the one timer of a registration; again and to a later moment costs a store. Never fires early, at most
    /// a tick (4.2 ms) and the time of a turn late. A moment that has passed fires in the next turn.
    func arm(_ registration: Registration, at monotonic: Nanoseconds) {
        guard isCurrent(registration) else { return }
        wheel.arm(registration.index, at: monotonic)
    }

    func disarm(_ registration: Registration) {
        guard isCurrent(registration) else { return }
        wheel.disarm(registration.index)
    }

    // MARK: - Turning

    /// Turns until `stop` is called.
    func run() {
        isRunning = true
        while isRunning { turn() }
    }

    /// Ends `run` after the current turn. From the loop's own thread; others post a message.
    func stop() {
        isRunning = false
    }

    /// Lets go of all sources and mailboxes. Many of them hold their loop, so that without it none would ever be freed,
    /// and no descriptor of theirs closed. Nothing turns the loop afterwards.
    func close() {
        beforePoll = nil
        clockStepped = nil
        mailboxes = []
        for index in 0..<capacity {
            let source = slots[index].source
            slots[index].source = nil
            // Destroyed here, when the slot is written: it may deregister others.
            withExtendedLifetime(source) {}
        }
    }

    /// One turn; waits at most `limit` for an event, a timer or a message. `run` is this in a loop.
    func turn(waitingAtMost limit: Nanoseconds = EventLoop.longestWait) {
        let count = poller.wait(milliseconds: waitMilliseconds(limit))
        now = readClock()
        checkClocks()
        for mailbox in mailboxes { mailbox.drainIfArmed() }
        fireTimers()
        dispatch(count)
        hasMoreWork = beforePoll?() ?? false
        freeRetired()
        turnEnd = readClock().monotonic
        lastTurn = max(0, turnEnd &- now.monotonic)
        statistics.turnEnded(at: turnEnd, after: lastTurn)
        turns.publish(statistics.turns)
    }

    func attach(_ mailbox: any MailboxDrain) {
        mailboxes.append(mailbox)
    }
}

// MARK: - Parts of a turn

extension EventLoop {
    /// Rounded up, so that the loop does not turn empty in the last millisecond before a timer.
    private func waitMilliseconds(_ limit: Nanoseconds) -> Int32 {
        guard !hasMoreWork else { return 0 }
        let longest = min(max(limit, 0), EventLoop.longestWait)
        let expiry = wheel.nextExpiry(horizon: longest)
        guard expiry > turnEnd else { return 0 }
        let wait = min(expiry &- turnEnd, longest)
        return Int32((wait + .millisecond - 1) / .millisecond)
    }

    private func checkClocks() {
        let offset = now.wall &- now.monotonic
        guard abs(offset &- clockOffset) > EventLoop.clockTolerance else { return }
        clockOffset = offset
        clockStepped?()
    }

    private func fireTimers() {
        wheel.advance(to: now.monotonic)
        // Counted first: a source that arms an overdue moment is called again in the next turn, not in this one.
        var remaining = min(wheel.expiredCount, EventLoop.timersPerTurn)
        while remaining > 0, let index = wheel.popExpired() {
            slots[Int(index)].source?.timerFired(on: self)
            remaining -= 1
        }
    }

    private func dispatch(_ count: Int) {
        for position in 0..<count {
            let (registration, readiness) = poller.event(position)
            guard isCurrent(registration) else { continue }
            slots[Int(registration.index)].source?.ready(readiness, on: self)
        }
    }

    // MARK: - Slots

    private func isCurrent(_ registration: Registration) -> Bool {
        registration.index < capacity && slots[Int(registration.index)].generation == registration.generation
    }

    private func takeSlot(_ source: any EventSource, _ descriptor: Int32, _ interest: Readiness) -> Registration {
        if firstFree == LoopSlot.none { grow() }
        let index = firstFree
        let slot = slots + Int(index)
        firstFree = slot.pointee.next
        slot.pointee.source = source
        slot.pointee.descriptor = descriptor
        slot.pointee.interest = interest
        registrationCount += 1
        return Registration(index: index, generation: slot.pointee.generation)
    }

    private func freeRetired() {
        while firstRetired != LoopSlot.none {
            let index = firstRetired
            firstRetired = slots[Int(index)].next
            slots[Int(index)].next = firstFree
            firstFree = index
            // Last: the destruction of a source may register and deregister others.
            slots[Int(index)].source = nil
        }
    }

    private func grow() {
        let newCapacity = max(64, capacity * 2)
        let grown = UnsafeMutablePointer<LoopSlot>.allocate(capacity: newCapacity)
        grown.moveInitialize(from: slots, count: capacity)
        (grown + capacity).initialize(repeating: LoopSlot(), count: newCapacity - capacity)
        slots.deallocate()
        slots = grown
        for index in capacity..<newCapacity {
            slots[index].next = index + 1 < newCapacity ? UInt32(index + 1) : LoopSlot.none
        }
        firstFree = UInt32(capacity)
        capacity = newCapacity
        wheel.reserve(newCapacity)
    }
}
