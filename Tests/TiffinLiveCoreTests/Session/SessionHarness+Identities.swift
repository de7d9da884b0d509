@testable import TiffinLiveCore

/// The backend's part in tickets and session ids, answered in the way of look-ups (`SessionHarness.lookUps`).
extension SessionHarness {
    func sent(_ command: [String], index: Int, for client: HarnessClient) {
        identityCommands.append(command)
        answerIdentity { reply in
            client.perform { $0.identityAnswered(index, reply, $1) }
        } from: {
            command
        }
    }

    /// Keeps a value under the next ticket: `t1`, `t2`, …
    func store(_ value: [UInt8], for client: HarnessClient) {
        ticketsStored += 1
        let ticket = "t\(ticketsStored)"
        answerIdentity { reply in
            client.perform { $0.ticketStored(ticket, reply, $1) }
        } from: {
            self.configuration.tickets.storing(ticket, value: String(decoding: value, as: UTF8.self))
        }
    }

    private func answerIdentity(_ answer: @escaping (StoreReply) -> Void, from command: @escaping () -> [String]) {
        switch lookUps {
        case .atOnce: later { answer(self.store.execute(command(), now: self.now.monotonic)) }
        case .failing: later { answer(.error("LOADING")) }
        case .later: identitiesWaiting.append { answer($0 ?? self.store.execute(command(), now: self.now.monotonic)) }
        }
    }

    /// Answers what was held back, from the store or with one reply for all.
    func answerIdentities(_ reply: StoreReply? = nil) {
        let waiting = identitiesWaiting
        identitiesWaiting = []
        for answer in waiting { answer(reply) }
        finishTurn()
    }
}
