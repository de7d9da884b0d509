/// From a connection to its end: greeting, events, output, loss.
extension RedisConnection {
    func ready(_ readiness: Readiness, on loop: EventLoop) {
        switch phase {
        case .stopped, .waiting, .resolving: return
        case .connecting: connected()
        case .securing, .open: move(readiness)
        }
    }

    private func connected() {
        guard let transport else { return }
        if let fault = transport.begin(silence: settings.session.silence) { return lose(fault) }
        phase = .securing
        loop.setInterest(.readable, of: transport.registration)
        if transport.isSecured { open() } else { flush() }
    }

    private func open() {
        phase = .open
        session.connected(now: now)
        flush()
        watchClock()
    }

    private func move(_ readiness: Readiness) {
        guard let transport else { return }
        let link = attempt
        if !readiness.isDisjoint(with: [.readable, .hangUp, .peerClosed]) {
            let fault = transport.receive(through: loop.receiveBuffer) { bytes in
                if phase == .securing, transport.isSecured { open() }
                if phase == .open { handle(bytes) }
            }
            guard link == attempt else { return }
            if let fault { return lose(fault) }
        }
        flush()
        watchClock()
    }

    // MARK: - Events

    private func handle(_ bytes: UnsafeRawBufferPointer) {
        let link = attempt
        let wasHandling = isHandling
        isHandling = true
        defer { isHandling = wasHandling }
        var input = bytes
        while link == attempt, let event = session.next(&input, now: now) { handle(event) }
    }

    /// The events that are there already, whatever has become of the link.
    func handleWaiting() {
        let wasHandling = isHandling
        isHandling = true
        defer { isHandling = wasHandling }
        while let event = session.nextEvent() { handle(event) }
    }

    private func handle(_ event: RedisEvent<Reply>) {
        switch event {
        case .reply(let reply, let result): reply(result)
        case .message(let channel, let payload): onMessage(channel, payload)
        // The others are about a link that may be over by now.
        case .ready:
            guard transport != nil, let server = session.server else { return }
            readySince = now
            readyCount += 1
            addresses = []
            tell(.up(server))
            onReady()
        case .subscribed(let channel): if transport != nil { onSubscribed(channel) }
        case .refused(let channel, let code): if transport != nil { onRefused(channel, code) }
        case .failed(let fault): if transport != nil { lose(fault) }
        }
    }

    // MARK: - Output and time

    func flush() {
        guard let transport, phase == .open || phase == .securing else { return }
        let link = attempt
        let outcome = transport.flush(session.output)
        guard link == attempt else { return }
        switch outcome {
        case .sent: loop.setInterest(.readable, of: transport.registration)
        case .blocked: loop.setInterest([.readable, .writable], of: transport.registration)
        case .broken(let fault): lose(fault)
        }
    }

    func watchClock() {
        guard phase == .open, let deadline = session.nextDeadline else { return }
        wait(until: deadline)
    }

    // MARK: - Loss

    /// Ends the link or the attempt and plans the next: another address of this attempt at once, else after a pause.
    func lose(_ fault: RedisLinkFault) {
        guard phase != .stopped, phase != .waiting else { return }
        closeTransport()
        let uptime = readySince.map { now &- $0 }
        readySince = nil
        phase = .waiting
        session.disconnected()
        if let uptime { backoff.ended(after: uptime) }
        if addresses.isEmpty {
            var random = SystemRandomNumberGenerator()
            wait(until: now.clampedAdding(backoff.next(using: &random)))
        } else {
            wait(until: now)
        }
        handleWaiting()
        guard phase != .stopped else { return }
        tell(.down(fault))
        guard uptime != nil else { return }
        lostCount += 1
        onLost(fault)
    }
}
