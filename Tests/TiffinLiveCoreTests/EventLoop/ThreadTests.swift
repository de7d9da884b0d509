import Glibc
import Testing

@testable import TiffinLiveCore

@Suite("Threads, locks and the process")
struct ThreadTests {
    @Test("a thread runs its body under its name, and joining waits for the end")
    func thread() throws {
        let name = Locked("")
        let thread = try LoopThread.start(name: "a-name-too-long-for-linux") {
            let file = open("/proc/thread-self/comm", O_RDONLY)
            var bytes = [UInt8](repeating: 0, count: 32)
            let count = read(file, &bytes, 32)
            close(file)
            let text = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
            name.withLock { $0 = text }
        }
        thread.join()
        thread.join()
        #expect(name.withLock { $0 } == "a-name-too-long\n")
    }

    @Test("a lock keeps threads apart")
    func lock() throws {
        let counter = Locked(0)
        let threads = try (0..<4).map { _ in
            try LoopThread.start(name: "counter") {
                for _ in 0..<10_000 { counter.withLock { $0 += 1 } }
            }
        }
        for thread in threads { thread.join() }
        #expect(counter.withLock { $0 } == 40_000)
    }

    @Test("a blocked signal becomes an event of the loop, until the source is stopped")
    func signals() throws {
        // In a thread of its own: the mask is the thread's, and a signal sent to the thread is seen by no other.
        let received = Locked<[Int32]>([])
        let thread = try LoopThread.start(name: "signals") {
            guard let loop = try? EventLoop() else { return }
            let source = try? SignalSource([SIGUSR2, SIGHUP], on: loop) { signal in
                received.withLock { $0.append(signal) }
            }
            pthread_kill(pthread_self(), SIGUSR2)
            loop.turn()
            pthread_kill(pthread_self(), SIGHUP)
            loop.turn()
            source?.stop(on: loop)
            pthread_kill(pthread_self(), SIGHUP)
            loop.turn(waitingAtMost: 0)
        }
        thread.join()
        #expect(received.withLock { $0 } == [SIGUSR2, SIGHUP])
    }

    @Test("the descriptor limit is raised to the hard one")
    func descriptorLimit() throws {
        let before = try DescriptorLimit.current()
        #expect(before.soft > 0 && before.soft <= before.hard)
        let raised = try DescriptorLimit.raise()
        #expect(raised.soft == raised.hard)
        #expect(raised.hard == before.hard)
        #expect(try DescriptorLimit.current() == raised)
    }

    @Test("the processors in use are at least one and at most those of the machine")
    func processors() {
        #expect(Processors.available >= 1)
        #expect(Processors.available <= max(1, sysconf(Int32(_SC_NPROCESSORS_CONF))))
    }

    @Test("a system error names the call and the reason")
    func systemError() {
        #expect(SystemError("bind 127.0.0.1:80", code: EACCES).description == "bind 127.0.0.1:80: Permission denied")
        errno = ENOENT
        #expect(SystemError.last("open") == SystemError("open", code: ENOENT))
    }

    @Test("the clocks: monotonic never goes back, wall is after 2025")
    func clocks() {
        let first = Clock.now()
        let second = Clock.now()
        #expect(second.monotonic >= first.monotonic)
        #expect(first.wall > 1_735_689_600 * .second)
    }
}
