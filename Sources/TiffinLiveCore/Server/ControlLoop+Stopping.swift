/// The end of the server (contract section 11): readiness goes off, a grace for the balancer, closes spread over a time.
extension ControlLoop {
    /// How long sessions may take to say goodbye beyond the spread of a drain.
    private static let lastWait: Nanoseconds = 2 * .second

    var isStopping: Bool { stopping.hasBegun }

    /// Readiness goes off; after the grace the sessions are closed. Asked a second time, everything at once.
    func stop() {
        let now = loop.now.monotonic
        guard !stopping.hasBegun else { return drain(spread: 0, reason: .goingAway) }
        let settings = configuration.drain
        stopping.begin(now: now, grace: settings.grace)
        logger.log(.notice, .stopping, now: loop.now) { _ in }
        tellReadiness()
        systemd?.stopping(serviceStatus, within: settings.grace.clampedAdding(timeToDrain(spread: settings.spread)))
        continueStopping()
    }

    /// What is due by now.
    func continueStopping() {
        let now = loop.now.monotonic
        if stopping.isGraceOver(now: now) {
            stopping.listenersClose(now: now, workers: workers.count)
            tellAll(.stopListening)
        }
        if stopping.isDrainDue(now: now) { drain(spread: configuration.drain.spread) }
        if stopping.isOver(now: now) { loop.stop() }
    }

    /// What `/readyz` says, where it has changed.
    func tellReadiness() {
        let isReady = backend.isReady && !isStopping
        guard isReady != toldReadiness else { return }
        toldReadiness = isReady
        tellAll(.readiness(isReady))
    }

    private func drain(spread: Nanoseconds, reason: DisconnectReason = .restart) {
        stopping.drainBegins(
            now: loop.now.monotonic, limit: timeToDrain(spread: spread), workers: workers.count)
        let window = DrainSchedule.returnWindow(
            connections: directory.count, spread: spread, admissionRate: configuration.limits.admissions.rate)
        logger.log(.notice, .drainStarted, now: loop.now) { fields in
            fields.add("connections", directory.count)
            fields.add("seconds", spread / .second)
            fields.add("retry_seconds", window / .second)
        }
        tellAll(.drain(spread: spread, returnWindow: window, reason))
    }

    /// The most that the closes take, with the goodbyes of peers that do not answer.
    private func timeToDrain(spread: Nanoseconds) -> Nanoseconds {
        spread.clampedAdding(configuration.limits.closing).clampedAdding(Self.lastWait)
    }

    func received(stoppedListening worker: Int) {
        stopping.stoppedListening(worker)
        continueStopping()
    }

    func received(drained worker: Int) {
        guard stopping.drained(worker) else { return }
        logger.log(.notice, .drainDone, now: loop.now) { _ in }
        loop.stop()
    }

    /// For systemd.
    var serviceStatus: ServiceStatus {
        ServiceStatus(
            stage: !isStopping ? .serving : stopping.isDraining ? .draining : .waitingForBalancer,
            connections: directory.count,
            isRedisUp: (backend as? RedisBackend).map { $0.commands.isReady && $0.subscriber.isReady })
    }
}
