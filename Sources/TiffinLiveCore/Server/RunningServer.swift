import Glibc

/// A server that runs in threads of its own: one control thread, and one for each event loop.
package final class RunningServer: Sendable {
    /// As bound, such as `127.0.0.1:43210`.
    package let listenAddresses: [String]
    package let adminAddresses: [String]
    /// For tests, which wait for what is being written.
    let logger: Logger
    private let control: Mailbox<ControlMessage>
    private let thread: LoopThread
    private let status: Locked<Int32>

    /// Binds every address, reads the keys and starts the loops. When it returns, the ports accept.
    ///
    /// - Parameters:
    ///   - source: where `configuration` came from, to read it again on SIGHUP.
    ///   - service: what systemd wants to be told, and the sockets that it passes.
    package static func start(
        _ configuration: ServerConfiguration, from source: ConfigurationSource? = nil,
        service: ServiceEnvironment = .none, logDescriptor: Int32 = 1, handlesSignals: Bool = false
    ) throws(ServerError) -> RunningServer {
        try start(
            configuration, from: source, service: service, logDescriptor: logDescriptor, handlesSignals: handlesSignals,
            clock: Clock.now)
    }

    /// The same, with loops that go by a clock of the caller's, for tests. It is read in every thread.
    static func start(
        _ configuration: ServerConfiguration, from source: ConfigurationSource? = nil,
        service: ServiceEnvironment = .none, logDescriptor: Int32, handlesSignals: Bool = false,
        clock: @escaping @Sendable () -> Moment
    ) throws(ServerError) -> RunningServer {
        Socket.ignoreBrokenPipe()
        if handlesSignals { SignalSource.block(ControlLoop.signals) }
        let keys = try readKeys(configuration)
        let certificate = try configuration.readCertificate()
        let redisLink = try configuration.redis?.connectionSettings()
        let logger = try cannotStart { () throws(SystemError) in
            try Logger(
                descriptor: logDescriptor, level: configuration.log.level, repeatWindow: configuration.log.repeatWindow,
                clock: clock)
        }
        let parts = try ControlLoop.Parts(
            configuration, from: source, service: service, keys: keys, certificate: certificate, redisLink: redisLink,
            logger: logger, handlesSignals: handlesSignals, clock: clock)
        return try cannotStart { () throws(SystemError) in try RunningServer(parts) }
    }

    private init(_ parts: ControlLoop.Parts) throws(SystemError) {
        listenAddresses = parts.listeners.addresses
        adminAddresses = parts.listeners.adminAddresses
        logger = parts.logger
        control = parts.control
        let status = Locked<Int32>(0)
        self.status = status
        let handed = Handed(parts)
        thread = try LoopThread.start(name: "control") {
            let result = ControlLoop.run(handed.value)
            status.withLock { $0 = result }
        }
    }

    /// A failure of the system, as a sentence.
    static func cannotStart<Result>(_ body: () throws(SystemError) -> Result) throws(ServerError) -> Result {
        do {
            return try body()
        } catch {
            throw ServerError("cannot start: \(error)")
        }
    }

    /// Reads the configuration and the keys again, as SIGHUP does.
    package func reload() {
        control.post(.reload)
    }

    /// Drains, as SIGTERM does; a second call hurries.
    package func stop() {
        control.post(.stop)
    }

    /// Waits until everything has ended; the exit status.
    package func wait() -> Int32 {
        thread.join()
        return status.withLock { $0 }
    }

    static func readKeys(_ configuration: ServerConfiguration) throws(ServerError) -> KeySet {
        let bytes: [UInt8]
        do {
            bytes = try configuration.tokens.keys.read()
        } catch {
            throw ServerError("tokens.keys: \(error.message)")
        }
        do {
            return try KeySet.read(bytes)
        } catch {
            throw ServerError("tokens.keys: \(error)")
        }
    }
}
