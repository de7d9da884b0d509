/// The answers to owner look-ups of one loop: remembered for seconds, denials too, and asked once when many connections
/// want the same (contract section 3). Sending the questions and the time-outs belong to the caller.
struct OwnerCache {
    enum Completion: Equatable {
        /// These waited for the answer.
        case answered([UInt64])
        /// The grant changed while the question was on its way, so the answer may be old: send it again.
        case askAgain
    }

    private struct Answer {
        let isGranted: Bool
        let until: Nanoseconds
    }

    private struct Question {
        var waiters: [UInt64]
        let asked: Nanoseconds
        var isStale = false
    }

    private var answers = AgedTable<OwnerLookup, Answer>()
    private var questions = AgedTable<OwnerLookup, Question>()
    /// The look-ups of each topic that are remembered or on their way, so that a message about a topic finds them.
    private var byTopic: [String: Set<OwnerLookup>] = [:]
    private let capacity: Int
    /// How long an answer is used again, from the next one on.
    var allowedFor: Nanoseconds
    var deniedFor: Nanoseconds

    /// - Parameters: how many answers are kept, and for how long; 0 keeps none of that kind.
    init(capacity: Int = 100_000, allowedFor: Nanoseconds, deniedFor: Nanoseconds) {
        self.capacity = max(capacity, 1)
        self.allowedFor = allowedFor
        self.deniedFor = deniedFor
    }

    var count: Int { answers.count }
    var questionCount: Int { questions.count }

    /// The remembered answer, when there is a fresh one. `now` is monotonic here and below.
    func answer(to lookup: OwnerLookup, now: Nanoseconds) -> Bool? {
        guard let answer = answers.value(for: lookup), now < answer.until else { return nil }
        return answer.isGranted
    }

    /// Notes that `waiter` wants the answer; true when it is the first, and the caller must send the question.
    mutating func wait(for lookup: OwnerLookup, waiter: UInt64, now: Nanoseconds) -> Bool {
        let joined: Void? = questions.update(lookup) { $0.waiters.append(waiter) }
        if joined != nil { return false }
        questions.set(Question(waiters: [waiter], asked: now), for: lookup)
        byTopic[lookup.topic, default: []].insert(lookup)
        return true
    }

    /// The answer came; nil = the look-up failed, and nothing is remembered. Late answers that nobody waits for any more
    /// are not remembered either.
    mutating func complete(_ lookup: OwnerLookup, isGranted: Bool?, now: Nanoseconds) -> Completion {
        guard let question = questions.value(for: lookup) else { return .answered([]) }
        if question.isStale, isGranted != nil {
            _ = questions.update(lookup) { $0.isStale = false }
            return .askAgain
        }
        questions.remove(lookup)
        if let isGranted { remember(lookup, isGranted: isGranted, now: now) }
        removeFromTopic(lookup)
        return .answered(question.waiters)
    }

    /// Gives up the questions that were asked before `moment` and answers who waited for them.
    mutating func expire(askedBefore moment: Nanoseconds) -> [UInt64] {
        var waiters: [UInt64] = []
        while let (lookup, question) = questions.oldest, question.asked < moment {
            waiters += question.waiters
            questions.remove(lookup)
            removeFromTopic(lookup)
        }
        return waiters
    }

    /// Forgets what is known about a topic, for one user or for all: the grant has changed.
    mutating func drop(topic: String, user: String? = nil) {
        let user = user.map { Array($0.utf8) }
        for lookup in byTopic[topic] ?? [] where user == nil || lookup.user == user {
            _ = questions.update(lookup) { $0.isStale = true }
            forget(lookup)
        }
    }

    /// Forgets all answers: messages about grants may have been missed.
    mutating func dropAll() {
        while let (lookup, _) = answers.oldest { forget(lookup) }
        questions.updateAll { $1.isStale = true }
    }

    private mutating func remember(_ lookup: OwnerLookup, isGranted: Bool, now: Nanoseconds) {
        let lifetime = isGranted ? allowedFor : deniedFor
        forget(lookup)
        guard lifetime > 0 else { return }
        for _ in 0..<2 {
            guard let (oldest, answer) = answers.oldest, now >= answer.until else { break }
            forget(oldest)
        }
        if answers.count >= capacity, let (oldest, _) = answers.oldest { forget(oldest) }
        answers.set(Answer(isGranted: isGranted, until: now.clampedAdding(lifetime)), for: lookup)
        byTopic[lookup.topic, default: []].insert(lookup)
    }

    private mutating func forget(_ lookup: OwnerLookup) {
        if answers.remove(lookup) != nil { removeFromTopic(lookup) }
    }

    private mutating func removeFromTopic(_ lookup: OwnerLookup) {
        guard answers.value(for: lookup) == nil, questions.value(for: lookup) == nil else { return }
        byTopic[lookup.topic]?.remove(lookup)
        if byTopic[lookup.topic]?.isEmpty == true { byTopic[lookup.topic] = nil }
    }
}
