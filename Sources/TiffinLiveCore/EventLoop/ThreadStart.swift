import CEpoll

/// What `pthread_create` hands to a new thread of `LoopThread`.
final class ThreadStart: Sendable {
    private let name: String
    private let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }

    /// The thread's first function: takes over the reference that `argument` carries.
    static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
        tiffin_name_thread(start.name)
        start.body()
        return nil
    }
}
