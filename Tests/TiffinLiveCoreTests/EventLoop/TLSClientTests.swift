import Testing

@testable import TiffinLiveCore

/// What a client asks of a server's certificate (RFC 5280, RFC 6125), and resumption, which takes both ends of ours.
@Suite("TLSStream: a client's connection")
struct TLSClientTests {
    private static let authority = Result {
        try TLSCertificate(name: "authority", alternativeNames: nil, isAuthority: true)
    }

    private struct Ends {
        let client: TLSEnd
        let server: TLSEnd
        let errors: (client: TLSError?, server: TLSError?)
    }

    private func connect(
        to host: String, _ certificate: TLSCertificate, chain: [TLSCertificate] = [], trusting: TLSContext.Authorities
    ) throws -> Ends {
        let serverContext = try TLSContext.server(
            certificateChain: chain.reduce(certificate.pem) { $0 + $1.pem }, key: certificate.keyPEM)
        let server = TLSEnd(try TLSStream(accepting: serverContext))
        let client = TLSEnd(try TLSStream(connecting: TLSContext.client(trusting: trusting), host: host))
        return Ends(client: client, server: server, errors: try TLSEnd.connect(client: client, server: server))
    }

    private func trustsOwn() throws -> TLSContext.Authorities { .pem(try Self.authority.get().pem) }

    @Test(
        "Names and addresses of the certificate are accepted, and no others",
        arguments: [
            ("DNS:redis.example", "redis.example", true), ("DNS:redis.example", "REDIS.example", true),
            ("DNS:redis.example", "other.example", false), ("DNS:*.example.com", "a.example.com", true),
            ("DNS:*.example.com", "a.b.example.com", false), ("DNS:*.example.com", "example.com", false),
            ("DNS:re*.example.com", "redis.example.com", false), ("IP:127.0.0.1", "127.0.0.1", true),
            ("IP:127.0.0.1", "127.0.0.2", false), ("IP:::1", "::1", true), ("IP:::1", "::2", false),
            // An address is not to be found in names.
            ("DNS:127.0.0.1", "127.0.0.1", false),
        ])
    func hostName(names: String, host: String, isGood: Bool) throws {
        let certificate = try TLSCertificate(alternativeNames: names, issuer: Self.authority.get())
        let ends = try connect(to: host, certificate, trusting: trustsOwn())
        if isGood {
            #expect(ends.errors.client == nil)
            #expect(ends.client.stream.state == .established)
            #expect(ends.server.stream.state == .established)
        } else {
            guard case .certificate(_, let reason) = ends.errors.client else {
                Issue.record("\(String(describing: ends.errors))")
                return
            }
            #expect(reason.contains("mismatch"))
            #expect(ends.server.stream.state != .established)
        }
    }

    @Test("Expired, not yet valid, self-signed and foreign certificates are refused, and the server is told why")
    func untrusted() throws {
        let authority = try Self.authority.get()
        let certificates = [
            (try TLSCertificate(issuer: authority, from: -7200, until: -3600), 10),
            (try TLSCertificate(issuer: authority, from: 3600, until: 7200), 9),
            (try TLSCertificate(), 18),
            (try TLSCertificate(issuer: TLSCertificate(name: "stranger", isAuthority: true)), 20),
        ]
        for (certificate, code) in certificates {
            let ends = try connect(to: "localhost", certificate, trusting: trustsOwn())
            guard case .certificate(let found, _) = ends.errors.client else {
                Issue.record("\(ends.errors)")
                continue
            }
            #expect(found == code)
            guard case .alert = ends.errors.server else {
                Issue.record("\(ends.errors)")
                continue
            }
        }
    }

    @Test("A chain over an intermediate is followed; without the intermediate it is broken")
    func chain() throws {
        let intermediate = try TLSCertificate(
            name: "between", alternativeNames: nil, isAuthority: true, issuer: Self.authority.get())
        let certificate = try TLSCertificate(issuer: intermediate)
        let whole = try connect(to: "localhost", certificate, chain: [intermediate], trusting: trustsOwn())
        #expect(whole.errors.client == nil)
        let broken = try connect(to: "localhost", certificate, trusting: trustsOwn())
        #expect(broken.errors.client != nil)
        let pinned = try connect(to: "localhost", certificate, trusting: .pem(intermediate.pem))
        #expect(pinned.errors.client == nil)
    }

    @Test("A certificate of our own is not trusted by the system's store")
    func systemStore() throws {
        let certificate = try TLSCertificate(issuer: Self.authority.get())
        let ends = try connect(to: "localhost", certificate, trusting: .system)
        guard case .certificate = ends.errors.client else {
            Issue.record("\(ends.errors)")
            return
        }
    }

    @Test("A server that does not speak TLS is found out")
    func notTLS() throws {
        let client = TLSEnd(try TLSStream(connecting: TLSContext.client(trusting: trustsOwn()), host: "localhost"))
        try client.start()
        #expect(client.takeOutput().first == 22)
        #expect(client.receive(Array("-ERR unknown command\r\n".utf8)) == .notTLS)
    }

    @Test("No host is no host", arguments: ["", "a\u{0}b"])
    func badHost(host: String) throws {
        let context = try TLSContext.client(trusting: trustsOwn())
        #expect(throws: TLSSetupError.badHostName) { try TLSStream(connecting: context, host: host) }
    }

    // MARK: Resumption and reload

    @Test("A connection that was cut is resumed as well as one that was closed", arguments: [true, false])
    func resumptionAfterCut(isClosed: Bool) throws {
        let authority = try Self.authority.get()
        let certificate = try TLSCertificate(issuer: authority)
        let clientContext = try TLSContext.client(trusting: .pem(authority.pem))
        let serverContext = try TLSContext.server(certificateChain: certificate.pem, key: certificate.keyPEM)
        var session: TLSSession?
        for round in 0..<3 {
            let client = TLSEnd(try TLSStream(connecting: clientContext, host: "localhost", session: session))
            let server = TLSEnd(try TLSStream(accepting: serverContext))
            try TLSEnd.connect(client: client, server: server)
            #expect(client.stream.isResumed == (round > 0))
            session = client.stream.session()
            if isClosed { client.close() }
        }
    }

    @Test("A second connection takes the first one's session up; a new context knows it no more")
    func resumption() throws {
        let authority = try Self.authority.get()
        let certificate = try TLSCertificate(issuer: authority)
        let clientContext = try TLSContext.client(trusting: .pem(authority.pem))
        let serverContext = try TLSContext.server(certificateChain: certificate.pem, key: certificate.keyPEM)
        func connect(_ serverContext: TLSContext, _ session: TLSSession?) throws -> (TLSEnd, TLSEnd) {
            let client = TLSEnd(try TLSStream(connecting: clientContext, host: "localhost", session: session))
            let server = TLSEnd(try TLSStream(accepting: serverContext))
            let errors = try TLSEnd.connect(client: client, server: server)
            #expect(errors.client == nil && errors.server == nil)
            return (client, server)
        }
        let (first, _) = try connect(serverContext, nil)
        #expect(!first.stream.isResumed)
        let session = try #require(first.stream.session())
        let (second, server) = try connect(serverContext, session)
        #expect(second.stream.isResumed && server.stream.isResumed)
        try server.send([1, 2])
        second.receive(server.takeOutput())
        #expect(second.takePlaintext() == [1, 2])

        let (cut, _) = try connect(serverContext, second.stream.session())
        #expect(cut.stream.isResumed)

        let renewed = try TLSCertificate(issuer: authority)
        let reloaded = try TLSContext.server(certificateChain: renewed.pem, key: renewed.keyPEM)
        let (third, _) = try connect(reloaded, second.stream.session())
        #expect(!third.stream.isResumed)
        // Whoever was connected before the reload stays so.
        try server.send([3])
        second.receive(server.takeOutput())
        #expect(second.takePlaintext() == [3])
    }
}
