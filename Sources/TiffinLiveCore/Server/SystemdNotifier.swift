/// Tells systemd how the service is (sd_notify(3)): READY, RELOADING, STOPPING, STATUS and WATCHDOG. Lives on the control
/// thread; says nothing when nobody asked.
final class SystemdNotifier {
    /// How often the status is said anew, when it has changed.
    private static let statusPeriod: Nanoseconds = 3 * .second

    private let socket: NotificationSocket
    private var watchdog: Watchdog?
    private let turns: [TurnCounter]
    private var watchdogTimer: Housekeeping?
    private var told = ServiceStatus()
    private var nextStatus: Nanoseconds = 0

    /// nil when systemd does not want to be told.
    ///
    /// - Parameter turns: of the loops that the watchdog stands for, besides `loop`, which proves itself by asking.
    init?(_ environment: ServiceEnvironment, turns: [TurnCounter], on loop: EventLoop) {
        guard let socket = environment.notificationSocket.flatMap({ NotificationSocket($0) }) else { return nil }
        self.socket = socket
        self.turns = turns
        guard let limit = environment.watchdog else { return }
        let watchdog = Watchdog(limit: limit, loops: turns.count)
        self.watchdog = watchdog
        watchdogTimer = Housekeeping(on: loop, every: watchdog.period) { [unowned self] in feedWatchdog() }
    }

    /// The service serves: after the start, and again after a reload.
    func ready(_ status: ServiceStatus) {
        told = status
        socket.send(["READY=1", "STATUS=\(status.text)"])
    }

    /// Ended by `ready`. systemd takes a time before its signal for the answer to an earlier one, so the clock is read here.
    func reloading() {
        socket.send(["RELOADING=1", "MONOTONIC_USEC=\(Clock.monotonic() / .microsecond)"])
    }

    /// - Parameter limit: how long it will take at most, should systemd have been told less.
    func stopping(_ status: ServiceStatus, within limit: Nanoseconds) {
        told = status
        socket.send(["STOPPING=1", "STATUS=\(status.text)", "EXTEND_TIMEOUT_USEC=\(limit / .microsecond)"])
    }

    /// To be called now and then.
    func update(_ status: ServiceStatus, now: Moment) {
        socket.flush()
        guard status != told, now.monotonic >= nextStatus else { return }
        nextStatus = now.monotonic.clampedAdding(Self.statusPeriod)
        told = status
        socket.send(["STATUS=\(status.text)"])
    }

    private func feedWatchdog() {
        if watchdog?.mayTell(turns.map(\.count)) == true { socket.send(["WATCHDOG=1"]) }
    }
}
