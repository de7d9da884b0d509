import Glibc
import Testing

@testable import TiffinLiveCore

/// Real files and real notices of the kernel; the clock is the test's, so nothing is waited for.
@Suite("Watching files")
struct FileWatcherTests {
    private final class Watch {
        let folder: TemporaryFolder
        let clock = LoopClock()
        let loop: EventLoop
        private(set) var told: [[String]] = []
        private var watcher: FileWatcher?

        init(_ names: [String], in folder: TemporaryFolder, withoutNotices: Bool = false) throws {
            self.folder = folder
            loop = try clock.makeLoop()
            let paths = names.map { folder.path + "/" + $0 }
            let tell = { [unowned self] (paths: [String]) in
                told.append(paths.map { String($0.dropFirst(folder.path.utf8.count + 1)) })
            }
            watcher =
                withoutNotices
                ? FileWatcher(paths, on: loop, inotify: -1, changed: tell)
                : FileWatcher(paths, on: loop, changed: tell)
        }

        func watch(_ names: [String]) {
            watcher?.watch(names.map { folder.path + "/" + $0 })
        }

        /// Takes the kernel's notices, lets the time pass and has the timers fired.
        func pass(_ span: Nanoseconds) {
            loop.turn(waitingAtMost: 0)
            _ = clock.manual.advance(by: span)
            loop.turn(waitingAtMost: 0)
        }

        /// As long as it takes until the directory is quiet.
        func settle() {
            pass(FileWatcher.settling + 10 * .millisecond)
        }
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("old", to: "keys.json")
    }

    @Test("a file that is replaced by a rename is told once")
    func renamed() throws {
        let watch = try Watch(["keys.json"], in: folder)
        watch.settle()
        #expect(watch.told.isEmpty)
        try folder.replace("keys.json", with: "new")
        watch.settle()
        #expect(watch.told == [["keys.json"]])
        watch.settle()
        #expect(watch.told.count == 1)
        try folder.replace("keys.json", with: "new")
        watch.settle()
        #expect(watch.told.count == 2, "and so is the next")
    }

    @Test("without inotify it is told within two seconds, once")
    func withoutNotices() throws {
        let watch = try Watch(["keys.json"], in: folder, withoutNotices: true)
        try folder.replace("keys.json", with: "new")
        watch.pass(FileWatcher.periodWithoutNotices - 10 * .millisecond)
        #expect(watch.told.isEmpty)
        watch.pass(20 * .millisecond)
        #expect(watch.told == [["keys.json"]])
        watch.pass(FileWatcher.periodWithoutNotices + 10 * .millisecond)
        #expect(watch.told.count == 1)
        try folder.write("newer still", to: "keys.json")
        watch.pass(FileWatcher.periodWithoutNotices + 10 * .millisecond)
        #expect(watch.told.count == 2)
    }

    @Test("what is no inotify instance is closed and done without")
    func unfitInstance() throws {
        // A regular file cannot be waited for.
        let file = open(folder.path + "/keys.json", O_RDONLY)
        let clock = LoopClock()
        let loop = try clock.makeLoop()
        var told = 0
        let watcher = FileWatcher([folder.path + "/keys.json"], on: loop, inotify: file) { _ in told += 1 }
        try folder.replace("keys.json", with: "new")
        loop.turn(waitingAtMost: 0)
        _ = clock.manual.advance(by: FileWatcher.periodWithoutNotices + 10 * .millisecond)
        loop.turn(waitingAtMost: 0)
        #expect(told == 1)
        withExtendedLifetime(watcher) {}
    }

    @Test("a file that is written in place is told when it has been quiet for a while")
    func inPlace() throws {
        let watch = try Watch(["keys.json"], in: folder)
        try folder.write("half", to: "keys.json")
        watch.pass(FileWatcher.settling / 2)
        #expect(watch.told.isEmpty)
        try folder.write("half and half", to: "keys.json")
        watch.pass(FileWatcher.settling / 2)
        #expect(watch.told.isEmpty)
        watch.settle()
        #expect(watch.told == [["keys.json"]])
    }

    @Test("a directory that is never quiet does not put it off for ever")
    func restless() throws {
        let watch = try Watch(["keys.json"], in: folder)
        try folder.write("newer", to: "keys.json")
        var passed: Nanoseconds = 0
        while watch.told.isEmpty, passed < 10 * .second {
            try folder.write("\(passed)", to: "other")
            watch.pass(FileWatcher.settling / 2)
            passed += FileWatcher.settling / 2
        }
        #expect(watch.told == [["keys.json"]])
        #expect(passed <= FileWatcher.longestSettling + FileWatcher.settling)
    }

    @Test("other files of the directory are none of its business")
    func others() throws {
        let watch = try Watch(["keys.json"], in: folder)
        try folder.write("x", to: "other")
        watch.settle()
        try folder.replace("other", with: "y")
        watch.settle()
        #expect(watch.told.isEmpty)
    }

    @Test("a volume of Kubernetes changes by the link that its files go through")
    func kubernetes() throws {
        try folder.make("keys/..1")
        try folder.write("old", to: "keys/..1/keys.json")
        try folder.link("keys/..data", to: "..1")
        try folder.link("keys/keys.json", to: "..data/keys.json")
        let watch = try Watch(["keys/keys.json"], in: folder)
        for number in 2...4 {
            try folder.make("keys/..\(number)")
            try folder.write("new", to: "keys/..\(number)/keys.json")
            try folder.link("keys/..data_tmp", to: "..\(number)")
            try folder.move("keys/..data_tmp", to: "keys/..data")
            watch.settle()
            #expect(watch.told.count == number - 1)
        }
    }

    @Test("a release is switched by its link, and by renaming directories")
    func releases() throws {
        try folder.make("releases/1")
        try folder.make("releases/2")
        try folder.write("old", to: "releases/1/keys.json")
        try folder.write("new", to: "releases/2/keys.json")
        try folder.link("current", to: "releases/1")
        let watch = try Watch(["current/keys.json"], in: folder)
        try folder.link("next", to: "releases/2")
        try folder.move("next", to: "current")
        watch.settle()
        #expect(watch.told == [["current/keys.json"]])
        try folder.move("releases/2", to: "releases/3")
        watch.settle()
        #expect(watch.told.count == 1, "a file that is away is being replaced")
        try folder.make("releases/2")
        try folder.write("newest", to: "releases/2/keys.json")
        watch.settle()
        watch.settle()
        #expect(watch.told.count == 2)
    }

    @Test("a file that is away says nothing, and is told when it is back")
    func away() throws {
        let watch = try Watch(["keys.json", "later.json"], in: folder)
        folder.remove("keys.json")
        watch.settle()
        #expect(watch.told.isEmpty)
        try folder.write("back", to: "keys.json")
        try folder.write("first", to: "later.json")
        watch.settle()
        #expect(watch.told == [["keys.json", "later.json"]])
    }

    @Test("other files can be watched instead, and what those that stay have missed is told yet")
    func changed() throws {
        try folder.write("a", to: "certificate.pem")
        let watch = try Watch(["keys.json"], in: folder)
        try folder.replace("keys.json", with: "new")
        watch.watch(["keys.json", "certificate.pem"])
        watch.settle()
        #expect(watch.told == [["keys.json"]])
        watch.watch(["certificate.pem"])
        try folder.replace("keys.json", with: "newer")
        try folder.replace("certificate.pem", with: "b")
        watch.settle()
        #expect(watch.told == [["keys.json"], ["certificate.pem"]])
    }

    @Test("once a minute it is looked at whatever happens")
    func periodically() throws {
        let watch = try Watch(["keys.json"], in: folder)
        try folder.replace("keys.json", with: "new")
        // The kernel's notices are not taken here: the timers come first in a turn.
        _ = watch.clock.manual.advance(by: FileWatcher.period + 10 * .millisecond)
        watch.loop.turn(waitingAtMost: 0)
        #expect(watch.told == [["keys.json"]])
    }
}
