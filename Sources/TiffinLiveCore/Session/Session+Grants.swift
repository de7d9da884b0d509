/// Rights that change while a connection is open (contract section 3): a courier taken off an order stops receiving it.
extension Session {
    /// What was known about the topic may be wrong now: it is looked up again, and left when the answer is no. While the
    /// backend cannot say, the connection stays as it is.
    mutating func grantChanged(_ topic: String, _ context: SessionContext) {
        guard let identity, isKnown else { return }
        if let waiting {
            if !waiting.rechecks.contains(topic) { waiting.rechecks.append(topic) }
            return
        }
        guard context.topics.isListening(topic, head: topicHead) else { return }
        ask(PendingQuestion(.recheck(topic: topic), checks: [check(topic, identity, context)]), context)
    }

    mutating func rechecked(_ topic: String, isGranted: Bool, _ context: SessionContext) {
        guard !isGranted else { return questionAnswered(context) }
        leave(topic, context)
        guard topicHead >= 0 else { return disconnect(.forbidden, context) }
        if transport == .websocket {
            write(.unsubscribed(topic: topic, reason: "forbidden", ref: nil), context)
        } else {
            let lost = JSONWriter.text(["topic": .string(topic), "reason": "forbidden"])
            appendBlock("unsubscribed", lost, context)
        }
        questionAnswered(context)
    }
}
