/// What Redis said of itself in its answer to HELLO.
struct RedisServerInfo: Equatable, Sendable {
    /// 2 or 3.
    var protocolVersion: Int
    /// Empty when Redis did not say.
    var version = ""
    var role = ""
    var mode = ""

    /// The first version with functions, which publishing needs.
    static let neededVersion = "7.0"

    /// Older than that. A server that does not know HELLO is; of one that says nothing else nobody knows.
    var isTooOld: Bool {
        guard let major = Int(version.prefix { $0 != "." }) else { return protocolVersion < 3 }
        return major < 7
    }

    var isReplica: Bool { role == "replica" || role == "slave" }

    init(protocolVersion: Int) {
        self.protocolVersion = protocolVersion
    }

    init(_ hello: RESPValue) {
        protocolVersion = 3
        version = RedisServerInfo.text(hello["version"])
        role = RedisServerInfo.text(hello["role"])
        mode = RedisServerInfo.text(hello["mode"])
    }

    /// Cut: it goes to logs.
    private static func text(_ value: RESPValue?) -> String {
        String(decoding: (value?.bytes ?? []).prefix(32), as: UTF8.self)
    }
}
