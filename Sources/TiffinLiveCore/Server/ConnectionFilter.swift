/// Which connections `GET /connections` lists: all conditions that are given must hold. They come in pages, in the order of
/// their names, which never change: whoever is there all the time while pages are turned is listed exactly once.
struct ConnectionFilter: Equatable, Sendable {
    /// Most entries of a page, and how many it has when the request does not say.
    static let maximumLimit = 1000

    var user: String?
    var role: String?
    /// One of the topics that the connection has.
    var topic: String?
    /// As it is configured.
    var route: String?
    var limit = ConnectionFilter.maximumLimit
    /// Only connections whose name is greater: the last one of the page before.
    var after: UInt64?

    init() {}

    /// Nil when a parameter is unknown, doubled or malformed: a condition that is not understood must not pass for none.
    init?(query: [RequestTarget.QueryItem]) {
        var names: Set<String> = []
        for item in query {
            guard names.insert(item.name).inserted else { return nil }
            switch item.name {
            case "user": user = item.value
            case "role": role = item.value
            case "topic": topic = item.value
            case "route": route = item.value
            case "limit":
                guard let number = Self.number(item.value, radix: 10), (1...UInt64(Self.maximumLimit)).contains(number)
                else { return nil }
                limit = Int(number)
            case "after":
                guard let number = Self.number(item.value, radix: 16) else { return nil }
                after = number
            default: return nil
            }
        }
    }

    /// Digits only, no sign.
    private static func number(_ text: String, radix: Int) -> UInt64? {
        guard (1...16).contains(text.utf8.count), text.utf8.allSatisfy({ ASCII.hexValue($0) != nil }) else {
            return nil
        }
        return UInt64(text, radix: radix)
    }
}
