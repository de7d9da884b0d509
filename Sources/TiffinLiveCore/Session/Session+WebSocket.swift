/// The messages of a WebSocket session (contract section 8, and 7.4 for the refresh in band).
extension Session {
    mutating func receivedFrames(_ bytes: UnsafeMutableRawBufferPointer, _ context: SessionContext) {
        var input = bytes
        while case .webSocket = phase {
            if let waiting {
                // The question's answer comes first; what is behind it waits its turn.
                waiting.held.append(contentsOf: input)
                return
            }
            do {
                guard let received = try frames.next(&input, messageLimit: context.settings.limits.message)
                else { return }
                self.received(received, context)
            } catch {
                return close(DisconnectReason(error), code: error.closeCode, detail: error.reason.description, context)
            }
        }
    }

    private mutating func received(_ input: WebSocketInput, _ context: SessionContext) {
        switch input {
        case .text(let text):
            guard mayReceive(context) else { return }
            if echoes { return echo(.text, text, context) }
            receivedMessage(text, context)
        case .binary(let payload):
            guard mayReceive(context) else { return }
            if echoes { return echo(.binary, payload, context) }
            close(.unsupportedData, code: .unsupportedData, detail: "text only", context)
        case .ping(let payload):
            if context.isOutputBlocked {
                pendingPong = Array(payload)
            } else {
                FrameEncoder.append(.pong, payload, to: context.output)
                lastSent = context.now.monotonic
            }
        case .pong:
            break
        case .close(let code, _):
            // RFC 6455 section 5.5.1: answered with the code that came.
            let start = context.output.count
            FrameEncoder.appendClose(code, reason: "", to: context.output)
            end(.clientClosed, context)
            endingCode = code?.rawValue ?? CloseCode.noStatusReceived.rawValue
            finish(from: start, context)
        }
    }

    private mutating func echo(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer, _ context: SessionContext) {
        FrameEncoder.append(opcode, payload, to: context.output)
        lastSent = context.now.monotonic
    }

    /// Counts a message and closes a connection that sends too many (contract section 7.10).
    private mutating func mayReceive(_ context: SessionContext) -> Bool {
        messagesReceived &+= 1
        context.messagesReceived &+= 1
        guard !messages.take(now: context.now.monotonic, limit: context.settings.limits.messages) else { return true }
        disconnect(.rateLimited, context)
        return false
    }

    private mutating func receivedMessage(_ text: UnsafeRawBufferPointer, _ context: SessionContext) {
        let message: ClientMessage
        do throws(ClientMessage.Fault) {
            message = try ClientMessage.read(text)
        } catch {
            return write(.failed(error: "bad_message", topic: nil, ref: error.ref), context)
        }
        switch message {
        case .auth(let token): refresh(Array(token.utf8), context)
        case .subscribe(let topic, let after, let ref): subscribe(topic, after, ref, context)
        case .unsubscribe(let topic, let ref): unsubscribe(topic, ref, context)
        case .ping(let ref): write(.pong(ref: ref), context)
        case .application(let type, let ref, let body): handOver(type, ref, body, context)
        }
    }

    // MARK: Topics

    private mutating func subscribe(_ topic: String, _ after: String?, _ ref: JSONValue?, _ context: SessionContext) {
        guard let identity else { return }
        let check = check(topic, identity, context)
        guard check.isGranted || check.lookup != nil else {
            return write(.failed(error: "forbidden", topic: cut(topic), ref: ref), context)
        }
        let held = context.topics.topics(of: topicHead)
        if held.contains(topic) {
            let position = context.topics.lastID(topic)
            return write(.subscribed(topic: topic, position: position, ref: ref), context)
        }
        guard held.count < context.settings.limits.topicsPerConnection else {
            return write(.failed(error: "too_many_topics", topic: topic, ref: ref), context)
        }
        ask(PendingQuestion(.subscription(topic: topic, after: after, ref: ref), checks: [check]), context)
    }

    private mutating func unsubscribe(_ topic: String, _ ref: JSONValue?, _ context: SessionContext) {
        leave(topic, context)
        write(.unsubscribed(topic: cut(topic), reason: nil, ref: ref), context)
    }

    mutating func leave(_ topic: String, _ context: SessionContext) {
        guard context.topics.detach(topic: topic, subscriber: slot, head: &topicHead) else { return }
        if !context.topics.isListening(topic) { context.actions.append(.unlisten(topic: topic)) }
    }

    /// What a client called a topic, at a length that may be sent back.
    private func cut(_ topic: String) -> String {
        topic.utf8.count <= 256 ? topic : String(topic.prefix(64))
    }

    // MARK: Application messages

    private mutating func handOver(
        _ type: String, _ ref: JSONValue?, _ body: JSONObject, _ context: SessionContext
    ) {
        guard let identity, takesInbound else {
            return write(.failed(error: "not_accepted", topic: nil, ref: ref), context)
        }
        var body = body
        for member in context.settings.identityMembers { body.remove(member) }
        unacknowledged += 1
        context.scratch.removeAll()
        JSONWriter.append(.object(body), to: context.scratch)
        context.actions.append(
            .handOver(
                InboundMessage(
                    user: identity.user, role: identity.role, connection: id, type: type, ref: ref,
                    body: context.scratch.array, at: context.now.wall)))
    }

    /// The backends have the message, or cannot take it.
    mutating func inboundTaken(ref: JSONValue?, isTaken: Bool, _ context: SessionContext) {
        unacknowledged -= min(unacknowledged, 1)
        write(isTaken ? .acknowledged(ref: ref) : .failed(error: "unavailable", topic: nil, ref: ref), context)
    }

    // MARK: Refresh

    /// A new token in band. Judged as at the handshake; the old deadline stands until the new token is accepted.
    private mutating func refresh(_ token: [UInt8], _ context: SessionContext) {
        guard let identity else { return }
        let claims: ClaimsSet
        switch verify(token, context) {
        case .accepted(let accepted): claims = accepted
        case .refused(let error): return refuseRefresh(error.code, context)
        case .needsSignature: return refuseRefresh("rate_limited", context)
        }
        guard JSONObject.isSame(claims.user, identity.user) else { return disconnect(.differentUser, context) }
        guard JSONObject.isSame(claims.role, identity.role) else { return refuseRefresh("forbidden", context) }
        guard !context.revocations.refuses(claims) else { return refuseRefresh("revoked", context) }
        let checks = context.topics.topics(of: topicHead).map { check($0, claims, context) }
        ask(PendingQuestion(.refresh(claims), checks: checks), context)
    }

    mutating func refuseRefresh(_ error: String, _ context: SessionContext) {
        write(.authRefused(error: error), context)
        context.actions.append(.refreshed(error: error))
    }

    /// The topics of the new token are known: it takes the old one's place.
    mutating func refreshDecided(
        _ claims: ClaimsSet, _ checks: [PendingQuestion.Check], _ context: SessionContext
    ) {
        // A revocation may have come while the owners were looked up.
        guard !context.revocations.refuses(claims) else {
            refuseRefresh("revoked", context)
            return questionAnswered(context)
        }
        let lost = checks.filter { !$0.isGranted }.map(\.topic)
        for topic in lost { leave(topic, context) }
        identity = claims
        setDeadlines(claims, context)
        write(.authAccepted(expiresIn: deadlines.secondsLeft(context.now), lost: lost), context)
        context.actions.append(.refreshed(error: nil))
        guard lost.isEmpty || topicHead >= 0 else { return disconnect(.forbidden, context) }
        questionAnswered(context)
    }
}
