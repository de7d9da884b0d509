import CEpoll
import Glibc
import Synchronization

/// A thread for one loop. What the body captures must be Sendable: the loop itself is made inside.
package final class LoopThread: Sendable {
    private let thread: pthread_t
    private let isJoined = Atomic<Bool>(false)

    private init(thread: pthread_t) {
        self.thread = thread
    }

    deinit {
        if !isJoined.load(ordering: .acquiring) { pthread_detach(thread) }
    }

    /// `name` as the tools of the system show it: 15 bytes are kept. Signals that are blocked in the calling thread
    /// are blocked in the new one.
    package static func start(name: String, body: @escaping @Sendable () -> Void) throws(SystemError) -> LoopThread {
        var thread = pthread_t()
        let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
        let code = pthread_create(&thread, nil, { ThreadStart.run($0) }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw SystemError("pthread_create", code: code)
        }
        return LoopThread(thread: thread)
    }

    /// Waits for the end of the body; at once when somebody has waited already.
    package func join() {
        guard !isJoined.exchange(true, ordering: .acquiringAndReleasing) else { return }
        pthread_join(thread, nil)
    }
}
