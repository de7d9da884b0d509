import Glibc
import Testing

@testable import TiffinLiveCore

/// The real program under a test that plays systemd (sd_notify(3), systemd.service(5)).
@Suite("Notifications to systemd", .enabled(if: ServerProcess.isBuilt))
struct SystemdNotificationTests {
    @Test("READY comes when the port accepts, STOPPING with the signal", arguments: NotificationReceiver.Form.allCases)
    func readyAndStopping(form: NotificationReceiver.Form) throws {
        let systemd = try NotificationReceiver(form)
        let server = try ServerProcess(
            [#"drain.grace="1s""#, #"drain.spread="2s""#, #"limits.closing="3s""#],
            environment: ["NOTIFY_SOCKET": systemd.address])
        #expect(systemd.next() == ["READY=1", "STATUS=Serving 0 connections"])
        let rider = try server.rider()
        #expect(try systemd.next(with: "STATUS=Serving 1 connection").count == 1)
        server.signal(SIGTERM)
        let stopping = try systemd.next(with: "STOPPING=1")
        #expect(
            stopping == [
                "STOPPING=1", "STATUS=Stopping: no longer ready, 1 connection open",
                // The grace, the spread, the goodbyes, and two seconds.
                "EXTEND_TIMEOUT_USEC=8000000",
            ])
        #expect(try rider.expectCloseAndEnd().code == 1012)
        #expect(server.waitForExit() == 0)
        #expect(systemd.takeAll(with: "READY=1") == 0)
    }

    @Test("a reload is RELOADING with its time, and then READY, whether it went well or not")
    func reloading() throws {
        let systemd = try NotificationReceiver()
        let server = try ServerProcess(environment: ["NOTIFY_SOCKET": systemd.address])
        #expect(systemd.next()?.first == "READY=1")
        for text in ["{}", "{ not JSON5"] {
            try server.configure(text)
            let before = Clock.monotonic() / .microsecond
            server.signal(SIGHUP)
            let message = try systemd.next(with: "RELOADING=1")
            let stamp = try #require(message.last?.split(separator: "=").last.flatMap { Int64($0) })
            #expect(message == ["RELOADING=1", "MONOTONIC_USEC=\(stamp)"])
            #expect((before...Clock.monotonic() / .microsecond).contains(stamp))
            #expect(systemd.next() == ["READY=1", "STATUS=Serving 0 connections"])
        }
        // The log has a thread of its own.
        try eventually("both in the log") {
            try server.logObjects("configuration_reloaded").count == 1
                && server.logObjects("configuration_refused").count == 1
        }
    }

    @Test("a reload while the server stops is none")
    func reloadWhileStopping() throws {
        let systemd = try NotificationReceiver()
        let server = try ServerProcess(
            [#"drain.grace="60s""#], environment: ["NOTIFY_SOCKET": systemd.address])
        server.signal(SIGTERM)
        _ = try systemd.next(with: "STOPPING=1")
        server.signal(SIGHUP)
        server.signal(SIGTERM)
        #expect(server.waitForExit() == 0)
        #expect(systemd.takeAll(with: "RELOADING=1") == 0)
        #expect(try server.logObjects("configuration_reloaded").isEmpty)
    }

    @Test("the watchdog is fed while the loops turn, idle or busy, and not while the process stands still")
    func watchdog() throws {
        let systemd = try NotificationReceiver()
        let server = try ServerProcess(
            environment: ["NOTIFY_SOCKET": systemd.address, "WATCHDOG_USEC": "500000", "WATCHDOG_PID": "$$"])
        for _ in 0..<5 { _ = try systemd.next(with: "WATCHDOG=1") }
        let rider = try server.rider()
        for _ in 0..<5 {
            // A thousand events at once, and the loops turn all the same.
            let events = Array(repeating: #"{"topic":"riders:5521","data":{}}"#, count: 1000).joined(separator: ",")
            #expect(try server.admin("/publish", "[\(events)]").status == 200)
            for _ in 0..<1000 { _ = try rider.receiveText() }
            _ = try systemd.next(with: "WATCHDOG=1")
        }
        server.standStill()
        _ = systemd.takeAll(with: "WATCHDOG=1")
        #expect(systemd.next(withinMilliseconds: 700) == nil)
        server.signal(SIGCONT)
        _ = try systemd.next(with: "WATCHDOG=1")
        server.signal(SIGTERM)
        #expect(server.waitForExit() == 0)
    }

    @Test("a watchdog that is meant for another process is not fed, and without a socket nothing is said")
    func otherProcess() throws {
        let systemd = try NotificationReceiver()
        let server = try ServerProcess(
            environment: ["NOTIFY_SOCKET": systemd.address, "WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1"])
        #expect(systemd.next()?.first == "READY=1")
        #expect(systemd.next(withinMilliseconds: 500) == nil)
        server.signal(SIGTERM)
        #expect(try systemd.next(with: "STOPPING=1").count == 3)
        #expect(server.waitForExit() == 0)
        let alone = try ServerProcess(environment: ["WATCHDOG_USEC": "100000"])
        alone.signal(SIGTERM)
        #expect(alone.waitForExit() == 0)
    }

    @Test("one loop that is stuck stops the feeding, although all others go on")
    func stuckLoop() throws {
        let systemd = try NotificationReceiver()
        let isStuck = Locked(false)
        let server = try LiveServer(
            service: ServiceEnvironment(notificationSocket: systemd.address, watchdog: 400 * .millisecond),
            clock: {
                // The loop reads its clock once a turn; there it stays.
                if isStuck.withLock({ $0 }), Self.threadName() == "worker-1\n" {
                    while isStuck.withLock({ $0 }) { usleep(1000) }
                }
                return Clock.now()
            })
        for _ in 0..<3 { _ = try systemd.next(with: "WATCHDOG=1") }
        isStuck.withLock { $0 = true }
        defer { isStuck.withLock { $0 = false } }
        // What was on its way comes yet.
        #expect((0..<20).contains { _ in systemd.next(withinMilliseconds: 1000) == nil })
        #expect(try server.adminGet("/healthz").status == 200, "the control thread itself is well")
        isStuck.withLock { $0 = false }
        _ = try systemd.next(with: "WATCHDOG=1")
        #expect(server.stop() == 0)
    }

    private static func threadName() -> String {
        String(decoding: (try? SecretReference.file("/proc/thread-self/comm").read()) ?? [], as: UTF8.self)
    }
}
