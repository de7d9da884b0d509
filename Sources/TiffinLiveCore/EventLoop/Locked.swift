import Glibc

/// A value behind a mutex, for the few things that threads share.
///
/// A pthread mutex and not `Synchronization.Mutex`, which ThreadSanitizer does not understand: it would report
/// every use. `@unchecked` because the value is touched under the lock only.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    package init(_ value: Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the lock held. Not recursive.
    @inline(__always)
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}

extension Locked: SharedValue {
    func withValue<Result>(_ body: (inout Value) -> Result) -> Result {
        withLock(body)
    }
}
