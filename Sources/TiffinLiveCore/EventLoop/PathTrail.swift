import Glibc

/// The directories that decide what a path leads to: that of the file, and that of each symbolic link on the way. When
/// something changes in one of them, the path may lead to another file.
enum PathTrail {
    /// As many links as the kernel follows (path_resolution(7)).
    private static let longestChain = 40

    /// In the order of the way. Where a part of it is missing, the directory in which that would be made is the last.
    static func directories(of path: String) -> [String] {
        var current = path.hasPrefix("/") ? "/" : "."
        var ahead = path.split(separator: "/").map(String.init)[...]
        var directories: [String] = []
        var links = 0
        while let name = ahead.popFirst() {
            let next = current == "/" ? "/\(name)" : "\(current)/\(name)"
            var status = stat()
            guard lstat(next, &status) == 0 else { return appended(current, to: directories) }
            if status.st_mode & S_IFMT == S_IFLNK {
                links += 1
                directories = appended(current, to: directories)
                guard links <= longestChain, let target = target(of: next) else { return directories }
                if target.hasPrefix("/") { current = "/" }
                ahead = target.split(separator: "/").map(String.init) + ahead
            } else if ahead.isEmpty {
                directories = appended(current, to: directories)
            } else {
                current = next
            }
        }
        return directories
    }

    private static func appended(_ directory: String, to directories: [String]) -> [String] {
        directories.contains(directory) ? directories : directories + [directory]
    }

    private static func target(of link: String) -> String? {
        withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(link, start.assumingMemoryBound(to: CChar.self), buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}
