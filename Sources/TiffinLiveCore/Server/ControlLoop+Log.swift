/// The lines and the metrics of the control thread.
extension ControlLoop {
    func log(started parts: Parts) {
        logger.log(.notice, .starting, now: loop.now) { fields in
            fields.add("threads", workers.count)
            fields.add("descriptors", parts.descriptorLimit.soft)
        }
        let limit = parts.descriptorLimit.soft
        if configuration.descriptorsNeeded > limit {
            logger.log(.warning, .descriptorsFew, now: loop.now) { fields in
                fields.add("limit", limit)
                fields.add("connections", configuration.limits.connections)
            }
        }
        log(loaded: parts.keys)
        if let certificate = parts.certificate { note(loaded: certificate) }
        logger.log(.notice, .listening, now: loop.now) { fields in
            fields.add("listen", parts.listeners.addresses)
            fields.add("admin", parts.listeners.adminAddresses)
        }
        if !parts.listeners.unused.isEmpty {
            logger.log(.warning, .socketUnused, now: loop.now) { $0.add("names", parts.listeners.unused) }
        }
    }

    func metricsText(_ workers: WorkerMetrics) -> [UInt8] {
        var metrics = metrics
        metrics.published = admin?.publisher.count ?? 0
        metrics.logLines = logger.lines
        metrics.logLinesDropped = logger.droppedLines
        metrics.process = .read()
        metrics.turns = loop.statistics
        metrics.topics = topicCount
        metrics.connectionLimit = configuration.limits.connections
        metrics.isReady = backend.isReady && !isStopping
        metrics.isDraining = isStopping
        metrics.version = Version.text
        metrics.commit = Version.commit
        metrics.redis = (backend as? RedisBackend)?.metrics(now: loop.now.monotonic)
        return MetricsText.render(workers: workers, control: metrics)
    }

    func note(loaded certificate: TLSContext) {
        metrics.certificateEnd = certificate.certificateEnd
        logger.log(.notice, .certificateLoaded, now: loop.now) { fields in
            fields.add("ends", LogTimestamp.text(wall: certificate.certificateEnd))
        }
    }

    func log(loaded keys: KeySet) {
        logger.log(.notice, .keysLoaded, now: loop.now) { fields in
            fields.add("keys", keys.count)
            if !keys.notes.isEmpty { fields.add("notes", keys.notes) }
        }
    }
}
