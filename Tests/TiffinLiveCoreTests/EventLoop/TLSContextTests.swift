import Testing

@testable import TiffinLiveCore

@Suite("TLSContext: certificates and keys in PEM form (RFC 7468)")
struct TLSContextTests {
    private static let own = Result { try TLSCertificate() }

    @Test("The end of the certificate's life is known")
    func end() throws {
        let certificate = try TLSCertificate(until: 1_000)
        let context = try TLSContext.server(certificateChain: certificate.pem, key: certificate.keyPEM)
        let left = context.certificateEnd - Clock.now().wall
        #expect(left > 900 * .second && left < 1_001 * .second)
    }

    @Test("Certificate and key may stand in one file")
    func oneFile() throws {
        let certificate = try Self.own.get()
        let both = certificate.keyPEM + Array("\ncomment\n".utf8) + certificate.pem
        _ = try TLSContext.server(certificateChain: both, key: both)
    }

    @Test("Each fault has its own word")
    func faults() throws {
        let certificate = try Self.own.get()
        let other = try TLSCertificate()
        let otherKind = try TLSCertificate(key: .rsa2048)
        func setUp(_ chain: [UInt8], _ key: [UInt8]) throws {
            _ = try TLSContext.server(certificateChain: chain, key: key)
        }
        #expect(throws: TLSSetupError.noCertificate) { try setUp([], certificate.keyPEM) }
        #expect(throws: TLSSetupError.noCertificate) { try setUp(certificate.keyPEM, certificate.keyPEM) }
        #expect(throws: TLSSetupError.noKey) { try setUp(certificate.pem, []) }
        #expect(throws: TLSSetupError.noKey) { try setUp(certificate.pem, certificate.pem) }
        #expect(throws: TLSSetupError.keyMismatch) { try setUp(certificate.pem, other.keyPEM) }
        #expect(throws: TLSSetupError.keyMismatch) { try setUp(certificate.pem, otherKind.keyPEM) }
        #expect(throws: TLSSetupError.encryptedKey) { try setUp(certificate.pem, certificate.encryptedKeyPEM) }
        let broken = Array(String(decoding: certificate.pem, as: UTF8.self).replacing("MII", with: "MIX").utf8)
        #expect(throws: TLSSetupError.badCertificate) { try setUp(broken, certificate.keyPEM) }
        #expect(throws: TLSSetupError.badCertificate) { try setUp(certificate.pem + broken, certificate.keyPEM) }
        #expect(throws: TLSSetupError.noCertificate) { _ = try TLSContext.client(trusting: .pem([])) }
    }

    @Test("A key too short for today is refused")
    func shortKey() throws {
        let weak = try TLSCertificate(key: .rsa1024)
        let error = #expect(throws: TLSSetupError.self) {
            try TLSContext.server(certificateChain: weak.pem, key: weak.keyPEM)
        }
        guard case .refused = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
