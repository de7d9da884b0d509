internal import COpenSSL
import Testing

@testable import TiffinLiveCore

/// The server's end against a client that shares no code with it.
@Suite("TLSStream: a server's connection (RFC 8446, RFC 5246)")
struct TLSStreamTests {
    private static let own = Result { try TLSCertificate() }

    private func makeServer(_ certificate: TLSCertificate? = nil) throws -> TLSEnd {
        let certificate = try certificate ?? Self.own.get()
        let context = try TLSContext.server(certificateChain: certificate.pem, key: certificate.keyPEM)
        return TLSEnd(try TLSStream(accepting: context))
    }

    @Test(
        "Bytes go both ways, whole and in pieces, in either version",
        arguments: [TLS1_2_VERSION, TLS1_3_VERSION], [Int.max, 1, 7, 1_000])
    func bothWays(version: Int32, piece: Int) throws {
        let server = try makeServer()
        let peer = try TLSRawPeer(minimum: version, maximum: version)
        let (error, isDone) = server.connect(peer, piece: piece)
        #expect(error == nil)
        #expect(isDone)
        #expect(server.stream.state == .established)
        #expect(server.stream.version == (version == TLS1_2_VERSION ? "TLSv1.2" : "TLSv1.3"))
        peer.write(Array("hello".utf8))
        #expect(server.receive(peer.takeOutput(), piece: piece) == nil)
        #expect(server.takePlaintext() == Array("hello".utf8))
        try server.send(Array("welcome".utf8))
        peer.feed(server.takeOutput())
        #expect(peer.read() == Array("welcome".utf8))
        #expect(ERR_peek_error() == 0)
    }

    @Test("An RSA certificate serves too")
    func rsa() throws {
        let server = try makeServer(TLSCertificate(key: .rsa2048))
        #expect(try server.connect(TLSRawPeer()).isDone)
    }

    @Test("A mebibyte each way comes through unharmed", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func large(version: Int32) throws {
        let server = try makeServer()
        let peer = try TLSRawPeer(minimum: version, maximum: version)
        server.connect(peer)
        let bytes = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        peer.write(bytes)
        #expect(server.receive(peer.takeOutput(), piece: 50_000) == nil)
        #expect(server.takePlaintext() == bytes)
        try server.send(bytes)
        peer.feed(server.takeOutput())
        #expect(peer.read() == bytes)
    }

    @Test("What comes in one piece with the end of the handshake is not lost")
    func earlyBytes() throws {
        let server = try makeServer()
        let peer = try TLSRawPeer()
        peer.shakeHands()
        server.receive(peer.takeOutput())
        peer.feed(server.takeOutput())
        #expect(peer.shakeHands())
        peer.write(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        #expect(server.receive(peer.takeOutput()) == nil)
        #expect(server.stream.state == .established)
        #expect(server.takePlaintext() == Array("GET / HTTP/1.1\r\n\r\n".utf8))
    }

    // MARK: Protocols

    @Test("http/1.1 is chosen when it is offered, and nothing when nothing is")
    func protocols() throws {
        let first = try makeServer()
        let offered = Array("\u{2}h2\u{8}http/1.1".utf8)
        #expect(try first.connect(TLSRawPeer(protocols: offered)).isDone)
        #expect(first.stream.applicationProtocol == "http/1.1")
        let second = try makeServer()
        #expect(try second.connect(TLSRawPeer()).isDone)
        #expect(second.stream.applicationProtocol == nil)
    }

    @Test("A client that only speaks other protocols gets an alert")
    func noProtocol() throws {
        let server = try makeServer()
        let (error, isDone) = try server.connect(TLSRawPeer(protocols: Array("\u{2}h2".utf8)))
        #expect(error == .noApplicationProtocol)
        #expect(!isDone)
    }

    @Test(
        "Versions below 1.2 are refused with protocol_version", arguments: [TLS1_VERSION, TLS1_1_VERSION])
    func oldVersion(version: Int32) throws {
        let server = try makeServer()
        let peer = try TLSRawPeer(minimum: TLS1_VERSION, maximum: version, ciphers: "ALL:@SECLEVEL=0")
        peer.shakeHands()
        let hello = peer.takeOutput()
        #expect(!hello.isEmpty)
        #expect(server.receive(hello) == .unsupportedVersion)
        #expect(server.takeOutput().suffix(2) == [2, 70])
        #expect(server.stream.state == .failed(.unsupportedVersion))
    }

    @Test(
        "Ciphers without forward secrecy or authentication are refused",
        arguments: ["AES128-SHA", "AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA"])
    func oldCipher(cipher: String) throws {
        let server = try makeServer()
        let (error, _) = try server.connect(TLSRawPeer(maximum: TLS1_2_VERSION, ciphers: cipher))
        #expect(error == .noSharedCipher)
    }

    @Test("A second handshake on one connection is refused, and the connection goes on or ends without harm")
    func renegotiation() throws {
        let server = try makeServer()
        let peer = try TLSRawPeer(maximum: TLS1_2_VERSION)
        server.connect(peer)
        peer.renegotiate()
        let error = server.receive(peer.takeOutput())
        #expect(error == nil)
        // no_renegotiation, a warning.
        #expect(!server.takeOutput().isEmpty)
        #expect(server.stream.state == .established)
        #expect(ERR_peek_error() == 0)
    }

    @Test("New traffic keys are followed")
    func keyUpdate() throws {
        let server = try makeServer()
        let peer = try TLSRawPeer()
        server.connect(peer)
        peer.updateKeys()
        peer.write([1, 2, 3])
        #expect(server.receive(peer.takeOutput()) == nil)
        #expect(server.takePlaintext() == [1, 2, 3])
        try server.send([4])
        peer.feed(server.takeOutput())
        #expect(peer.read() == [4])
    }

    // MARK: Ends

    @Test("close_notify goes both ways", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func closes(version: Int32) throws {
        let server = try makeServer()
        let peer = try TLSRawPeer(minimum: version, maximum: version)
        server.connect(peer)
        try server.send(Array("bye".utf8))
        server.close()
        #expect(server.stream.state == .closing)
        peer.feed(server.takeOutput())
        #expect(peer.read() == Array("bye".utf8))
        #expect(peer.hasReceivedClose)
        #expect(!server.stream.hasReceivedClose)
        peer.close()
        #expect(server.receive(peer.takeOutput()) == nil)
        #expect(server.stream.hasReceivedClose)
        try server.stream.receiveEnd()
    }

    @Test("What the peer sent before it read our end still arrives")
    func readsAfterClose() throws {
        let server = try makeServer()
        let peer = try TLSRawPeer()
        server.connect(peer)
        server.close()
        _ = server.takeOutput()
        peer.write([9])
        #expect(server.receive(peer.takeOutput()) == nil)
        #expect(server.takePlaintext() == [9])
    }

    @Test("After the peer's end its bytes are dropped, and the own ones still go out")
    func halfClose() throws {
        let server = try makeServer()
        let peer = try TLSRawPeer()
        server.connect(peer)
        peer.close()
        #expect(server.receive(peer.takeOutput()) == nil)
        #expect(server.stream.hasReceivedClose)
        #expect(server.receive([1, 2, 3]) == nil)
        #expect(server.takePlaintext() == [])
        try server.send([7])
        peer.feed(server.takeOutput())
        #expect(peer.read() == [7])
    }

    @Test("An end without close_notify is a truncation")
    func truncated() throws {
        let server = try makeServer()
        server.connect(try TLSRawPeer())
        #expect(throws: TLSError.truncated) { try server.stream.receiveEnd() }
        #expect(server.stream.state == .failed(.truncated))
        #expect(throws: TLSError.truncated) { try server.send([1]) }
    }

    @Test("Nothing can be sent before the handshake or behind the own end, and closing then is quiet")
    func notOpen() throws {
        let early = try makeServer()
        #expect(throws: TLSError.notOpen) { try early.send([1]) }
        early.close()
        #expect(early.takeOutput() == [])
        let late = try makeServer()
        late.connect(try TLSRawPeer())
        late.close()
        #expect(!late.takeOutput().isEmpty)
        late.close()
        #expect(late.takeOutput() == [])
        #expect(throws: TLSError.notOpen) { try late.send([1]) }
    }

    // MARK: Abuse

    @Test(
        "Plain HTTP on a TLS port is told apart",
        arguments: ["GET /ws HTTP/1.1\r\n\r\n", "POST / HTTP/1.1\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\n\r\n"],
        [Int.max, 1])
    func plaintextHTTP(request: String, piece: Int) throws {
        let server = try makeServer()
        #expect(server.receive(Array(request.utf8), piece: piece) == .plaintextHTTP)
        #expect(ERR_peek_error() == 0)
    }

    @Test(
        "Garbage ends the connection, and again and again says the same",
        arguments: [
            Array("hello there, server".utf8), [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64),
            // A handshake record of more than 2^14 bytes, and an empty one.
            [22, 3, 1, 0xFF, 0xFF, 1, 0, 0xFF, 0xFB], [22, 3, 1, 0, 0] + [UInt8](repeating: 0, count: 32),
            // A record of application data, and an alert, before any handshake.
            [23, 3, 3, 0, 3, 1, 2, 3], [21, 3, 3, 0, 2, 2, 40],
        ])
    func garbage(bytes: [UInt8]) throws {
        let server = try makeServer()
        let error = try #require(server.receive(bytes))
        #expect(server.stream.state == .failed(error))
        #expect(server.receive([1]) == error)
        #expect(ERR_peek_error() == 0)
    }

    @Test("Random bytes and flipped bits never do more than end the connection")
    func flippedBits() throws {
        var random = SystemRandomNumberGenerator()
        let certificate = try Self.own.get()
        let context = try TLSContext.server(certificateChain: certificate.pem, key: certificate.keyPEM)
        for _ in 0..<300 {
            let server = TLSEnd(try TLSStream(accepting: context))
            let peer = try TLSRawPeer()
            peer.shakeHands()
            var hello = peer.takeOutput()
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                hello[Int.random(in: 0..<hello.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            server.receive(hello)
            #expect(server.stream.state != .established)
            #expect(ERR_peek_error() == 0)
        }
    }

    @Test("A record that was changed on the way is refused with an alert")
    func changedRecord() throws {
        let server = try makeServer()
        let peer = try TLSRawPeer()
        server.connect(peer)
        peer.write(Array("secret".utf8))
        var record = peer.takeOutput()
        record[record.count - 1] ^= 1
        let error = try #require(server.receive(record))
        guard case .protocolViolation = error else {
            Issue.record("\(error)")
            return
        }
        #expect(server.takePlaintext() == [])
        #expect(!server.takeOutput().isEmpty)
    }

    @Test("The peer's alert is told by its number")
    func alert() throws {
        let server = try makeServer()
        let peer = try TLSRawPeer(maximum: TLS1_2_VERSION)
        peer.shakeHands()
        server.receive(peer.takeOutput())
        // bad_certificate, fatal, in plaintext: the keys are not in use yet.
        #expect(server.receive([21, 3, 3, 0, 2, 2, 42]) == .alert(42))
    }

    @Test("Every cut of a handshake leaves it waiting, and its end then is a truncation")
    func halfHandshake() throws {
        let hello = try {
            let peer = try TLSRawPeer()
            peer.shakeHands()
            return peer.takeOutput()
        }()
        for length in stride(from: 1, to: hello.count, by: 13) {
            let server = try makeServer()
            #expect(server.receive(Array(hello.prefix(length))) == nil)
            #expect(server.stream.state == .handshaking)
            #expect(server.takeOutput() == [])
            #expect(throws: TLSError.truncated) { try server.stream.receiveEnd() }
        }
    }

    @Test("A hello that is spread over several records is understood, byte by byte too", arguments: [Int.max, 1])
    func splitHello(piece: Int) throws {
        let server = try makeServer()
        let peer = try TLSRawPeer()
        peer.shakeHands()
        let message = peer.takeOutput().dropFirst(5)
        var records: [UInt8] = []
        var rest = message
        while !rest.isEmpty {
            let part = rest.prefix(50)
            records += [22, 3, 1, 0, UInt8(part.count)] + part
            rest = rest.dropFirst(50)
        }
        #expect(server.receive(records, piece: piece) == nil)
        peer.feed(server.takeOutput())
        #expect(peer.shakeHands())
    }

    @Test("Every connection is freed, whatever became of it")
    func nothingLeaks() throws {
        let freed = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        freed.initialize(to: 0)
        defer { freed.deallocate() }
        let index = CRYPTO_get_ex_new_index(
            CRYPTO_EX_INDEX_SSL, 0, nil, nil, nil,
            { _, value, _, _, _, _ in value?.assumingMemoryBound(to: Int.self).pointee += 1 })
        let certificate = try Self.own.get()
        let context = try TLSContext.server(certificateChain: certificate.pem, key: certificate.keyPEM)
        let count = 1_000
        for number in 0..<count {
            let server = TLSEnd(try TLSStream(accepting: context))
            SSL_set_ex_data(server.stream.pointer, index, freed)
            let peer = try TLSRawPeer()
            switch number % 4 {
            case 0: server.connect(peer)
            case 1: server.receive(Array("GET / HTTP/1.1\r\n".utf8))
            case 2:
                peer.shakeHands()
                server.receive(Array(peer.takeOutput().dropLast(20)))
            default:
                server.connect(peer)
                server.close()
            }
        }
        #expect(freed.pointee == count)
    }
}
