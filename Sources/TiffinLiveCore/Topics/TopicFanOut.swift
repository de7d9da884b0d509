/// The events of one topic that are on their way to its listeners. Exists only while there are any, or holes to close.
final class TopicFanOut {
    struct Pending {
        /// Nil once it has been delivered.
        var batch: EventBatch?
        /// Listeners at or behind this position came after the events; nil while the batch is still open.
        var limit: Int32?
    }

    /// In the order of publishing, from `delivered` on. Only the last may be open.
    private var pending: [Pending] = []
    private var delivered = 0
    /// The batches before this one (and behind the first) have limits that count the packed listeners already.
    private var relocated = 1
    /// The listener that comes next.
    var cursor: Int32 = 0
    /// Listeners in front of the cursor stand packed below this position: walking closes the holes of those who left.
    var packed: Int32 = 0

    var isEmpty: Bool { delivered == pending.count }

    /// The batch that is being walked.
    var first: Pending? { isEmpty ? nil : pending[delivered] }

    /// Adds to the open batch, or opens one.
    func append(_ event: Event) {
        if isEmpty {
            // A walk that only closes holes starts over as the walk of this batch.
            startOver()
        } else if let last = pending.last, last.limit == nil, let batch = last.batch {
            batch.append(event)
            return
        }
        pending.append(Pending(batch: EventBatch(event), limit: nil))
    }

    /// Closes the open batch: whoever attaches from now on stands at or behind `count` and gets nothing of it.
    func seal(at count: Int32) {
        guard !isEmpty, pending[pending.count - 1].limit == nil else { return }
        pending[pending.count - 1].limit = count
    }

    /// To be called before the listener at the cursor is packed: a limit that the cursor reaches moves with the listeners.
    func relocateLimits() {
        while relocated < pending.count, let limit = pending[relocated].limit, limit <= cursor {
            pending[relocated].limit = packed
            relocated += 1
        }
    }

    /// The walk is over: the first batch has been delivered, and the listeners that are left stand packed.
    func removeFirst() {
        while relocated < pending.count {
            if pending[relocated].limit != nil { pending[relocated].limit = packed }
            relocated += 1
        }
        if !isEmpty {
            pending[delivered].batch = nil
            delivered += 1
            if isEmpty {
                pending.removeAll(keepingCapacity: true)
                delivered = 0
            }
        }
        startOver()
    }

    private func startOver() {
        cursor = 0
        packed = 0
        relocated = delivered + 1
    }
}
