import Glibc
import Testing

@testable import TiffinLiveCore

/// `doctor` without Redis: keys, tokens, certificates, descriptors, addresses.
@Suite("Doctor")
struct DoctorTests {
    @Test("where nothing is wrong, every line is ok")
    func well() throws {
        let lines = try DoctorHarness().examine()
        #expect(lines.allSatisfy { $0.hasPrefix("ok       ") }, "\(lines)")
        for subject in ["keys", "descriptors", "admin", "listen", "redis"] {
            #expect(lines.contains { $0.hasPrefix("ok       \(subject): ") }, "\(subject)")
        }
    }

    @Test("keys are told with their number and algorithms")
    func keys() throws {
        let harness = try DoctorHarness()
        #expect(try harness.examine().contains("ok       keys: file:\(harness.keyFile): one key (ES256)"))
        let second = try SigningKey.generate(.RS256, keyID: "second")
        let both = [harness.tokens.key.publicJWKS, second.publicJWKS].map { $0.dropFirst(9).dropLast(2) }
        try harness.write("{\"keys\":[\(both.joined(separator: ","))]}", to: "keys.json")
        #expect(try harness.examine().contains("ok       keys: file:\(harness.keyFile): 2 keys (ES256, RS256)"))
    }

    @Test("a key file that is missing or that is none is a fault with its path")
    func badKeys() throws {
        let harness = try DoctorHarness()
        try harness.write("{}", to: "keys.json")
        #expect(try harness.faults().count == 1)
        #expect(try harness.faults()[0].hasPrefix("keys: tokens.keys: "))
        unlink(harness.keyFile)
        let missing = try harness.faults()
        #expect(missing.count == 1)
        #expect(missing[0].contains(harness.keyFile))
        #expect(missing[0].contains("No such file"))
    }

    @Test("a secret that everybody may read is a fault, a public key that everybody may read is none")
    func access() throws {
        let secret = try DoctorHarness(tokens: .hs256)
        #expect(try secret.faults() == [])
        chmod(secret.keyFile, 0o640)
        #expect(try secret.faults() == [])
        chmod(secret.keyFile, 0o644)
        #expect(try secret.faults().contains { $0.hasSuffix("chmod o= \(secret.keyFile)") })
        let harness = try DoctorHarness()
        chmod(harness.keyFile, 0o644)
        #expect(try harness.faults() == [])
    }

    @Test("a token that was just issued tells how far the clocks are apart, and is never shown")
    func token() throws {
        let harness = try DoctorHarness()
        let now = Clock.now().wall / .second
        let good = harness.tokens.token(exp: now + 600, iat: now - 3)
        let line = try #require(try harness.examine(token: good).first { $0.contains(" token: ") })
        #expect(line.hasPrefix("ok       token: it would be accepted; by the clock of this machine it was issued "))
        // Some seconds may pass on a busy machine.
        let age = try #require(line.split(separator: " ").dropLast(2).last.flatMap { Int($0) })
        #expect(line.hasSuffix(" s ago") && (3..<60).contains(age))
        let undated = try harness.examine(token: harness.tokens.token(exp: now + 600))
        #expect(undated.contains { $0.hasPrefix("unknown  token: ") })
        for (token, word) in [
            (harness.tokens.token(exp: now + 600, iat: now + 100), "iat"),
            (harness.tokens.token(exp: now - 1, iat: now - 100), "exp"), ("x.y.z", ""),
            (TokenFactory.hs256.token(exp: now + 600, iat: now), ""),
        ] {
            let faults = try harness.faults(token: token)
            #expect(faults.count == 1)
            #expect(faults.first?.hasPrefix("token: it would be refused: ") == true)
            #expect(faults.first?.contains(word) != false || word.isEmpty)
            #expect(faults.first?.contains(token) == false)
        }
    }

    @Test("more connections than open files are allowed is a fault with the number to set")
    func descriptors() throws {
        let faults = try DoctorHarness().faults(["limits.connections=100000000"])
        let hard = try DescriptorLimit.current().hard
        // Where the machine allows that many, there is no fault.
        guard hard < 100_000_100 else { return }
        #expect(faults.count == 1)
        #expect(faults.first?.contains("LimitNOFILE=100000100") == true)
        #expect(faults.first?.contains("limits.connections to \(max(1, hard - 100))") == true)
    }

    @Test("an address that somebody else has is a fault, one that this server has is none")
    func addresses() throws {
        let harness = try DoctorHarness()
        let (descriptor, port) = try LoopbackSocket.listen()
        defer { close(descriptor) }
        let taken = try harness.faults([#"listen=["127.0.0.1:\#(port)"]"#])
        #expect(taken.count == 1)
        #expect(taken.first?.hasPrefix("listen: 127.0.0.1:\(port) is in use by something else") == true)

        let server = try LiveServer()
        let own = [#"listen=["127.0.0.1:\#(server.port)"]"#, #"admin=["127.0.0.1:\#(server.adminPort)"]"#]
        let lines = try harness.examine(own)
        #expect(lines.contains("ok       listen: 127.0.0.1:\(server.port) is in use by tiffin-live"))
        #expect(lines.contains("ok       admin: 127.0.0.1:\(server.adminPort) is in use by tiffin-live"))
        // It has gone on serving.
        _ = try server.rider()
    }

    @Test("an address that this machine has not, and a path in no folder, are faults")
    func impossible() throws {
        let harness = try DoctorHarness()
        let foreign = try harness.faults([#"listen=["192.0.2.1:8080"]"#])
        #expect(foreign.count == 1)
        #expect(foreign.first?.contains("no address of this machine") == true)
        let path = try harness.faults([#"listen=["unix:\#(harness.folder)/none/x.sock"]"#])
        #expect(path.count == 1)
        #expect(path.first?.contains("No such file") == true)
        #expect(try harness.faults([#"listen=["unix:\#(harness.folder)/x.sock"]"#]) == [])
        #expect(Glibc.access("\(harness.folder)/x.sock", F_OK) != 0)
    }

    @Test("a certificate that cannot be read is a fault")
    func certificate() throws {
        let harness = try DoctorHarness()
        try harness.write("no certificate", to: "cert.pem")
        try harness.write("no key", to: "key.pem", mode: 0o644)
        let files = #"tls={certificate:"file:\#(harness.folder)/cert.pem",key:"file:\#(harness.folder)/key.pem"}"#
        let faults = try harness.faults([files])
        #expect(faults.count == 2)
        #expect(faults.allSatisfy { $0.hasPrefix("certificate: ") })
        #expect(faults.contains { $0.hasSuffix("chmod o= \(harness.folder)/key.pem") })
    }
}
