import Glibc

@testable import TiffinLiveCore

/// A TLS client of a server under test, behind a plain socket that `RawClient` can use: a thread of its own moves bytes
/// between the two. The client's end is passed on as close_notify (and FIN, unless told otherwise), the server's as FIN.
final class TLSTunnel {
    struct Outcome: Sendable {
        var isEstablished = false
        /// The server said close_notify before its FIN.
        var hasReceivedClose = false
        /// The subject of the certificate that the server has shown.
        var serverName: String?
        /// An earlier session was taken up again.
        var isResumed = false
    }

    let client: RawClient
    private let thread: LoopThread
    private let outcome = Locked(Outcome())

    /// `source` is the address to come from; `preface` goes out in front of the handshake.
    init(
        port: Int, peer: TLSRawPeer, from source: String? = nil, preface: [UInt8] = [], sendsFIN: Bool = true
    ) throws {
        guard let server = LoopbackSocket.connect(port: port, from: source) else { throw SystemError.last("connect") }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            throw SystemError.last("socketpair")
        }
        client = RawClient(descriptor: ends[0])
        let outcome = outcome
        let plain = ends[1]
        let handed = Handed(peer)
        thread = try LoopThread.start(name: "tunnel") {
            var link = Link(server: server, plain: plain, peer: handed.value, sendsFIN: sendsFIN)
            link.run(preface, outcome)
        }
    }

    /// Waits until both sides have ended.
    func wait() -> Outcome {
        thread.join()
        return outcome.withLock { $0 }
    }

    /// What is known so far.
    var soFar: Outcome { outcome.withLock { $0 } }

    private struct Link {
        let server: Int32
        let plain: Int32
        let peer: TLSRawPeer
        let sendsFIN: Bool
        var isEstablished = false
        var hasServerEnded = false
        var hasClientEnded = false
        var hasToldEnd = false

        mutating func run(_ preface: [UInt8], _ outcome: Locked<Outcome>) {
            peer.shakeHands()
            sendAll(preface + peer.takeOutput(), to: server)
            while !(hasServerEnded && hasClientEnded) {
                var entries = [
                    pollfd(fd: hasServerEnded ? -1 : server, events: Int16(POLLIN), revents: 0),
                    pollfd(
                        fd: hasClientEnded || !(isEstablished || hasServerEnded) ? -1 : plain, events: Int16(POLLIN),
                        revents: 0),
                ]
                guard poll(&entries, 2, 60_000) > 0 else { break }
                if entries[0].revents != 0 { readServer() }
                if entries[1].revents != 0 { readClient() }
                sendAll(peer.takeOutput(), to: server)
                if hasClientEnded && sendsFIN { shutdown(server, Int32(SHUT_WR)) }
                let known = Outcome(
                    isEstablished: isEstablished, hasReceivedClose: peer.hasReceivedClose, serverName: peer.serverName,
                    isResumed: peer.isResumed)
                outcome.withLock { $0 = known }
            }
            close(server)
            close(plain)
        }

        private mutating func readServer() {
            let bytes = receive(server)
            if bytes.isEmpty { hasServerEnded = true }
            peer.feed(bytes)
            if !isEstablished { isEstablished = peer.shakeHands() }
            if isEstablished { sendAll(peer.read(), to: plain) }
            if (hasServerEnded || peer.hasReceivedClose) && !hasToldEnd {
                hasToldEnd = true
                shutdown(plain, Int32(SHUT_WR))
            }
        }

        private mutating func readClient() {
            let bytes = receive(plain)
            if bytes.isEmpty {
                hasClientEnded = true
                peer.close()
            } else {
                peer.write(bytes)
            }
        }

        /// Empty at the end and after an error.
        private func receive(_ descriptor: Int32) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
            }
        }

        private func sendAll(_ bytes: [UInt8], to descriptor: Int32) {
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes {
                    send(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                sent += count
            }
        }
    }
}
