/// The lines and counts of a worker: every opening, every end, every refusal (contract section 11).
extension Worker {
    func log(opened connection: ClientConnection) {
        let session = connection.session
        metrics.count(handshake: "accepted")
        metrics.handshakeSeconds.observe(context.now.monotonic - session.openedAt.monotonic)
        logger.log(.info, .connectionOpened, now: context.now) { fields in
            add(session, to: &fields)
            fields.add("expires_in", session.deadlines.secondsLeft(context.now))
        }
    }

    func log(closed connection: ClientConnection) {
        let session = connection.session
        guard let reason = session.ending, session.wasOpen else { return }
        metrics.count(close: reason)
        logger.log(.info, .connectionClosed, now: context.now) { fields in
            add(session, to: &fields)
            fields.add("reason", reason.word)
            if session.endingCode != 0 { fields.add("code", session.endingCode) }
            fields.add("seconds", (context.now.monotonic - session.openedAt.monotonic) / .second)
            fields.add("messages", session.messagesReceived)
            fields.add("events", session.eventsSent)
        }
    }

    func log(refused connection: ClientConnection, status: Int, error: String) {
        let session = connection.session
        metrics.count(handshake: error)
        // A storm of equal refusals is one line with a count; whose they are is in the metrics of the balancer.
        logger.log(
            .info, .handshakeRefused, now: context.now, fold: "\(status) \(error) \(route(of: session) ?? "")"
        ) { fields in
            fields.add("status", status)
            fields.add("error", error)
            fields.add("route", route(of: session))
            fields.add("remote", session.client.description)
            add(session.trace, to: &fields)
            if let identity = session.identity { fields.add("user", identity.user) }
        }
    }

    /// What came in place of the header is not logged: it may be the request of a client.
    func log(refused connection: ClientConnection, proxyHeader error: ProxyHeaderError) {
        metrics.count(handshake: error.word)
        logger.log(.warning, .proxyRefused, now: context.now, fold: error.word) { fields in
            fields.add("error", error.word)
            fields.add("remote", connection.session.client.description)
        }
    }

    /// Who got one; the ticket itself is a secret.
    func log(ticketSoldTo buyer: ClaimsSet, by connection: ClientConnection) {
        metrics.ticketsSold += 1
        logger.log(.info, .ticketSold, now: context.now, fold: "") { fields in
            fields.add("user", buyer.user)
            fields.add("role", buyer.role)
            fields.add("remote", connection.session.client.description)
            add(connection.session.trace, to: &fields)
        }
    }

    func log(refused connection: ClientConnection, tls error: TLSError) {
        logger.log(.info, .tlsRefused, now: context.now, fold: error.description) { fields in
            fields.add("error", error.description)
            fields.add("remote", connection.session.client.description)
        }
    }

    func log(refreshed connection: ClientConnection, error: String?) {
        let session = connection.session
        metrics.count(refresh: error ?? "accepted")
        if let error {
            logger.log(.info, .refreshRefused, now: context.now, fold: error) { fields in
                add(session, to: &fields)
                fields.add("error", error)
            }
        } else {
            logger.log(.info, .refreshAccepted, now: context.now, fold: "") { fields in
                add(session, to: &fields)
                fields.add("expires_in", session.deadlines.secondsLeft(context.now))
            }
        }
    }

    func log(descriptorsExhausted refused: Int) {
        logger.log(.warning, .descriptorsExhausted, now: loop.now, fold: "") { $0.add("refused", refused) }
    }

    func log(acceptFailed error: SystemError) {
        metrics.acceptFailures += 1
        logger.log(.error, .acceptFailed, now: loop.now, fold: "") { $0.add("error", "\(error)") }
    }

    /// The route's path as configured; the path that a client sent is never logged.
    func route(of session: Session) -> String? {
        session.routeIndex >= 0 ? context.routes.paths[Int(session.routeIndex)] : nil
    }

    private func add(_ session: Session, to fields: inout LogFields) {
        fields.add("connection", ServerMessage.name(ofConnection: session.id))
        fields.add("user", session.identity?.user)
        fields.add("role", session.identity?.role)
        fields.add("route", route(of: session))
        fields.add("transport", session.transport.rawValue)
        fields.add("remote", session.client.description)
        add(session.trace, to: &fields)
    }

    private func add(_ trace: TraceContext?, to fields: inout LogFields) {
        fields.add("trace_id", trace?.traceID)
        fields.add("parent_id", trace?.parentID)
    }
}
