/// From a name to a connection: one address after the other, then a pause.
extension RedisConnection {
    /// A thread that hangs in a look-up cannot be ended; no more than so many may hang.
    private static var mostResolutions: Int { 4 }

    func timerFired(on loop: EventLoop) {
        switch phase {
        case .stopped: return
        case .waiting: addresses.isEmpty ? begin() : connect()
        case .resolving: lose(.unresolved("no answer in time"))
        case .connecting: lose(.connectTimedOut)
        case .securing: lose(.tls("no answer to the handshake"))
        case .open:
            session.deadlineReached(now: now)
            handleWaiting()
            flush()
            watchClock()
        }
    }

    private func begin() {
        phase = .resolving
        if let credentials { session.settings.credentials = credentials() }
        switch settings.endpoint {
        case .unix(let path):
            guard let address = SocketAddress("unix:" + path) else { return lose(.unreachable("the path is too long")) }
            connect(to: [address])
        case .tcp(let host, let port):
            let text = host.utf8.contains(ASCII.colon) ? "[\(host)]:\(port)" : "\(host):\(port)"
            guard let address = SocketAddress(text) else { return resolve(host, port) }
            connect(to: [address])
        }
    }

    private func resolve(_ host: String, _ port: UInt16) {
        wait(until: now.clampedAdding(settings.resolveTimeout))
        guard runningResolutions < Self.mostResolutions else { return }
        let attempt = attempt
        let resolutions = resolutions
        do throws(SystemError) {
            try NameResolution.start(host: host, port: port, by: settings.resolver) { outcome in
                resolutions.post(Resolution(attempt: attempt, outcome: outcome))
            }
            runningResolutions += 1
        } catch {
            lose(.unresolved("\(error)"))
        }
    }

    func resolved(_ resolution: Resolution) {
        runningResolutions -= 1
        guard phase == .resolving, resolution.attempt == attempt else { return }
        switch resolution.outcome {
        case .failure(let failure): lose(.unresolved(failure.text))
        case .success(let found):
            guard !found.isEmpty else { return lose(.unresolved("it has no address")) }
            connect(to: found)
        }
    }

    private func connect(to found: [SocketAddress]) {
        self.found = found
        addresses = found
        connect()
    }

    /// The next of the addresses. A failure at once is told like one that comes later.
    private func connect() {
        phase = .connecting
        let address = addresses.removeFirst()
        self.address = address
        var stream: TLSStream?
        do throws(TLSSetupError) {
            stream = try makeStream()
        } catch {
            return lose(.tls("\(error)"))
        }
        do throws(SystemError) {
            let socket = try Socket.connecting(to: address)
            do throws(SystemError) {
                let registration = try loop.register(socket.descriptor, interest: .writable, source: self)
                transport = RedisTransport(
                    socket: socket, registration: registration, stream: stream, scratch: scratch)
            } catch {
                socket.close()
                throw error
            }
        } catch {
            return lose(.unreachable(SystemError.text(of: error.code)))
        }
        wait(until: now.clampedAdding(settings.connectTimeout))
    }

    private func makeStream() throws(TLSSetupError) -> TLSStream? {
        guard let context = settings.tls, case .tcp(let host, _) = settings.endpoint else { return nil }
        return try TLSStream(connecting: context, host: host)
    }
}
