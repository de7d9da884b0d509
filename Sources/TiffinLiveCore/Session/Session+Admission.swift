/// Who is asking, and what may they have: from the credential to the open session (contract sections 4, 5 and 7.1). The
/// cheap checks come first; the session is entered into the registers before the last look at the revocations, so that
/// one that arrives in between is seen either there or by whoever walks the registers.
extension Session {
    mutating func admit(
        _ request: HTTPRequest, _ opening: OpeningHandshake?, _ match: RouteTable.Match, rest: UnsafeRawBufferPointer,
        _ context: SessionContext
    ) {
        guard !context.isDraining else {
            return refuse(status: 503, error: "draining", retryAfter: 1...5, context)
        }
        guard let claims = authenticate(request, match.route, context) else { return }
        let limits = context.settings.limits
        guard context.admissions.take(now: context.now.monotonic, limit: limits.admissions) else {
            return refuse(status: 503, error: "over_admission_rate", retryAfter: 1...10, context)
        }
        identity = claims
        guard let names = match.route.topicNames(match.variables, identity: claims) else {
            return refuse(status: 403, error: "forbidden", context)
        }
        let position = Self.position(in: request)
        let topics = zip(names, Self.split(position, count: names.count)).map { (name: $0, after: $1) }
        let admission = Admission(
            version: request.version, opening: opening, topics: topics, resumes: position != nil)
        guard let checks = authorize(names, claims, context) else {
            return refuse(status: 403, error: "forbidden", context)
        }
        setDeadlines(claims, context)
        let pending = PendingQuestion(.admission(admission), checks: checks)
        pending.held.append(contentsOf: rest)
        phase = .admitting(admission)
        ask(pending, context)
    }

    /// Checks the credential of a handshake; answers the request itself and returns nil when it is not good.
    private mutating func authenticate(
        _ request: HTTPRequest, _ route: Route, _ context: SessionContext
    ) -> ClaimsSet? {
        do {
            switch try Credentials.read(request, accepts: route.credentials) {
            case .bearer(let token):
                return authenticate(token: token, context)
            case .ticket:
                // No ticket has been issued yet, so none is valid.
                refuseUnauthorized("ticket_invalid", context)
            }
        } catch {
            if error.status == 401 {
                refuseUnauthorized(error.code, context)
            } else {
                refuse(status: error.status, error: error.code, context)
            }
        }
        return nil
    }

    private mutating func authenticate(token: [UInt8], _ context: SessionContext) -> ClaimsSet? {
        switch verify(token, context) {
        case .accepted(let claims):
            guard !context.revocations.refuses(claims) else {
                refuseUnauthorized("revoked", context)
                return nil
            }
            return claims
        case .refused(let error):
            refuseUnauthorized(error.code, context)
        case .needsSignature(let seconds):
            refuse(status: 429, error: "rate_limited", fields: [("Retry-After", String(seconds))], context)
        }
        return nil
    }

    /// The one place where a token is judged, at the handshake and at a refresh. A source that forges signatures gets no
    /// more signature work until it calms; what needs none is answered as ever.
    func verify(_ token: [UInt8], _ context: SessionContext) -> Verdict {
        let now = context.now
        let penalty = context.penalties.check(client, now: now.monotonic, using: &context.random)
        let outcome = token.withUnsafeBytes {
            context.verifier.check($0, wall: now.wall, mayVerifySignature: penalty == .allowed)
        }
        switch outcome {
        case .accepted(let claims):
            return .accepted(claims)
        case .refused(let error):
            if error.isForged { context.penalties.recordForged(client, now: now.monotonic) }
            return .refused(error)
        case .needsSignature:
            guard case .refused(let retryAfter) = penalty else { return .needsSignature(retryAfter: 1) }
            return .needsSignature(retryAfter: retryAfter)
        }
    }

    /// What became of a token.
    enum Verdict {
        case accepted(ClaimsSet)
        case refused(JWTError)
        /// Its source has forged too much of late, in seconds.
        case needsSignature(retryAfter: Int)
    }

    mutating func setDeadlines(_ claims: ClaimsSet, _ context: SessionContext) {
        let age = context.settings.expiry.maximumAge
        deadlines.set(
            expiresAt: claims.expiresAt,
            ageEnd: age > 0 ? openedAt.monotonic.clampedAdding(age) : SessionDeadlines.never,
            expiry: context.settings.expiry, warns: transport == .websocket && !echoes, now: context.now,
            random: &context.random)
    }

    // MARK: Positions

    /// The last position that the client has seen. A new EventSource cannot set the header, so the query may carry it; an
    /// old URL must not win over a newer header.
    private static func position(in request: HTTPRequest) -> String? {
        if let header = request.fields.text("last-event-id"), !header.isEmpty { return header }
        return request.target.values(ofQuery: "last_event_id").first { !$0.isEmpty }
    }

    /// One position for each topic; what does not fit the number of topics is no position of any (it will be `reset`).
    private static func split(_ position: String?, count: Int) -> [String?] {
        guard let position else { return Array(repeating: nil, count: count) }
        guard let positions = EventPositions.read(position, count: count) else {
            return Array(repeating: "", count: count)
        }
        return positions.map(\.description)
    }

    // MARK: Authorization

    /// Which of the topics the identity may have, as far as it is known now; nil when one is denied outright.
    func authorize(
        _ topics: [String], _ claims: ClaimsSet, _ context: SessionContext
    ) -> [PendingQuestion.Check]? {
        var checks: [PendingQuestion.Check] = []
        for topic in topics {
            let check = check(topic, claims, context)
            guard check.lookup != nil || check.isGranted else { return nil }
            checks.append(check)
        }
        return checks
    }

    func check(_ topic: String, _ claims: ClaimsSet, _ context: SessionContext) -> PendingQuestion.Check {
        switch context.rules.decide(topic: topic, identity: claims) {
        case .denied:
            return .init(topic: topic, isGranted: false)
        case .allowed:
            return .init(topic: topic, isGranted: true)
        case .lookUp(let lookup):
            guard let known = context.owners.answer(to: lookup, now: context.now.monotonic) else {
                return .init(topic: topic, lookup: lookup)
            }
            return .init(topic: topic, isGranted: known)
        }
    }

    /// Waits for the checks that are still open, or goes on at once when there are none.
    mutating func ask(_ pending: PendingQuestion, _ context: SessionContext) {
        waiting = pending
        guard !pending.isAnswered else { return decided(pending, context) }
        deadlines.timeout = context.now.monotonic.clampedAdding(context.settings.limits.lookup)
        for check in pending.checks {
            guard let lookup = check.lookup else { continue }
            if context.owners.wait(for: lookup, waiter: handle, now: context.now.monotonic) {
                context.actions.append(.lookUp(lookup))
            }
        }
    }

    /// The answer to a look-up that this session waits for: nil when the backend could not say.
    mutating func lookUpCompleted(_ lookup: OwnerLookup, isGranted: Bool?, _ context: SessionContext) {
        guard let waiting, !waiting.isDecided, waiting.checks.contains(where: { $0.lookup == lookup }) else { return }
        guard let isGranted else { return questionTimedOut(waiting.question, context) }
        for index in waiting.checks.indices where waiting.checks[index].lookup == lookup {
            waiting.checks[index].lookup = nil
            waiting.checks[index].isGranted = isGranted
        }
        if waiting.isAnswered { decided(waiting, context) }
    }

    /// All checks are answered: go on with what they were for.
    private mutating func decided(_ pending: PendingQuestion, _ context: SessionContext) {
        pending.isDecided = true
        switch pending.question {
        case .admission:
            guard pending.checks.allSatisfy(\.isGranted) else {
                return refuse(status: 403, error: "forbidden", context)
            }
            deadlines.timeout = context.now.monotonic.clampedAdding(context.settings.limits.handshake)
            context.actions.append(.register)
        case .refresh(let claims):
            refreshDecided(claims, pending.checks, context)
        case .subscription(let topic, let after, let ref):
            guard pending.checks.allSatisfy(\.isGranted) else {
                write(.failed(error: "forbidden", topic: topic, ref: ref), context)
                return questionAnswered(context)
            }
            deadlines.timeout = context.now.monotonic.clampedAdding(context.settings.limits.handshake)
            context.actions.append(.attach(topic: topic, after: after))
        case .recheck(let topic):
            rechecked(topic, isGranted: pending.checks.allSatisfy(\.isGranted), context)
        }
    }

    /// No answer in time, or none to be had: what needs it is refused, never granted.
    mutating func questionTimedOut(_ question: PendingQuestion.Question, _ context: SessionContext) {
        deadlines.timeout = SessionDeadlines.never
        switch question {
        case .admission:
            return refuse(status: 503, error: "unavailable", retryAfter: 1...5, context)
        case .refresh:
            refuseRefresh("unavailable", context)
        case .subscription(let topic, _, let ref):
            write(.failed(error: "unavailable", topic: topic, ref: ref), context)
        case .recheck:
            break
        }
        questionAnswered(context)
    }

    /// Goes on with the input that waited for the answer.
    mutating func questionAnswered(_ context: SessionContext) {
        guard let answered = waiting else { return }
        waiting = nil
        deadlines.timeout = SessionDeadlines.never
        if !answered.held.isEmpty {
            answered.held.withUnsafeMutableBytes { held in
                switch phase {
                case .webSocket: receivedFrames(held, context)
                case .readingRequest, .admitting, .eventStream, .closing, .closed: break
                }
            }
        }
        if answered.isAtEnd { receivedEnd(context) }
        for topic in answered.rechecks { grantChanged(topic, context) }
    }

    // MARK: Opening

    /// What the registers said of a connection that is to be entered.
    mutating func registered(_ outcome: RegistrationOutcome, _ context: SessionContext) {
        guard case .admitting(let admission) = phase, let identity else { return }
        switch outcome {
        case .entered: break
        case .userLimit, .addressLimit:
            return refuse(status: 429, error: "too_many_connections", retryAfter: 5...30, context)
        case .full:
            return refuse(status: 503, error: "full", retryAfter: 1...10, context)
        }
        guard !context.revocations.refuses(identity) else { return refuseUnauthorized("revoked", context) }
        for topic in admission.topics {
            context.actions.append(.attach(topic: topic.name, after: topic.after))
        }
        if admission.isComplete { open(admission, context) }
    }

    /// A topic is being listened to, and this is where it begins.
    mutating func attached(_ topic: String, _ resumption: Resumption, _ context: SessionContext) {
        switch phase {
        case .admitting(let admission):
            _ = context.topics.attach(topic: topic, subscriber: slot, head: &topicHead)
            admission.resumptions[topic] = resumption
            if admission.isComplete { open(admission, context) }
        case .webSocket:
            guard case .subscription(let asked, _, let ref)? = waiting?.question, asked == topic else { return }
            _ = context.topics.attach(topic: topic, subscriber: slot, head: &topicHead)
            write(.subscribed(topic: topic, position: resumption.position, ref: ref), context)
            if resumption.isReset { write(.reset(topic: topic), context) }
            catchUp(resumption.events, context)
            questionAnswered(context)
        case .readingRequest, .eventStream, .closing, .closed:
            break
        }
    }

    /// The backend cannot say where a topic begins, so nothing may be promised.
    mutating func notAttached(_ topic: String, _ context: SessionContext) {
        guard let waiting else { return }
        switch waiting.question {
        case .admission: break
        case .subscription(let asked, _, _): guard asked == topic else { return }
        case .refresh, .recheck: return
        }
        questionTimedOut(waiting.question, context)
    }

    private mutating func open(_ admission: Admission, _ context: SessionContext) {
        deadlines.timeout = SessionDeadlines.never
        let begins = admission.topics.compactMap { topic in
            admission.resumptions[topic.name].map { (topic: topic.name, resumption: $0) }
        }
        if let opening = admission.opening {
            phase = .webSocket
            opening.appendResponse(to: context.output, date: context.date)
            if !echoes { write(welcome(context), context) }
            for begin in begins where begin.resumption.isReset { write(.reset(topic: begin.topic), context) }
        } else {
            phase = .eventStream
            openEventStream(begins, after: admission.topics.map(\.after), version: admission.version, context)
        }
        wasOpen = true
        startHeartbeat(context)
        context.actions.append(.opened)
        catchUp(begins.flatMap(\.resumption.events) + admission.early, context)
        questionAnswered(context)
    }

    func welcome(_ context: SessionContext) -> ServerMessage {
        let heartbeat = context.settings.heartbeat
        return .welcome(
            connection: id, user: identity?.user ?? "", expiresIn: deadlines.secondsLeft(context.now),
            heartbeat: Int((transport == .sse ? heartbeat.comment : heartbeat.ping) / .second))
    }
}
