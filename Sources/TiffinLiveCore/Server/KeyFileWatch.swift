import Glibc

/// Notices that a file of keys or a certificate has another content, by its identity, size and time of change. Looked at every two seconds,
/// so that a new key is known at the latest then.
struct KeyFileWatch {
    static let period: Nanoseconds = 2 * .second

    private struct Version: Equatable {
        let device: UInt64
        let inode: UInt64
        let size: Int64
        let seconds: Int
        let nanoseconds: Int
    }

    private let path: String?
    private var known: Version?
    private var next: Nanoseconds = 0

    init(_ secret: SecretReference) {
        path = secret.path
        known = path.flatMap(Self.version)
    }

    mutating func hasChanged(now: Nanoseconds) -> Bool {
        guard let path, now >= next else { return false }
        next = now + Self.period
        // A file that is away for a moment is being replaced.
        guard let current = Self.version(path), current != known else { return false }
        known = current
        return true
    }

    private static func version(_ path: String) -> Version? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Version(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
            seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
    }
}
