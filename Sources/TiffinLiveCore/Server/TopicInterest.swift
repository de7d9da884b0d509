/// Which topics a worker has asked the control thread for: a topic is given up only when nobody listens and nobody is
/// about to.
struct TopicInterest {
    /// Questions on their way, by topic.
    private var pending: [String: Int] = [:]

    mutating func asked(for topic: String) {
        pending[topic, default: 0] += 1
    }

    /// An answer has come.
    mutating func answered(_ topic: String) {
        guard let count = pending[topic] else { return }
        pending[topic] = count > 1 ? count - 1 : nil
    }

    func isAwaited(_ topic: String) -> Bool {
        pending[topic] != nil
    }
}
