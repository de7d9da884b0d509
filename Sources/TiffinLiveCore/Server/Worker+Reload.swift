/// What a new configuration or a new key set changes in a loop (contract section 3). Open connections keep the topics and
/// the deadline that they have; whoever sends a new token, subscribes or comes back is judged by the new rules.
extension Worker {
    func apply(_ configuration: ServerConfiguration, _ keys: KeySet, _ context: SessionContext) {
        self.configuration = configuration
        context.settings = configuration.sessionSettings(loops: workerCount)
        context.routes = RouteTable(configuration.routeTable.routes, after: context.routes)
        context.rules = configuration.topicRules
        context.owners.allowedFor = configuration.lookups.cache
        context.owners.deniedFor = configuration.lookups.cacheDenied
        // All loops say the same of what they share.
        context.penalties.withValue { $0.limit = RateLimit(configuration.limits.forged) }
        context.verifier.replace(keys: keys, policy: configuration.tokenPolicy)
        keysChanged(context)
    }

    /// What a key that is gone has signed opens nothing any more; whether it still holds open what it has opened is the
    /// operator's choice.
    func keysChanged(_ context: SessionContext) {
        guard configuration.tokens.onKeyRemoval == .close else { return }
        for connection in connections {
            guard let connection, let key = connection.session.identity?.key, key != 0,
                connection.session.isKnown, !context.verifier.knows(key: key)
            else { continue }
            connection.perform { $0.disconnect(.tokenExpired, $1) }
        }
    }
}
