import CEpoll
import Glibc
import Synchronization

/// The only door from one thread into another's loop: a locked array, an eventfd and a flag.
///
/// Many threads post; one loop, to which it is attached, receives in the order of posting. The flag says that the
/// eventfd was written and the loop has not drained since, so that a burst costs one system call. Posting many at
/// once is cheaper by far than one by one. Never blocks for longer than an append. What is posted before a loop is
/// attached waits for it.
final class Mailbox<Message: Sendable>: Sendable {
    private let pending = Locked<[Message]>([])
    private let isArmed = Atomic<Bool>(false)
    private let descriptor: Int32

    init() throws(SystemError) {
        descriptor = eventfd(0, TIFFIN_EFD_FLAGS)
        guard descriptor >= 0 else { throw .last("eventfd") }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func post(_ message: Message) {
        pending.withLock { $0.append(message) }
        wake()
    }

    /// Posts a batch: one lock and at most one wake-up. The messages stay together.
    func post(contentsOf messages: some Sequence<Message>) {
        pending.withLock { $0.append(contentsOf: messages) }
        wake()
    }

    /// Lets `loop` call `receive` with whatever was posted, first thing in its turns, until the loop ends. To be
    /// called once, in the loop's thread.
    func attach(to loop: EventLoop, receive: @escaping ([Message]) -> Void) throws(SystemError) {
        let receiver = MailboxReceiver(mailbox: self, receive: receive)
        _ = try loop.register(descriptor, interest: .readable, source: receiver)
        loop.attach(receiver)
    }

    /// Whether something was posted since the last drain.
    var hasMail: Bool { isArmed.load(ordering: .acquiring) }

    /// Swaps what was posted into `messages`. The eventfd is read and the flag cleared before the swap: a message
    /// posted in between is either in the swap already or arms the flag anew.
    func drain(into messages: inout [Message]) {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
        isArmed.store(false, ordering: .sequentiallyConsistent)
        pending.withLock { swap(&$0, &messages) }
    }

    private func wake() {
        guard !isArmed.exchange(true, ordering: .sequentiallyConsistent) else { return }
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }
}
