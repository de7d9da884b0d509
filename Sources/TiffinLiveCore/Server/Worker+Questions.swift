/// Questions of the control thread about the connections of a worker. A user's connections are found by the register of
/// users at once; to see all, a walk goes on from turn to turn.
extension Worker {
    func gather(_ request: GatherRequest, number: UInt64) {
        switch request {
        case .metrics: gatherMetrics(number)
        case .connections(let filter): gatherConnections(filter, number)
        case .disconnect(let user, let connection, let code):
            disconnect(user: user, connection: connection, code: code, number)
        }
    }

    private func answer(_ number: UInt64, _ reply: GatherReply) {
        ask(.gathered(number: number, reply))
    }

    private func visit(
        user: String?, _ visit: @escaping (ClientConnection) -> Void, finish: @escaping () -> Void
    ) {
        guard let user else { return begin(ConnectionWalk(visit: visit, finish: finish)) }
        for connection in connections(ofUser: user) { visit(connection) }
        finish()
    }

    // MARK: Metrics

    private func gatherMetrics(_ number: UInt64) {
        var queuedBytes: UInt64 = 0
        var connectionsPastDeadline: UInt64 = 0
        var forecast = ExpiryForecast()
        visit(user: nil) { [unowned self] connection in
            queuedBytes += UInt64(connection.queuedBytes)
            guard connection.session.isOpen else { return }
            let deadlines = connection.session.deadlines
            if deadlines.isPast(context.now) { connectionsPastDeadline += 1 }
            forecast.count(closeIn: deadlines.close.clampedAdding(-context.now.monotonic))
        } finish: { [unowned self] in
            var snapshot = metrics
            snapshot.queuedBytes = queuedBytes
            snapshot.connectionsPastDeadline = connectionsPastDeadline
            snapshot.forecast = forecast
            snapshot.sockets = connectionCount
            snapshot.signatures = UInt64(max(0, context.verifier.signatureCount))
            snapshot.tokensAccepted = context.verifier.acceptedCount
            snapshot.tokensRefused = context.verifier.refusedCount
            snapshot.revocationsRemembered = context.revocations.count
            snapshot.turns = loop.statistics
            answer(number, .metrics(snapshot))
        }
    }

    // MARK: Connections

    private func gatherConnections(_ filter: ConnectionFilter, _ number: UInt64) {
        var page = ConnectionPage(limit: filter.limit)
        visit(user: filter.user) { [unowned self] connection in
            let name = connection.session.id
            guard connection.session.isOpen, filter.after.map({ name > $0 }) ?? true, page.mayHold(name),
                matches(connection.session, filter)
            else { return }
            page.insert(describe(connection))
        } finish: { [unowned self] in
            answer(number, .connections(page.finish()))
        }
    }

    private func matches(_ session: Session, _ filter: ConnectionFilter) -> Bool {
        if let role = filter.role, session.identity?.role != role { return false }
        if let route = filter.route, self.route(of: session) != route { return false }
        if let topic = filter.topic, !context.topics.topics(of: session.topicHead).contains(topic) { return false }
        return true
    }

    private func describe(_ connection: ClientConnection) -> ConnectionDescription {
        let session = connection.session
        return ConnectionDescription(
            connection: session.id, user: session.identity?.user ?? "", role: session.identity?.role ?? "",
            route: self.route(of: session) ?? "", transport: session.transport,
            topics: context.topics.topics(of: session.topicHead), remote: session.client.description,
            openedAt: session.openedAt.wall,
            deadline: context.now.wall.clampedAdding(session.deadlines.end - context.now.monotonic),
            queued: connection.queuedBytes)
    }

    private func disconnect(user: String?, connection id: UInt64?, code: CloseCode, _ number: UInt64) {
        var closed = 0
        visit(user: user) { connection in
            guard connection.session.isOpen, id.map({ connection.session.id == $0 }) ?? true else { return }
            connection.perform { $0.disconnect(.operatorRequest, code: code, $1) }
            closed += 1
        } finish: { [unowned self] in
            answer(number, .disconnected(closed))
        }
    }
}
