/// Time: commands that have waited too long, a link that says nothing.
extension RedisSession {
    /// A reply may go on arriving for so many times `silence`, then it ends the link like none at all.
    private static var longestReply: Nanoseconds { 6 }

    /// When `deadlineReached` is to be called next; nil while disconnected. Moves with everything that happens.
    var nextDeadline: Nanoseconds? {
        switch state {
        case .disconnected, .failed: nil
        case .greeting: connectedAt.clampedAdding(settings.greetingTimeout)
        case .ready: min(earliestDeadline, healthDeadline)
        }
    }

    /// Too early a call does nothing.
    mutating func deadlineReached(now: Nanoseconds) {
        switch state {
        case .disconnected, .failed: return
        case .greeting:
            if now >= connectedAt.clampedAdding(settings.greetingTimeout) { fail(.greetingTimedOut) }
        case .ready:
            expireCommands(now: now)
            guard now >= healthDeadline else { return }
            guard expected.isEmpty else { return fail(.silent) }
            expect(.ping, now: now)
            RESPEncoder.append(["PING"], to: output)
        }
    }

    private var healthDeadline: Nanoseconds {
        guard let oldest = expected.first else { return heardAt.clampedAdding(settings.quiet) }
        let asked = max(oldest.sentAt, repliedAt)
        let (longest, overflow) = settings.silence.multipliedReportingOverflow(by: Self.longestReply)
        return min(
            max(oldest.sentAt, progressedAt).clampedAdding(settings.silence),
            asked.clampedAdding(overflow ? .max : longest))
    }

    /// The expectation stays, without its tag.
    private mutating func expireCommands(now: Nanoseconds) {
        guard now >= earliestDeadline else { return }
        var earliest = Nanoseconds.max
        var expired: [Tag] = []
        expected.update { expectation in
            guard let deadline = expectation.deadline else { return }
            guard deadline <= now else {
                earliest = min(earliest, deadline)
                return
            }
            if case .command(let tag?) = expectation.purpose { expired.append(tag) }
            expectation.purpose = .command(nil)
            expectation.deadline = nil
        }
        earliestDeadline = earliest
        statistics.timedOut(expired.count)
        for tag in expired { events.append(.reply(tag, .failure(.timedOut))) }
    }
}
