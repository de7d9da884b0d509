/// What Redis says.
extension RedisSession {
    mutating func received(_ value: RESPValue, now: Nanoseconds) {
        switch value {
        case .push(let elements):
            receivedPush(elements, now: now)
        case .array(let elements) where role == .subscriptions && server?.protocolVersion == 2 && isReady:
            // RESP2 has no type of its own for these. PING is answered like one too, once something is subscribed.
            if elements.first?.bytes.map({ $0.elementsEqual("pong".utf8) }) ?? false {
                answered(value, now: now)
            } else {
                receivedPush(elements, now: now)
            }
        case .simpleString, .error, .integer, .bulkString, .null, .array, .map, .set, .double, .boolean, .bigNumber,
            .verbatimString:
            answered(value, now: now)
        }
    }

    /// The reply to the oldest question.
    private mutating func answered(_ value: RESPValue, now: Nanoseconds) {
        guard let expectation = expected.removeFirst() else { return fail(.outOfStep) }
        progressedAt = now
        repliedAt = now
        switch expectation.purpose {
        case .greeting: greeted(value, now: now)
        case .ping:
            if case .error(let error) = value, let fault = RedisLinkFault(errorCode: error.code) { fail(fault) }
        case .command(let tag):
            var isError = false
            if case .error = value { isError = true }
            if tag != nil { statistics.answered(after: now &- expectation.sentAt, isError: isError) }
            guard case .error(let error) = value else {
                if let tag { events.append(.reply(tag, .success(value))) }
                return
            }
            if let tag { events.append(.reply(tag, .failure(.error(code: error.code, text: error.text)))) }
            if let fault = RedisLinkFault(errorCode: error.code) { fail(fault) }
        case .subscription(let channel):
            guard case .error(let error) = value else { return fail(.outOfStep) }
            // Only a matter of rights concerns the channel alone; whatever else it is, a new link tries all of it again.
            guard error.code == "NOPERM" else {
                return fail(RedisLinkFault(errorCode: error.code) ?? .refused(code: error.code))
            }
            if let text = ledger.refused(channel) { events.append(.refused(text, code: error.code)) }
        case .subscriptionEnd:
            guard case .error(let error) = value else { return fail(.outOfStep) }
            fail(RedisLinkFault(errorCode: error.code) ?? .refused(code: error.code))
        }
    }

    private mutating func receivedPush(_ elements: [RESPValue], now: Nanoseconds) {
        guard let kind = elements.first?.bytes else { return fail(.outOfStep) }
        if kind.elementsEqual("message".utf8) {
            guard elements.count == 3, let channel = elements[1].bytes, let payload = elements[2].bytes else {
                return fail(.outOfStep)
            }
            if let text = ledger.channel(channel) { events.append(.message(channel: text, payload: payload)) }
        } else if kind.elementsEqual("subscribe".utf8) || kind.elementsEqual("unsubscribe".utf8) {
            guard elements.count == 3, let channel = elements[1].bytes else { return fail(.outOfStep) }
            confirmed(channel, isEnd: kind.count > 9, now: now)
        }
        // Pushes of other kinds (invalidations, shard messages) are for features that are not used.
    }

    /// Confirmations come in the order of the questions too. One that nobody asked for means that Redis or we have lost
    /// count, and then nothing is known of what is subscribed.
    private mutating func confirmed(_ channel: [UInt8], isEnd: Bool, now: Nanoseconds) {
        // Only looked at: a command that this is no reply to must still get one.
        guard let expectation = expected.first else { return fail(.outOfStep) }
        progressedAt = now
        repliedAt = now
        switch expectation.purpose {
        case .subscription(channel) where !isEnd:
            _ = expected.removeFirst()
            let confirmation = ledger.confirmedSubscription(channel)
            if let text = confirmation.established { events.append(.subscribed(text)) }
            if let order = confirmation.order { obey(order, now: now) }
        case .subscriptionEnd(channel) where isEnd:
            _ = expected.removeFirst()
            if let order = ledger.confirmedEnd(channel) { obey(order, now: now) }
        case .greeting, .ping, .command, .subscription, .subscriptionEnd:
            fail(.outOfStep)
        }
    }
}
