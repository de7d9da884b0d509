/// What a worker's thread is given to make its loop and its session context from. All of it may be shared.
struct WorkerSetup: Sendable {
    let configuration: ServerConfiguration
    let keys: KeySet
    /// Nil without TLS of our own.
    let certificate: TLSContext?
    let directory: ConnectionDirectory
    let shield: StormShield
    let control: Mailbox<ControlMessage>
    let mailbox: Mailbox<WorkerMessage>
    let descriptorLimit: DescriptorLimit
    let logger: Logger
    /// How many loops there are.
    let workers: Int
    /// Each loop has a seed of its own: connections are named by its random numbers.
    let seed: UInt64
    let clock: @Sendable () -> Moment
    /// Of this worker's loop.
    let turns: TurnCounter

    func makeContext(now: Moment) -> SessionContext {
        SessionContext(
            settings: configuration.sessionSettings(loops: workers), routes: configuration.routeTable,
            rules: configuration.topicRules,
            verifier: TokenVerifier(keys: keys, policy: configuration.tokenPolicy, memory: shield.tokens),
            revocations: RevocationList(maximumLifetime: configuration.tokens.maximumLifetime),
            owners: OwnerCache(
                allowedFor: configuration.lookups.cache, deniedFor: configuration.lookups.cacheDenied),
            topics: TopicTable(), penalties: shield.penalties,
            now: now, seed: seed)
    }
}

/// Something that one thread made and gives to another for good. The giver must not touch it again, which the compiler
/// cannot see.
final class Handed<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
