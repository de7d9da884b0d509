/// The loop's view of an attached mailbox, whatever its messages are.
protocol MailboxDrain: AnyObject {
    /// Hands over what was posted; a look at a flag when nothing was.
    func drainIfArmed()
}
