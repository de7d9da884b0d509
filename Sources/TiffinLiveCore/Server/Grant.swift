/// A message on the channel of grants (contract section 3): whoever leans on this topic, or this user of it, is to be
/// looked up again.
struct Grant: Equatable, Sendable {
    static let maximumBytes = 64 * 1024

    let topic: String
    let user: String?

    init?(_ message: [UInt8]) {
        guard let object = try? JSONReader.read(message).objectValue, let topic = object["topic"]?.stringValue,
            !topic.isEmpty
        else { return nil }
        self.topic = topic
        switch object["user"] {
        case nil, .null?: user = nil
        case .string(let text)?: user = text
        case .number(let number)?:
            guard let whole = number.int64 else { return nil }
            user = String(whole)
        default: return nil
        }
    }
}
