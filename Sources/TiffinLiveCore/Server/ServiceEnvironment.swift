import Glibc

/// What systemd hands to a service in its environment: where to notify it (sd_notify(3)), how often it wants to hear that
/// the service goes on (sd_watchdog_enabled(3)), and sockets (sd_listen_fds(3)). Values that are meant for another
/// process are ignored; sockets that are meant for this one and cannot be used are an error.
package struct ServiceEnvironment: Sendable {
    /// A socket that systemd listens on already, by the name that its unit gives it (FileDescriptorName=).
    struct PassedSocket: Equatable, Sendable {
        let name: String
        let descriptor: Int32
    }

    /// SD_LISTEN_FDS_START.
    static let firstDescriptor: Int32 = 3
    private static let names = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
    ]

    /// A path, or `@` and the name of an abstract socket; nil when nobody wants to be told.
    var notificationSocket: String?
    /// Within which time systemd wants to hear of the service again; nil when it does not ask.
    var watchdog: Nanoseconds?
    private(set) var sockets: [PassedSocket] = []

    /// Of a server that systemd does not run.
    package static let none = ServiceEnvironment()

    init(notificationSocket: String? = nil, watchdog: Nanoseconds? = nil) {
        self.notificationSocket = notificationSocket
        self.watchdog = watchdog
    }

    /// Takes the variables out of this process's environment, so that nothing that it starts takes them for its own. To
    /// be called before there are threads.
    package static func take() throws(ServerError) -> ServiceEnvironment {
        var variables: [String: String] = [:]
        for name in names {
            guard let value = getenv(name) else { continue }
            variables[name] = String(cString: value)
            unsetenv(name)
        }
        return try ServiceEnvironment(variables, processID: getpid())
    }

    init(_ variables: [String: String], processID: Int32) throws(ServerError) {
        if let socket = variables["NOTIFY_SOCKET"], NotificationSocket.isAddress(socket) { notificationSocket = socket }
        let isWatched = variables["WATCHDOG_PID"].map { Int32($0) == processID } ?? true
        if isWatched, let microseconds = variables["WATCHDOG_USEC"].flatMap({ Int64($0) }), microseconds > 0 {
            let (span, overflow) = microseconds.multipliedReportingOverflow(by: .microsecond)
            watchdog = overflow ? nil : span
        }
        if variables["LISTEN_PID"].flatMap({ Int32($0) }) == processID, let count = variables["LISTEN_FDS"] {
            sockets = try Self.sockets(count: count, names: variables["LISTEN_FDNAMES"])
        }
    }

    private static func sockets(count text: String, names: String?) throws(ServerError) -> [PassedSocket] {
        guard let count = Int32(text), (0...Int32.max - firstDescriptor).contains(count) else {
            throw ServerError("LISTEN_FDS is \"\(text)\" instead of the number of sockets passed")
        }
        let names = names?.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        if let names, names.count != count, count > 0 {
            throw ServerError("LISTEN_FDNAMES has \(names.count) names for \(count) sockets")
        }
        var sockets: [PassedSocket] = []
        for index in 0..<Int(count) {
            let descriptor = firstDescriptor + Int32(index)
            if let fault = ListeningSocket.fault(ofInherited: descriptor) {
                throw ServerError("descriptor \(descriptor) of the \(count) that were passed (LISTEN_FDS) \(fault)")
            }
            Socket(descriptor: descriptor).closeOnExec()
            sockets.append(PassedSocket(name: names?[index] ?? "unknown", descriptor: descriptor))
        }
        return sockets
    }
}
