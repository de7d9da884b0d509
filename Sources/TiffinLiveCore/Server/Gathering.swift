/// A question to all workers whose answers are being collected.
struct Gathering {
    private var missing: Int
    private var replies: [GatherReply] = []
    private let complete: ([GatherReply]) -> Void

    init(workers: Int, complete: @escaping ([GatherReply]) -> Void) {
        missing = workers
        self.complete = complete
    }

    /// Takes one worker's answer; true when it was the last, and the question is answered.
    mutating func add(_ reply: GatherReply) -> Bool {
        replies.append(reply)
        missing -= 1
        guard missing == 0 else { return false }
        complete(replies)
        return true
    }
}
