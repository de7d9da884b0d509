import Testing

@testable import TiffinLiveCore

@Suite("Handshakes of TLS in one turn")
struct WorkerTLSTests {
    private struct Knocking {
        let pair: SocketPair
        let peer: TLSRawPeer
        let tls: TLSSocket
    }

    private func knock(_ worker: WorkerTLS) throws -> Knocking {
        let pair = try SocketPair()
        let peer = try TLSRawPeer()
        peer.shakeHands()
        _ = pair.far.send(peer.takeOutput())
        return Knocking(pair: pair, peer: peer, tls: try #require(worker.accept(pair.near)))
    }

    /// What a loop does with a connection that is readable.
    private func turn(_ worker: inout WorkerTLS, _ knocking: Knocking) {
        guard worker.mayRead(knocking.tls) else { return }
        let wasSilent = !knocking.tls.hasAnswered
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        _ = knocking.tls.read(through: buffer)
        if wasSilent && knocking.tls.hasAnswered { worker.hasAnswered() }
    }

    @Test("A burst of hellos is answered eight a turn, in as many turns as it takes; who is established is always read")
    func bounded() throws {
        let certificate = try TLSCertificate()
        var worker = WorkerTLS(
            try TLSContext.server(certificateChain: certificate.pem, key: certificate.keyPEM))
        let burst = try (0..<30).map { _ in try knock(worker) }
        var answered: [Int] = []
        while answered.last != burst.count, answered.count < 10 {
            for knocking in burst { turn(&worker, knocking) }
            answered.append(burst.count { $0.tls.hasAnswered })
            // Out of turns for newcomers, not for those who had theirs.
            #expect(worker.mayRead(burst[0].tls))
            worker.turnEnds()
        }
        #expect(answered == [8, 16, 24, 30])
        for knocking in burst {
            knocking.peer.feed(knocking.pair.far.receive().bytes)
            #expect(knocking.peer.shakeHands())
        }
    }
}
