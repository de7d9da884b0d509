import Glibc
import TiffinLiveCore

/// `demo`: the whole server on loopback with throw-away keys, simulated orders, and clients that show what it is for.
enum DemoCommand: Command {
    static let name = "demo"
    static let summary = "shows it all on loopback: no Redis, no files, nothing to set up"
    static let usage = "tiffin-live demo [--port N] [--seconds N] [--quiet] [--check]"
    static let details = """
        Starts a server on 127.0.0.1 (port 8080 when that is free) with keys of its own, a customer, riders and a restaurant
        whose orders move. Prints the address of a web page that shows their apps and lets you play the operator, and commands
        to paste; and within a minute lets real clients show an event, refusals, a refresh, an expiry, a resume and a
        suspension. Runs until Ctrl-C, or for --seconds.

        --quiet   only the commands to paste, no story
        --check   tells the story once and ends: exit code 0 when all came as told, else 1
        """
    static let options = [Option("port"), Option("seconds"), Option("quiet", .flag), Option("check", .flag)]

    /// Longest story that passes a check.
    private static let checkLimit = 60.0

    static func run(_ arguments: Arguments) throws(CommandError) -> Int32 {
        let port = try arguments.integer("port", in: 0...65535)
        let seconds = try arguments.integer("seconds", in: 1...86_400)
        let isCheck = arguments.has("check")
        // Before any thread is there, so that a signal waits until this thread takes it.
        blockSignals()
        // Nobody reads the port of a check, and several of them may run at once.
        let pages = try DemoPages.bind(usesUsualPort: !isCheck)
        defer { pages.stop() }
        let demo = try DemoServer.start(port: port ?? (isCheck ? 0 : nil), pageOrigin: pages.origin)
        defer { demo.end() }
        let operations = DemoOperations(demo)
        let isQuiet = arguments.has("quiet")
        let progress = DemoProgress()
        do {
            try pages.serve(demo, operations)
            if !isCheck { Console.out(DemoGuide(demo, page: pages.address).text) }
            let narrator = Narrator(isQuiet: isQuiet)
            _ = try LoopThread.start(name: "orders") { OrderSimulation(demo, operations, progress).run() }
            if isCheck || !isQuiet {
                _ = try LoopThread.start(name: "story") { tell(demo, progress, narrator, followsOn: !isCheck) }
            }
        } catch {
            throw .failed("cannot start a thread: \(error)")
        }
        let limit = isCheck ? min(checkLimit, seconds.map(Double.init) ?? checkLimit) : seconds.map(Double.init)
        let isSignalled = wait(for: progress, limit: limit, isCheck: isCheck)
        progress.stop()
        guard isCheck else { return 0 }
        guard !isSignalled else { throw .failed("tiffin-live demo: the check was ended before its story") }
        switch progress.outcome {
        case .told: return 0
        case .failed: return CommandError.failureStatus
        case .running:
            Console.error("tiffin-live demo: the story was not over in time\n\(demo.logTail)")
            return CommandError.failureStatus
        }
    }

    private static func tell(
        _ demo: DemoServer, _ progress: DemoProgress, _ narrator: Narrator, followsOn: Bool
    ) {
        do {
            try Story(demo, progress, narrator).tell()
            progress.finish(.told)
        } catch {
            if !progress.hasStopped {
                Console.error("NOT AS EXPECTED: \(error)\nThe server's last log lines:\n\(demo.logTail)")
            }
            progress.finish(.failed)
        }
        guard followsOn else { return }
        let ending = progress.outcome == .told ? "That was the story; all" : "All"
        narrator.say("\(ending) keeps moving until Ctrl-C. A customer's app goes on following order 123:")
        OrderFollower(demo, progress, narrator).run()
    }

    private static var signals: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        // The terminal was closed: the folder with the keys must go then, too.
        sigaddset(&set, SIGHUP)
        return set
    }

    private static func blockSignals() {
        var set = signals
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// True when a signal ended the wait.
    private static func wait(for progress: DemoProgress, limit: Double?, isCheck: Bool) -> Bool {
        var set = signals
        var pause = timespec(tv_sec: 0, tv_nsec: 100_000_000)
        let deadline = limit.map { Deadline(after: $0) }
        while true {
            if sigtimedwait(&set, nil, &pause) > 0 { return true }
            if deadline?.hasPassed == true { return false }
            if isCheck, progress.outcome != .running { return false }
        }
    }
}
