import Glibc
import TiffinLiveCore

/// A customer's app that obeys the rules for clients (contract section 10): a new token for every attempt, resume with
/// the last id, back off when that fails.
struct OrderFollower {
    private let demo: DemoServer
    private let progress: DemoProgress
    private let narrator: Narrator

    init(_ demo: DemoServer, _ progress: DemoProgress, _ narrator: Narrator) {
        self.demo = demo
        self.progress = progress
        self.narrator = narrator
    }

    func run() {
        var lastEventID: String?
        var failures = 0
        while !progress.hasStopped {
            do {
                lastEventID = try follow(from: lastEventID)
                failures = 0
            } catch {
                failures = min(failures + 1, 6)
                // Full jitter, base 500 ms, cap 30 s.
                poll(nil, 0, Int32.random(in: 0...min(30_000, 500 << Int32(failures))))
            }
        }
    }

    /// One connection from its opening to its end; the id to resume with.
    private func follow(from lastEventID: String?) throws -> String? {
        let token = try demo.token("7001", "customer")
        let opening = try EventStreamClient.open(
            demo.address, "/orders/123/events", token: token, lastEventID: lastEventID)
        guard case .opened(let stream) = opening else { throw StoryError("refused") }
        while let event = try stream.next(by: Deadline(after: 60)) {
            switch event.name {
            case "status", "note":
                narrator.say("            order 123: \(event.data)")
            case "close" where !progress.hasStopped:
                narrator.say("EXPIRY      \(event.data): customer 7001 takes a new token and resumes")
            default:
                break
            }
        }
        return stream.lastEventID ?? lastEventID
    }
}
