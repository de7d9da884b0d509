/// A reply that is due. Redis answers in the order of the questions, so the oldest expectation is whose reply comes next,
/// be it an error or not.
struct RedisExpectation<Tag> {
    enum Purpose {
        case greeting
        case ping
        /// Nil once it has timed out: the reply is still to come and must not be taken for another's.
        case command(Tag?)
        case subscription([UInt8])
        case subscriptionEnd([UInt8])
    }

    var purpose: Purpose
    let sentAt: Nanoseconds
    /// Of a command; the others are under the watch of the link itself.
    var deadline: Nanoseconds?
}
