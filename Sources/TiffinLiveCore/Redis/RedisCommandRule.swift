/// Which commands may share a connection with others: those that Redis answers with one reply and that leave the
/// connection as it is. The others would shift replies or change the protocol under the reader.
enum RedisCommandRule {
    private static let changing: [StaticString] = [
        "subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe", "monitor", "reset",
        "quit", "hello", "auth", "select", "sync", "psync", "replconf", "shutdown", "multi", "exec", "discard",
    ]

    static func hasOneReply(_ command: [[UInt8]]) -> Bool {
        guard let name = command.first, !name.isEmpty else { return false }
        // CLIENT REPLY OFF and its like.
        if equal(name, "client"), command.count > 1, equal(command[1], "reply") { return false }
        return !changing.contains { equal(name, $0) }
    }

    private static func equal(_ name: [UInt8], _ lowercase: StaticString) -> Bool {
        guard name.count == lowercase.utf8CodeUnitCount else { return false }
        let text = UnsafeBufferPointer(start: lowercase.utf8Start, count: lowercase.utf8CodeUnitCount)
        return name.elementsEqual(text) { ASCII.lowercased($0) == $1 }
    }
}
