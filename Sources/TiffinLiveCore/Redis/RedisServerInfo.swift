/// What Redis said of itself in its answer to HELLO.
struct RedisServerInfo: Equatable, Sendable {
    /// 2 or 3.
    var protocolVersion: Int
    /// Empty when Redis did not say.
    var version = ""
    var role = ""
    var mode = ""

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
