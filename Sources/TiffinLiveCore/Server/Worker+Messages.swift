/// What the control thread tells a worker.
extension Worker {
    func received(_ messages: [WorkerMessage]) {
        let context = enter()
        for message in messages {
            switch message {
            case .listening(let handle, let topic, let resumption):
                listening(topic, handle: handle, resumption)
            case .notListening(let handle, let topic):
                listening(topic, handle: handle, nil)
            case .lookedUp(let lookup, let reply):
                lookedUp(lookup, reply, context)
            case .identityAnswered(let handle, let index, let reply):
                connection(handle: handle)?.perform { $0.identityAnswered(index, reply, $1) }
            case .ticketStored(let handle, let ticket, let reply):
                connection(handle: handle)?.perform { $0.ticketStored(ticket, reply, $1) }
            case .event(let event):
                metrics.eventsIn += 1
                context.topics.publish(event)
            case .grant(let grant):
                changed(grant, context)
            case .handedOver(let handle, let ref, let isTaken):
                connection(handle: handle)?.perform { $0.inboundTaken(ref: ref, isTaken: isTaken, $1) }
            case .revoke(let revocation, let moment, let number):
                ask(.revoked(number: number, closed: revoke(revocation, at: moment, context)))
            case .replace(let handle):
                connection(handle: handle)?.perform { $0.disconnect(.replaced, $1) }
            case .gather(let request, let number):
                gather(request, number: number)
            case .keys(let keys):
                context.verifier.replace(keys: keys)
                keysChanged(context)
            case .configuration(let configuration, let keys):
                apply(configuration, keys, context)
            case .certificate(let certificate):
                tls?.context = certificate
            case .readiness(let isReady):
                context.isReady = isReady
            case .stopListening:
                context.isDraining = true
                stopListening()
                ask(.stoppedListening(worker: index))
            case .drain(let spread, let returnWindow, let reason):
                context.returnWindow = returnWindow
                beginDrain(spread: spread, reason)
            case .stop:
                loop.stop()
            }
        }
    }

    private func lookedUp(_ lookup: OwnerLookup, _ reply: StoreReply, _ context: SessionContext) {
        let isGranted = OwnerLookup.isAnswer(reply) ? lookup.isGranted(by: reply) : nil
        switch context.owners.complete(lookup, isGranted: isGranted, now: context.now.monotonic) {
        case .answered(let waiters):
            for waiter in waiters {
                connection(handle: waiter)?.perform { $0.lookUpCompleted(lookup, isGranted: isGranted, $1) }
            }
        case .askAgain:
            ask(.lookUp(worker: index, lookup))
        }
    }

    /// Remembers the revocation first, so that whoever is being admitted meets it, and closes whom it means.
    private func revoke(_ revocation: Revocation, at moment: Moment, _ context: SessionContext) -> Int {
        context.revocations.insert(revocation, wall: moment.wall)
        let candidates =
            revocation.user.map { connections(ofUser: $0) } ?? connections.compactMap { $0 }
        var closed = 0
        for connection in candidates {
            guard let identity = connection.session.identity, revocation.matches(identity, at: moment.wall),
                connection.session.isKnown
            else { continue }
            connection.perform { $0.disconnect(.revoked, $1) }
            closed += 1
        }
        metrics.revocations += 1
        return closed
    }

    /// Forgets what is remembered of the topic and asks again for those who have it.
    private func changed(_ grant: Grant, _ context: SessionContext) {
        context.owners.drop(topic: grant.topic, user: grant.user)
        let candidates = grant.user.map { connections(ofUser: $0) } ?? connections.compactMap { $0 }
        for connection in candidates {
            connection.perform { $0.grantChanged(grant.topic, $1) }
        }
    }

}
