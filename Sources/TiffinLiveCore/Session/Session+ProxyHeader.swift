/// The header in which a balancer names its client ("The PROXY protocol", versions 1 and 2), in front of everything else,
/// TLS too. Only connections from trusted addresses begin with one; on others it would be a malformed request.
extension Session {
    /// Whether the next bytes are those of a PROXY header, and not yet the client's.
    var awaitsProxyHeader: Bool {
        if case .readingProxyHeader = phase { true } else { false }
    }

    /// Takes bytes of the header, and says how many of them belonged to it. What is behind them is the client's.
    ///
    /// A connection that does not begin with a header is closed without a word: at its other end is a balancer, not a
    /// client, and the answer would be taken for ours.
    mutating func receivedProxyHeader(_ bytes: UnsafeRawBufferPointer, _ context: SessionContext) -> Int {
        guard case .readingProxyHeader(let reading) = phase else { return 0 }
        lastReceived = context.now.monotonic
        var consumed = 0
        do throws(ProxyHeaderError) {
            if let header = try reading.receive(bytes, consumed: &consumed) {
                client = header.source ?? client
                phase = .readingRequest(RequestReading(headLimit: context.settings.limits.head, peer: client))
            }
        } catch {
            context.actions.append(.proxyHeaderRefused(error))
            end(.refused, context)
            context.actions.append(.finish)
        }
        return consumed
    }
}
