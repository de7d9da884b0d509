/// The end of a session that this server decides on (contract section 6): the close is the last thing said, then FIN.
extension Session {
    /// Ends the session for a reason, in the way that fits where it stands. `code` overrides the reason's own.
    mutating func disconnect(
        _ reason: DisconnectReason, code: CloseCode? = nil, _ context: SessionContext
    ) {
        switch phase {
        case .readingProxyHeader, .readingRequest:
            // Nothing was asked yet, so there is nothing to answer; but what is under way gets an answer.
            guard reason != .restart || !awaitsRequestUnderWay else {
                let limit = context.now.monotonic.clampedAdding(Self.lastRequestWait)
                deadlines.timeout = min(deadlines.timeout, limit)
                return
            }
            end(reason, context)
            context.actions.append(.finish)
        case .admitting, .buying:
            refuseAdmission(reason, context)
        case .webSocket, .eventStream:
            close(reason, code: code ?? reason.closeCode ?? .goingAway, context)
        case .closing, .closed:
            break
        }
    }

    /// How long a server that is going away waits for the request of somebody who has connected already.
    static let lastRequestWait: Nanoseconds = 2 * .second

    /// Whether a request is on its way as far as anybody can tell: the first one of a connection, or a part of one is here.
    /// An idle connection that was used before may be closed at any time (RFC 9112 section 9.6).
    private var awaitsRequestUnderWay: Bool {
        guard case .readingRequest(let reading) = phase else { return true }
        return hasReceived || !reading.isReused
    }

    /// Says the close and ends. `detail` is ours, never text from outside.
    mutating func close(
        _ reason: DisconnectReason, code: CloseCode, detail: String = "", _ context: SessionContext
    ) {
        let isStream = transport == .sse
        var words = reason == .operatorRequest ? DisconnectReason.word(for: code) : reason.word
        if !detail.isEmpty { words += "; \(detail)" }
        var retryMilliseconds: Int?
        if code == .serviceRestart {
            // A fleet that is sent away together must not come back together.
            let delay = Int.random(in: 0...Int(context.returnWindow / .millisecond), using: &context.random)
            words += "; retry=\(delay)"
            retryMilliseconds = delay
        }
        let start = context.output.count
        if isStream {
            appendBlock(
                "close", #"{"code":\#(code.rawValue),"reason":"\#(words)"}"#, retryMilliseconds: retryMilliseconds,
                context)
            if isChunked { ChunkedEncoder.appendLast(to: context.output) }
        } else {
            FrameEncoder.appendClose(code, reason: words, to: context.output)
        }
        end(reason, context)
        endingCode = code.rawValue
        if !reason.keepsQueuedOutput { context.discardsQueue = true }
        finish(from: start, context)
    }

    /// Marks what was written from `start` on as the close, which goes out whatever else is dropped.
    mutating func finish(from start: Int, _ context: SessionContext) {
        closeLength = UInt32(truncatingIfNeeded: context.output.count - start)
        context.actions.append(.finish)
    }

    private mutating func refuseAdmission(_ reason: DisconnectReason, _ context: SessionContext) {
        switch reason {
        case .tokenExpired: refuseUnauthorized("token_expired", context)
        case .revoked: refuseUnauthorized("revoked", context)
        case .forbidden: refuse(status: 403, error: "forbidden", context)
        case .replaced, .rateLimited: refuse(status: 429, error: "too_many_connections", retryAfter: 5...30, context)
        case .restart, .goingAway: refuse(status: 503, error: "draining", retryAfter: 1...5, context)
        default: refuse(status: 503, error: "unavailable", retryAfter: 1...5, context)
        }
    }
}
