/// The greeting, one question after the other.
extension RedisSession {
    mutating func greet(_ step: Step, now: Nanoseconds) {
        let command: [[UInt8]]
        switch step {
        case .hello: command = hello
        case .authenticate:
            guard let password = settings.credentials.password else { return greet(.name, now: now) }
            command = [Array("AUTH".utf8)] + (settings.credentials.user.map { [Array($0.utf8)] } ?? []) + [password]
        case .name:
            guard !settings.clientName.isEmpty else { return greet(.select, now: now) }
            command = ["CLIENT", "SETNAME", settings.clientName].map { Array($0.utf8) }
        case .select:
            guard settings.database != 0 else { return greet(.ping, now: now) }
            command = ["SELECT", String(settings.database)].map { Array($0.utf8) }
        case .ping: command = [Array("PING".utf8)]
        }
        state = .greeting(step)
        expect(.greeting, now: now)
        RESPEncoder.append(command, to: output)
    }

    private var hello: [[UInt8]] {
        var command = ["HELLO", "3"].map { Array($0.utf8) }
        if let password = settings.credentials.password {
            command += [Array("AUTH".utf8), Array((settings.credentials.user ?? "default").utf8), password]
        }
        if !settings.clientName.isEmpty { command += ["SETNAME", settings.clientName].map { Array($0.utf8) } }
        return command
    }

    /// The reply to the question of the present step.
    mutating func greeted(_ reply: RESPValue, now: Nanoseconds) {
        guard case .greeting(let step) = state else { return fail(.outOfStep) }
        if case .error(let error) = reply { return refused(step, error, now: now) }
        switch step {
        case .hello:
            let info = RedisServerInfo(reply)
            server = info
            if info.isReplica, role == .commands { return fail(.readOnly) }
            greet(.select, now: now)
        case .authenticate: greet(.name, now: now)
        case .name: greet(.select, now: now)
        case .select: greet(.ping, now: now)
        case .ping: begin(now: now)
        }
    }

    private mutating func refused(_ step: Step, _ error: RedisErrorReply, now: Nanoseconds) {
        if let fault = RedisLinkFault(errorCode: error.code) { return fail(fault) }
        if error.text.contains("max number of clients") { return fail(.tooManyClients) }
        switch step {
        case .hello:
            // The whole text is matched and not a code: every error that has none is an ERR.
            let isUnknown = error.code == "NOPROTO" || error.text.hasPrefix("ERR unknown command")
            guard isUnknown else {
                return fail(error.code == "WRONGPASS" ? .wrongPassword : .refused(code: error.code))
            }
            server = RedisServerInfo(protocolVersion: 2)
            greet(.authenticate, now: now)
        case .authenticate: fail(.wrongPassword)
        case .name: greet(.select, now: now)
        case .select: fail(.databaseRefused(code: error.code))
        case .ping:
            // It answers, and that is what was asked: PING may be forbidden to this user, and is refused by a server that
            // cannot save (MISCONF), whose reads work.
            guard error.code == "NOPERM" || error.code == "MISCONF" else { return fail(.refused(code: error.code)) }
            begin(now: now)
        }
    }

    private mutating func begin(now: Nanoseconds) {
        state = .ready
        events.append(.ready)
        guard role == .subscriptions else { return }
        for order in ledger.linked() { obey(order, now: now) }
    }
}
