/// An aggregate that is being read: what it will be, what it has, how many values are still to come.
struct RESPAggregate {
    enum Kind {
        case array, set, push, map, attribute
    }

    let kind: Kind
    var remaining: Int
    /// Grows with what has come, never by what was declared.
    var elements: [RESPValue] = []

    /// Nil for an attribute, which is dropped.
    var value: RESPValue? {
        switch kind {
        case .array: return .array(elements)
        case .set: return .set(elements)
        case .push: return .push(elements)
        case .attribute: return nil
        case .map:
            return .map(
                stride(from: 0, to: elements.count - 1, by: 2).map {
                    RESPValue.Entry(key: elements[$0], value: elements[$0 + 1])
                })
        }
    }
}
