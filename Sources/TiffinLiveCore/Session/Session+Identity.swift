/// Who is asking: the one credential that counts, verified here or looked up by the backend (contract section 4). What can
/// be refused without a signature or a question is refused before either.
extension Session {
    /// What a credential says at once.
    enum Identification {
        case known(ClaimsSet)
        case unknown(IdentityQuestion.Kind)
    }

    /// Reads the credential of a request; answers the request itself and returns nil when it is not good.
    mutating func identify(
        _ request: HTTPRequest, accepts: CredentialKinds, isWebSocket: Bool, _ context: SessionContext
    ) -> Identification? {
        let browser = context.settings.browser
        do {
            switch try Credentials.read(request, accepts: accepts, cookie: browser.cookie?.name) {
            case .bearer(let token):
                return authenticate([token], context).map { .known($0) }
            case .ticket(let ticket):
                return .unknown(.ticket(ticket))
            case .cookie(let values):
                let verdict = browser.origins.verdict(on: request.fields)
                guard browser.origins.allowsCookie(verdict, isWebSocket: isWebSocket, fields: request.fields) else {
                    refuse(status: 403, error: "origin_refused", context)
                    return nil
                }
                guard let cookie = browser.cookie, cookie.lookup != nil else {
                    return authenticate(values, context).map { .known($0) }
                }
                let commands = values.compactMap { cookie.command(for: $0) }
                guard commands.isEmpty else { return .unknown(.sessions(commands)) }
                refuse(.invalid, context)
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

    /// Verifies tokens, of which one must be good.
    private mutating func authenticate(_ tokens: [[UInt8]], _ context: SessionContext) -> ClaimsSet? {
        var choice = IdentityChoice()
        for token in tokens {
            switch verify(token, context) {
            case .accepted(let claims): choose(claims, &choice, context)
            case .refused(let error): choice.add(IdentityChoice.Refusal(error))
            case .needsSignature(let seconds): choice.add(.rateLimited(retryAfter: seconds))
            }
        }
        return settle(choice, context)
    }

    private func choose(_ claims: ClaimsSet, _ choice: inout IdentityChoice, _ context: SessionContext) {
        if context.revocations.refuses(claims) { choice.add(.revoked) } else { choice.add(claims) }
    }

    private mutating func settle(_ choice: IdentityChoice, _ context: SessionContext) -> ClaimsSet? {
        switch choice.outcome {
        case .success(let claims):
            return claims
        case .failure(let refused):
            refuse(refused.reason, context)
            return nil
        }
    }

    /// The one place where a token is judged, at the handshake and at a refresh. A source that forges signatures gets no
    /// more signature work until it calms; what needs none is answered as ever. Somebody who is known to be there does not
    /// answer for the others at that address, until a forged token comes from there too.
    mutating func verify(_ token: [UInt8], _ context: SessionContext) -> Verdict {
        let now = context.now
        let penalty =
            identity != nil && !hasForged
            ? .allowed
            : context.penalties.withValue { $0.check(client, now: now.monotonic, using: &context.random) }
        let signatureCount = context.verifier.signatureCount
        let outcome = token.withUnsafeBytes {
            context.verifier.check($0, wall: now.wall, mayVerifySignature: penalty == .allowed)
        }
        switch outcome {
        case .accepted(let claims):
            return .accepted(claims)
        case .refused(let error):
            if error.isForged {
                hasForged = true
                // One that is remembered has cost nothing: whoever repeats it does not hold up the others at that address.
                if context.verifier.signatureCount > signatureCount {
                    context.penalties.withValue { $0.recordForged(client, now: now.monotonic) }
                }
            }
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

    // MARK: Questions

    /// Asks the backend and waits. `rest` is what came behind the request's head.
    mutating func ask(_ question: IdentityQuestion, rest: UnsafeRawBufferPointer, _ context: SessionContext) {
        let pending = PendingQuestion(.identity(question), checks: [])
        pending.held.append(contentsOf: rest)
        waiting = pending
        deadlines.timeout = context.now.monotonic.clampedAdding(context.settings.limits.lookup)
        context.actions += question.actions
    }

    /// An answer to `SessionAction.redeem` or `.lookUpSession`.
    mutating func identityAnswered(_ index: Int, _ reply: StoreReply, _ context: SessionContext) {
        guard let answered = waiting, case .identity(let question) = answered.question,
            let replies = question.answered(index, reply)
        else { return }
        switch (question.purpose, question.kind) {
        case (.admission(let admission), .ticket):
            redeemed(replies[0], admission, answered, context)
        case (.admission(let admission), .sessions):
            guard let claims = chooseSession(replies, context) else { return }
            proceed(claims, admission, answered, context)
        case (.purchase(let purchase), .sessions):
            guard let claims = chooseSession(replies, context) else { return }
            waiting = nil
            resumePurchase(purchase, buyer: claims, answered, context)
        case (.purchase, .ticket):
            // Tickets buy no tickets.
            refuse(.ticketInvalid, context)
        }
    }

    private mutating func chooseSession(_ replies: [StoreReply], _ context: SessionContext) -> ClaimsSet? {
        var choice = IdentityChoice()
        for reply in replies {
            switch reply {
            case .text(let json):
                do throws(JWTError) {
                    let claims = try StoredIdentity.read(
                        json, policy: context.settings.browser.policy, wall: context.now.wall)
                    choose(claims, &choice, context)
                } catch {
                    choice.add(IdentityChoice.Refusal(error))
                }
            case .null: choice.add(.invalid)
            case .integer, .ok, .error: choice.add(.unavailable)
            }
        }
        return settle(choice, context)
    }

    /// The ticket is out of the store now, whatever comes of the rest.
    private mutating func redeemed(
        _ reply: StoreReply, _ admission: Admission, _ answered: PendingQuestion, _ context: SessionContext
    ) {
        let policy = context.settings.browser.policy
        let wall = context.now.wall
        switch reply {
        case .null:
            refuse(.ticketInvalid, context)
        case .integer, .ok, .error:
            refuse(.unavailable, context)
        case .text(let value):
            let ticket: Ticket?
            do throws(JWTError) {
                ticket = try Ticket.read(value, policy: policy, wall: wall)
            } catch {
                return refuse(error == .expired ? .expired : .ticketInvalid, context)
            }
            switch ticket {
            case nil:
                refuse(.ticketInvalid, context)
            case .sold(let buyer, let path):
                guard !context.revocations.refuses(buyer) else { return refuse(.revoked, context) }
                // The buyer's token would not be taken any more.
                guard buyer.key == 0 || context.verifier.knows(key: buyer.key) else {
                    return refuse(.ticketInvalid, context)
                }
                guard path.map({ JSONObject.isSame($0, admission.path) }) ?? true else {
                    return refuse(status: 403, error: "forbidden", context)
                }
                proceed(buyer, admission, answered, context)
            case .plain(let text):
                guard let bearer = Ticket.bearer(ofPlain: text, admission.match, policy: policy, wall: wall) else {
                    return refuse(status: 403, error: "forbidden", context)
                }
                proceed(bearer, admission, answered, isVouchedFor: true, context)
            }
        }
    }
}
