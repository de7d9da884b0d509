internal import COpenSSL
import Glibc
import Testing

@testable import TiffinLiveCore

/// The shell over a socket pair: what the kernel does not take, and who hears of an end.
@Suite("TLSSocket")
struct TLSSocketTests {
    private static let own = Result { try TLSCertificate() }

    private let pair: SocketPair
    private let scratch = TLSScratch()
    private let tls: TLSSocket
    private let peer: TLSRawPeer

    init() throws {
        let certificate = try Self.own.get()
        pair = try SocketPair()
        let context = try TLSContext.server(certificateChain: certificate.pem, key: certificate.keyPEM)
        tls = TLSSocket(stream: try TLSStream(accepting: context), socket: pair.near, scratch: scratch)
        peer = try TLSRawPeer()
    }

    private func read() -> SocketResult {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        return tls.read(through: buffer)
    }

    private func shakeHands() throws {
        peer.shakeHands()
        _ = pair.far.send(peer.takeOutput())
        #expect(read() == .bytes(0))
        peer.feed(pair.far.receive().bytes)
        #expect(peer.shakeHands())
        _ = pair.far.send(peer.takeOutput())
        #expect(read() == .bytes(0))
        #expect(!tls.isHandshaking)
        peer.feed(pair.far.receive().bytes)
    }

    private func send(_ bytes: [UInt8]) -> SocketResult {
        bytes.withUnsafeBytes { tls.send($0) }
    }

    /// What the peer has got by now.
    private func peerReads() -> [UInt8] {
        var all: [UInt8] = []
        while case .bytes = pair.far.receive(0).result {
            let (_, bytes) = pair.far.receive()
            guard !bytes.isEmpty else { break }
            peer.feed(bytes)
            all += peer.read()
        }
        return all
    }

    @Test("Reads and sends as a socket does")
    func bothWays() throws {
        #expect(!tls.hasAnswered)
        try shakeHands()
        #expect(tls.hasAnswered)
        #expect(read() == .wouldBlock)
        peer.write([1, 2, 3])
        _ = pair.far.send(peer.takeOutput())
        #expect(read() == .bytes(3))
        #expect(Array(tls.received) == [1, 2, 3])
        #expect(send([4, 5]) == .bytes(2))
        #expect(peerReads() == [4, 5])
        #expect(send([]) == .bytes(0))
    }

    @Test("Encrypts little more than the kernel takes, keeps the rest, and loses nothing")
    func backPressure() throws {
        try shakeHands()
        let bytes = (0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) }
        guard case .bytes(var sent) = send(bytes) else {
            Issue.record("nothing was sent")
            return
        }
        #expect(sent < bytes.count)
        #expect(tls.hasUnsentRecords)
        #expect(send(Array(bytes[sent...])) == .wouldBlock)
        var received: [UInt8] = []
        while received.count < bytes.count {
            received += peerReads()
            if case .failed = tls.flush() { break }
            if !tls.hasUnsentRecords, sent < bytes.count, case .bytes(let more) = send(Array(bytes[sent...])) {
                sent += more
            }
        }
        #expect(received == bytes)
        #expect(!tls.hasUnsentRecords)
    }

    @Test("The close_notify waits behind the records that wait")
    func closeBehindRecords() throws {
        try shakeHands()
        let bytes = [UInt8](repeating: 7, count: 4 << 20)
        guard case .bytes(let sent) = send(bytes) else {
            Issue.record("nothing was sent")
            return
        }
        tls.close()
        #expect(tls.hasUnsentRecords)
        var received = 0
        while !peer.hasReceivedClose {
            received += peerReads().count
            if case .failed = tls.flush() { break }
        }
        #expect(received == sent)
        #expect(!tls.hasUnsentRecords)
    }

    @Test("A peer that asks and asks and never reads is given up")
    func endlessQuestions() throws {
        try shakeHands()
        // Fill the kernel's buffer, so that every answer waits.
        while case .bytes = send([UInt8](repeating: 0, count: 1 << 20)) {}
        var result = SocketResult.bytes(0)
        for _ in 0..<50_000 {
            peer.updateKeys()
            guard case .bytes = pair.far.send(peer.takeOutput()) else { continue }
            result = read()
            guard case .bytes = result else { break }
        }
        // Either libssl answers only once while its answer waits, or the limit ends it. Memory stays bounded.
        #expect(result == .bytes(0) || result == .failed(EPROTO))
    }

    @Test("A close_notify and a bare FIN are both an end, and only the second is a truncation")
    func ends() throws {
        try shakeHands()
        peer.write([1])
        peer.close()
        _ = pair.far.send(peer.takeOutput())
        #expect(read() == .bytes(1))
        #expect(tls.hasReceivedClose)
        pair.far.shutdownWrite()
        #expect(read() == .endOfStream)
        #expect(tls.error == nil)
    }

    @Test("A FIN without close_notify is told as the end, with the reason")
    func truncation() throws {
        try shakeHands()
        pair.far.shutdownWrite()
        #expect(read() == .endOfStream)
        #expect(tls.error == .truncated)
    }

    @Test("A failure sends its alert and names its reason")
    func failure() {
        _ = pair.far.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        #expect(read() == .failed(EPROTO))
        #expect(tls.error == .plaintextHTTP)
        _ = pair.far.send([1])
        #expect(read() == .failed(EPROTO))
    }

    @Test("A peer that is gone is a failure of the socket")
    func gone() throws {
        try shakeHands()
        pair.close(pair.far)
        guard case .failed = send([1]) else {
            Issue.record("sent to nobody")
            return
        }
    }

    @Test("Nothing is sent before the handshake")
    func early() {
        #expect(send([1]) == .failed(EPROTO))
        #expect(tls.error == .notOpen)
    }
}
