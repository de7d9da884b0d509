import CEpoll
import Glibc

/// Tells when paths lead to another content: a file was written in place or replaced by a rename, or a symbolic link on
/// its way points elsewhere (as volumes of Kubernetes change, or a release that is switched by its link).
///
/// inotify(7) only says that something happened in one of the directories on the way; whether a file has changed, its
/// `FileVersion` tells. It is looked at when the directories have been quiet for `settling`, so that a file written in
/// pieces is seen whole, and every minute whatever happens, because network file systems are silent. Where inotify is not
/// to be had, or a directory cannot be watched, every two seconds. One timer, and no thread.
final class FileWatcher: EventSource {
    static let settling: Nanoseconds = 200 * .millisecond
    /// In directories that are never quiet.
    static let longestSettling: Nanoseconds = 2 * .second
    static let period: Nanoseconds = 60 * .second
    static let periodWithoutNotices: Nanoseconds = 2 * .second

    private unowned let loop: EventLoop
    /// Gets the paths that lead to another content, in the order in which they were named.
    private let changed: ([String]) -> Void
    /// The inotify instance, or -1.
    private var descriptor: Int32
    private var registration: Registration?
    private var files: [(path: String, version: FileVersion?)] = []
    /// Watch descriptors of the directories.
    private var watches: Set<Int32> = []
    /// Whether the kernel tells of every directory.
    private var isNoticing = false
    private var nextLook = Nanoseconds.max
    /// When the first notice came that nobody has looked after yet.
    private var noticedAt: Nanoseconds?

    /// - Parameter inotify: an inotify instance, which is taken over, or -1 for none; there are few for each user.
    init(
        _ paths: [String], on loop: EventLoop, inotify: Int32 = inotify_init1(TIFFIN_IN_FLAGS),
        changed: @escaping ([String]) -> Void
    ) {
        self.loop = loop
        self.changed = changed
        descriptor = inotify
        if descriptor >= 0 { registration = try? loop.register(descriptor, interest: .readable, source: self) }
        if registration == nil {
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
            registration = loop.registerTimer(self)
        }
        watch(paths)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// From now on these files are watched and no others. What has changed in those that were watched before is told yet.
    func watch(_ paths: [String]) {
        let before = files
        var seen: Set<String> = []
        files = paths.filter { seen.insert($0).inserted }.map { (path: $0, version: nil) }
        watchDirectories()
        for index in files.indices {
            let path = files[index].path
            if let known = before.first(where: { $0.path == path }) {
                files[index].version = known.version
            } else {
                files[index].version = FileVersion(path)
            }
        }
        if noticedAt == nil { lookLater() }
    }

    // MARK: Events of the loop

    func ready(_ readiness: Readiness, on loop: EventLoop) {
        discardNotices()
        let first = noticedAt ?? loop.now.monotonic
        noticedAt = first
        arm(
            at: min(
                loop.now.monotonic.clampedAdding(Self.settling), first.clampedAdding(Self.longestSettling), nextLook))
    }

    func timerFired(on loop: EventLoop) {
        noticedAt = nil
        // Watched anew first, so that what happens after the look is noticed.
        watchDirectories()
        let paths = look()
        lookLater()
        if !paths.isEmpty { changed(paths) }
    }

    // MARK: Looking

    private func lookLater() {
        nextLook = loop.now.monotonic.clampedAdding(isNoticing ? Self.period : Self.periodWithoutNotices)
        arm(at: nextLook)
    }

    private func look() -> [String] {
        var changed: [String] = []
        for index in files.indices {
            // A file that is away for a moment is being replaced.
            guard let current = FileVersion(files[index].path), current != files[index].version else { continue }
            files[index].version = current
            changed.append(files[index].path)
        }
        return changed
    }

    private func watchDirectories() {
        isNoticing = descriptor >= 0
        guard isNoticing else { return }
        var current: Set<Int32> = []
        for file in files {
            for directory in PathTrail.directories(of: file.path) {
                // The same number for a directory that is watched already.
                let watch = inotify_add_watch(descriptor, directory, TIFFIN_IN_CHANGES)
                if watch >= 0 { current.insert(watch) } else { isNoticing = false }
            }
        }
        for watch in watches.subtracting(current) { inotify_rm_watch(descriptor, watch) }
        watches = current
    }

    private func discardNotices() {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }

    private func arm(at moment: Nanoseconds) {
        if let registration { loop.arm(registration, at: moment) }
    }
}
