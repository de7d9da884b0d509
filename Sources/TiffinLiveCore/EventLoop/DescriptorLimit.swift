import Glibc

/// How many files this process may have open (RLIMIT_NOFILE). An unlimited value reads as `Int.max`.
struct DescriptorLimit: Equatable, Sendable {
    let soft: Int
    /// What the soft limit may be raised to without privileges.
    let hard: Int

    /// The first number that no client's connection may have, so that the server itself can still open what it needs when
    /// clients have taken everything: links to Redis, admin connections, files that have changed. The kernel gives the
    /// lowest number that is free.
    var endOfClients: Int { soft - min(16, soft / 8) }

    static func current() throws(SystemError) -> DescriptorLimit {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw .last("getrlimit") }
        return DescriptorLimit(soft: Int(clamping: limit.rlim_cur), hard: Int(clamping: limit.rlim_max))
    }

    /// Raises the soft limit to the hard one and answers what holds then.
    static func raise() throws(SystemError) -> DescriptorLimit {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { throw .last("getrlimit") }
        if limit.rlim_cur != limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            guard setrlimit(resource, &limit) == 0 else { throw .last("setrlimit") }
        }
        return try current()
    }
}
