/// Who is asking, and what may they have: from the credential to the open session (contract sections 4, 5 and 7.1). The
/// cheap checks come first; the session is entered into the registers before the last look at the revocations, so that
/// one that arrives in between is seen either there or by whoever walks the registers.
extension Session {
    mutating func admit(
        _ request: HTTPRequest, _ admission: Admission, rest: UnsafeRawBufferPointer, _ context: SessionContext
    ) {
        guard !context.isDraining else {
            return refuse(status: 503, error: "draining", retryAfter: 1...5, context)
        }
        let isWebSocket = admission.exchange.opening != nil
        guard
            let identification = identify(
                request, accepts: admission.match.route.credentials, isWebSocket: isWebSocket, context),
            mayAdmit(context)
        else { return }
        phase = .admitting(admission)
        switch identification {
        case .known(let claims):
            let answered = PendingQuestion(.admission(admission), checks: [])
            answered.held.append(contentsOf: rest)
            proceed(claims, admission, answered, context)
        case .unknown(let kind):
            ask(IdentityQuestion(kind, for: .admission(admission)), rest: rest, context)
        }
    }

    /// Whether the rate of admissions leaves room for one more; refuses when not.
    mutating func mayAdmit(_ context: SessionContext) -> Bool {
        guard context.admissions.take(now: context.now.monotonic, limit: context.settings.limits.admissions) else {
            refuse(status: 503, error: "over_admission_rate", retryAfter: 1...10, context)
            return false
        }
        return true
    }

    /// Goes on with a handshake whose identity is known.
    ///
    /// - Parameters:
    ///   - answered: what was waited for until now, with the input that came meanwhile.
    ///   - isVouchedFor: whether the topics were granted by somebody else, and no rule is asked.
    mutating func proceed(
        _ claims: ClaimsSet, _ admission: Admission, _ answered: PendingQuestion, isVouchedFor: Bool = false,
        _ context: SessionContext
    ) {
        identity = claims
        let match = admission.match
        guard let names = match.route.topicNames(match.variables, identity: claims) else {
            return refuse(status: 403, error: "forbidden", context)
        }
        let positions = Self.split(admission.position, count: names.count)
        admission.topics = zip(names, positions).map { (name: $0, after: $1) }
        let checks =
            isVouchedFor
            ? names.map { PendingQuestion.Check(topic: $0, isGranted: true) } : authorize(names, claims, context)
        guard let checks else { return refuse(status: 403, error: "forbidden", context) }
        setDeadlines(claims, context)
        let pending = PendingQuestion(.admission(admission), checks: checks)
        pending.held = answered.held
        pending.isAtEnd = answered.isAtEnd
        ask(pending, context)
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
        case .identity:
            // Its answers come by another way.
            break
        case .purchase(let purchase):
            purchaseDecided(purchase, isGranted: pending.checks.allSatisfy(\.isGranted), context)
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
        case .identity, .admission, .purchase:
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
                case .readingProxyHeader, .readingRequest, .admitting, .buying, .eventStream, .closing, .closed: break
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
            guard case .subscription(let asked, let after, let ref)? = waiting?.question, asked == topic else { return }
            _ = context.topics.attach(topic: topic, subscriber: slot, head: &topicHead)
            // As with the welcome of a stream: whoever drops in the middle of the replay comes back to where it began.
            let resumed = resumption.isReset ? nil : after.flatMap { EventID($0) }
            write(.subscribed(topic: topic, position: resumed ?? resumption.position, ref: ref), context)
            if resumption.isReset { write(.reset(topic: topic), context) }
            catchUp(resumption.events, context)
            questionAnswered(context)
        case .readingProxyHeader, .readingRequest, .buying, .eventStream, .closing, .closed:
            break
        }
    }

    /// The backend cannot say where a topic begins, so nothing may be promised.
    mutating func notAttached(_ topic: String, _ context: SessionContext) {
        guard let waiting else { return }
        switch waiting.question {
        case .admission: break
        case .subscription(let asked, _, _): guard asked == topic else { return }
        case .identity, .purchase, .refresh, .recheck: return
        }
        questionTimedOut(waiting.question, context)
    }

    private mutating func open(_ admission: Admission, _ context: SessionContext) {
        deadlines.timeout = SessionDeadlines.never
        let begins = admission.topics.compactMap { topic in
            admission.resumptions[topic.name].map { (topic: topic.name, resumption: $0) }
        }
        if let opening = admission.exchange.opening {
            phase = .webSocket
            opening.appendResponse(to: context.output, date: context.date)
            if !echoes { write(welcome(context), context) }
            for begin in begins where begin.resumption.isReset { write(.reset(topic: begin.topic), context) }
        } else {
            phase = .eventStream
            openEventStream(begins, after: admission.topics.map(\.after), admission.exchange, context)
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
