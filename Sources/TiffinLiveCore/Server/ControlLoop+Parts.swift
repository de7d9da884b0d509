extension ControlLoop {
    /// What is made before the control thread starts, so that a fault is told to whoever started it: addresses bound,
    /// keys read.
    struct Parts {
        let configuration: ServerConfiguration
        let keys: KeySet
        /// Nil without TLS of our own.
        let certificate: TLSContext?
        /// Nil without Redis.
        let redisLink: RedisConnectionSettings?
        let logger: Logger
        let handlesSignals: Bool
        let directory: ConnectionDirectory
        let control: Mailbox<ControlMessage>
        let workers: [Mailbox<WorkerMessage>]
        /// For each worker.
        let listeners: [[ListeningSocket]]
        let adminListeners: [ListeningSocket]
        let descriptorLimit: DescriptorLimit
        let seed: UInt64
        /// What all loops go by.
        let clock: @Sendable () -> Moment

        init(
            _ configuration: ServerConfiguration, keys: KeySet, certificate: TLSContext?,
            redisLink: RedisConnectionSettings?, logger: Logger, handlesSignals: Bool,
            clock: @escaping @Sendable () -> Moment
        ) throws(SystemError) {
            self.configuration = configuration
            self.keys = keys
            self.certificate = certificate
            self.redisLink = redisLink
            self.logger = logger
            self.handlesSignals = handlesSignals
            self.clock = clock
            directory = ConnectionDirectory(limits: configuration.limits)
            control = try Mailbox()
            seed = SecureRandom.seed()
            descriptorLimit = try DescriptorLimit.raise()
            // One bit a worker in the control loop's table of listeners.
            let count = min(64, configuration.threads > 0 ? configuration.threads : Processors.available)
            var workers: [Mailbox<WorkerMessage>] = []
            for _ in 0..<count { workers.append(try Mailbox()) }
            self.workers = workers
            listeners = try Self.bind(configuration.listen, workers: count)
            adminListeners = try Self.bind(configuration.admin, workers: 1)[0]
        }

        /// What this server is called in Redis.
        var name: String { ServerConfiguration.serverName }
        var listenAddresses: [String] { listeners[0].map(\.address.description) }
        var adminAddresses: [String] { adminListeners.map(\.address.description) }

        func setup(forWorker index: Int) -> WorkerSetup {
            WorkerSetup(
                configuration: configuration, keys: keys, certificate: certificate, directory: directory,
                control: control, mailbox: workers[index], logger: logger, workers: workers.count,
                seed: SecureRandom.seed(), clock: clock)
        }

        /// Each worker listens on every TCP address with a socket of its own, and the kernel deals the connections out.
        /// A Unix socket's backlog is shared.
        private static func bind(
            _ addresses: [SocketAddress], workers: Int
        ) throws(SystemError) -> [[ListeningSocket]] {
            var listeners = Array(repeating: [ListeningSocket](), count: workers)
            for address in addresses {
                let first = try ListeningSocket(binding: address)
                listeners[0].append(first)
                for worker in 1..<max(workers, 1) {
                    listeners[worker].append(
                        address.port == nil
                            ? try ListeningSocket(adopting: first.duplicateDescriptor())
                            : try ListeningSocket(binding: first.address))
                }
            }
            return listeners
        }
    }
}
