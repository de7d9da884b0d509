/// What changes while the server runs: the configuration on SIGHUP, all or nothing, and the files of keys and certificates
/// when they change (contract section 3).
extension ControlLoop {
    /// Reads everything anew. Whatever is at fault, nothing changes.
    func reload() {
        guard !isStopping else { return }
        systemd?.reloading()
        defer { tellReady() }
        let read: ServerConfiguration
        do {
            read = try source?.load() ?? configuration
        } catch {
            return refuse(error.faults)
        }
        let reload = ConfigurationReload(from: configuration, to: read)
        // Watched first: what changes after it was read is noticed.
        files?.watch(reload.configuration.watchedFiles)
        do {
            obey(
                reload, try RunningServer.readKeys(reload.configuration), try reload.configuration.readCertificate())
        } catch {
            files?.watch(configuration.watchedFiles)
            refuse([ConfigurationFault(source: source?.path ?? "", message: error.description)])
        }
    }

    private func obey(_ reload: ConfigurationReload, _ keys: KeySet, _ certificate: TLSContext?) {
        configuration = reload.configuration
        logger.set(level: configuration.log.level, repeatWindow: configuration.log.repeatWindow)
        directory.set(limits: configuration.limits)
        tellAll(.configuration(configuration, keys))
        if let certificate { tellAll(.certificate(certificate)) }
        metrics.keys = keys.count
        metrics.areKeysCurrent = true
        metrics.reloads += 1
        logger.log(.notice, .configurationReloaded, now: loop.now) { fields in
            fields.add("changed", reload.changed)
            if !reload.pending.isEmpty { fields.add("restart", reload.pending) }
        }
        log(loaded: keys)
        if let certificate { note(loaded: certificate) }
    }

    /// Each fault is a line, as `check-config` says it.
    private func refuse(_ faults: [ConfigurationFault]) {
        metrics.reloadsRefused += 1
        for fault in faults {
            logger.log(.error, .configurationRefused, now: loop.now) { fields in
                fields.add("file", fault.source)
                if let line = fault.line { fields.add("line", line) }
                fields.add("key", fault.key)
                fields.add("error", fault.message)
            }
        }
    }

    // MARK: Files

    func filesChanged(_ paths: [String]) {
        if let path = configuration.tokens.keys.path, paths.contains(path) { reloadKeys() }
        let certificate = [configuration.tls?.certificate.path, configuration.tls?.key.path]
        if certificate.contains(where: { $0.map(paths.contains) ?? false }) { reloadCertificate() }
    }

    /// New keys, all or nothing: a faulty file changes nothing.
    private func reloadKeys() {
        do {
            let keys = try RunningServer.readKeys(configuration)
            tellAll(.keys(keys))
            metrics.keys = keys.count
            metrics.keyReloads += 1
            metrics.areKeysCurrent = true
            log(loaded: keys)
        } catch {
            metrics.keyReloadsRefused += 1
            metrics.areKeysCurrent = false
            logger.log(.error, .keysRefused, now: loop.now) { $0.add("error", error.description) }
        }
    }

    /// A new certificate for the connections to come. While only one of its two files is there yet, they do not belong
    /// together: the old one stays, and the second file is noticed too.
    private func reloadCertificate() {
        do {
            guard let certificate = try configuration.readCertificate() else { return }
            tellAll(.certificate(certificate))
            note(loaded: certificate)
        } catch {
            logger.log(.error, .certificateRefused, now: loop.now) { $0.add("error", error.description) }
        }
    }
}

extension ServerConfiguration {
    /// What is read again when it changes.
    var watchedFiles: [String] {
        [tokens.keys.path, tls?.certificate.path, tls?.key.path].compactMap(\.self)
    }
}
