import CEpoll
import Glibc

/// Signals as events of a loop (signalfd), so that what they cause is ordinary code of that loop's thread.
///
/// A signal is delivered this way only while it is blocked in every thread: call `block` in the first thread before
/// any other is started.
final class SignalSource: EventSource {
    private let descriptor: Int32
    private let receive: (Int32) -> Void
    private var registration: Registration?

    /// Blocks `signals` in the calling thread and in those it starts from now on.
    static func block(_ signals: [Int32]) {
        var set = SignalSource.set(of: signals)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Blocks the signals, as `block` does, and calls `receive` with each that arrives. Equal signals that arrive
    /// before the loop's next turn may count as one.
    init(_ signals: [Int32], on loop: EventLoop, receive: @escaping (Int32) -> Void) throws(SystemError) {
        SignalSource.block(signals)
        var set = SignalSource.set(of: signals)
        descriptor = signalfd(-1, &set, TIFFIN_SFD_FLAGS)
        self.receive = receive
        guard descriptor >= 0 else { throw .last("signalfd") }
        registration = try loop.register(descriptor, interest: .readable, source: self)
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    func ready(_ readiness: Readiness, on loop: EventLoop) {
        var info = signalfd_siginfo()
        while read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size) == MemoryLayout<signalfd_siginfo>.size {
            receive(Int32(info.ssi_signo))
        }
    }

    func timerFired(on loop: EventLoop) {}

    /// Receives no more; the signals stay blocked.
    func stop(on loop: EventLoop) {
        guard let registration else { return }
        loop.deregister(registration)
        self.registration = nil
    }

    private static func set(of signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        return set
    }
}
