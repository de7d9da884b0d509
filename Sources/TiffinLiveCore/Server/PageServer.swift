/// A small HTTP/1.1 server beside the live one, with a thread and a loop of its own: whole requests in, whole responses out.
/// It is there for the page of the demo. What is served is the caller's; it is called in the server's thread, one request
/// after the other.
package final class PageServer {
    package typealias Serve = @Sendable (HTTPRequest, [UInt8]) -> HTTPResponse

    /// As bound: with the ports that the kernel chose for port 0.
    package let addresses: [SocketAddress]
    private let listeners: [ListeningSocket]
    private let ending: Mailbox<Bool>
    private var thread: LoopThread?

    /// Binds the addresses. Who connects waits until `start`.
    package init(binding addresses: [SocketAddress]) throws(SystemError) {
        var listeners: [ListeningSocket] = []
        for address in addresses { listeners.append(try ListeningSocket(binding: address, reusePort: false)) }
        self.listeners = listeners
        self.addresses = listeners.map(\.address)
        ending = try Mailbox()
    }

    package func start(serve: @escaping Serve) throws(SystemError) {
        let ending = ending
        let handed = Handed(listeners)
        thread = try LoopThread.start(name: "page") {
            // Without a loop nobody is served, and the ports stay silent.
            guard let loop = try? EventLoop() else { return }
            let endpoint = PageEndpoint(loop, serve)
            guard (try? ending.attach(to: loop) { _ in loop.stop() }) != nil,
                (try? endpoint.start(handed.value)) != nil
            else { return }
            loop.run()
            endpoint.end()
            withExtendedLifetime(endpoint) { loop.close() }
        }
    }

    /// Ends all connections and waits for the thread.
    package func stop() {
        ending.post(true)
        thread?.join()
    }
}
