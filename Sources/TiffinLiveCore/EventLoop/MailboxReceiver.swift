/// The receiving end of a `Mailbox` inside its loop. Two arrays change places, so that a drain allocates nothing
/// once they have grown to the size of a usual burst.
final class MailboxReceiver<Message: Sendable>: EventSource, MailboxDrain {
    /// An array that grew beyond this in a burst is given back.
    private static var keptCapacity: Int { 8192 }

    private let mailbox: Mailbox<Message>
    private let receive: ([Message]) -> Void
    private var batch: [Message] = []
    /// In this turn.
    private var wasDrained = false

    init(mailbox: Mailbox<Message>, receive: @escaping ([Message]) -> Void) {
        self.mailbox = mailbox
        self.receive = receive
    }

    func drainIfArmed() {
        wasDrained = mailbox.hasMail
        if wasDrained { drain() }
    }

    /// Usually the flag has led to the drain in this turn already. If the poster's write came after that drain, the
    /// next turn reports the eventfd without a flag and reads it empty.
    func ready(_ readiness: Readiness, on loop: EventLoop) {
        if !wasDrained { drain() }
    }

    func timerFired(on loop: EventLoop) {}

    private func drain() {
        mailbox.drain(into: &batch)
        guard !batch.isEmpty else { return }
        receive(batch)
        batch.removeAll(keepingCapacity: batch.capacity <= Self.keptCapacity)
    }
}
