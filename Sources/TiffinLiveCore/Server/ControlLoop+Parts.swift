extension ControlLoop {
    /// What is made before the control thread starts, so that a fault is told to whoever started it: addresses bound,
    /// keys read.
    struct Parts {
        let configuration: ServerConfiguration
        /// Where it is read again; nil: a reload reads the keys and the certificate only.
        let source: ConfigurationSource?
        let service: ServiceEnvironment
        let keys: KeySet
        /// Nil without TLS of our own.
        let certificate: TLSContext?
        /// Nil without Redis.
        let redisLink: RedisConnectionSettings?
        let logger: Logger
        let handlesSignals: Bool
        let directory: ConnectionDirectory
        let shield: StormShield
        let control: Mailbox<ControlMessage>
        let workers: [Mailbox<WorkerMessage>]
        /// Of each worker's loop.
        let turns: [TurnCounter]
        let listeners: Listeners
        let descriptorLimit: DescriptorLimit
        let seed: UInt64
        /// What all loops go by.
        let clock: @Sendable () -> Moment

        init(
            _ configuration: ServerConfiguration, from source: ConfigurationSource?, service: ServiceEnvironment,
            keys: KeySet, certificate: TLSContext?, redisLink: RedisConnectionSettings?, logger: Logger,
            handlesSignals: Bool, clock: @escaping @Sendable () -> Moment
        ) throws(ServerError) {
            self.configuration = configuration
            self.source = source
            self.service = service
            self.keys = keys
            self.certificate = certificate
            self.redisLink = redisLink
            self.logger = logger
            self.handlesSignals = handlesSignals
            self.clock = clock
            directory = ConnectionDirectory(limits: configuration.limits)
            seed = SecureRandom.seed()
            // One bit a worker in the control loop's table of listeners.
            let count = min(64, configuration.threads > 0 ? configuration.threads : Processors.available)
            turns = (0..<count).map { _ in TurnCounter() }
            control = try RunningServer.cannotStart { () throws(SystemError) in try Mailbox() }
            descriptorLimit = try RunningServer.cannotStart { () throws(SystemError) in try DescriptorLimit.raise() }
            var workers: [Mailbox<WorkerMessage>] = []
            for _ in 0..<count {
                workers.append(try RunningServer.cannotStart { () throws(SystemError) in try Mailbox() })
            }
            self.workers = workers
            shield = StormShield(forged: RateLimit(configuration.limits.forged), loops: count)
            listeners = try Listeners(configuration, passed: service.sockets, workers: count)
        }

        /// What this server is called in Redis.
        var name: String { ServerConfiguration.serverName }

        func setup(forWorker index: Int) -> WorkerSetup {
            WorkerSetup(
                configuration: configuration, keys: keys, certificate: certificate, directory: directory,
                shield: shield, control: control, mailbox: workers[index], descriptorLimit: descriptorLimit,
                logger: logger, workers: workers.count, seed: SecureRandom.seed(), clock: clock, turns: turns[index])
        }
    }
}
