import Testing

@testable import TiffinLiveCore

/// What `doctor` makes of what it finds, where no Redis can be made to show it.
@Suite("Judgements of the doctor")
struct DoctorJudgementTests {
    private func findings(_ examine: (inout Doctor) -> Void) throws -> [DoctorFinding] {
        var doctor = Doctor(configuration: try ServerConfiguration.load(path: nil))
        examine(&doctor)
        return doctor.findings
    }

    @Test(
        "a Redis that is too old, or does not say how old it is, is a fault",
        arguments: [
            ("7.0.0", DoctorFinding.Verdict.ok), ("7.2.4", .ok), ("8.0.1", .ok), ("10.0.0", .ok), ("6.2.14", .fault),
            ("6.0.9", .fault), ("", .unknown),
        ])
    func version(text: String, verdict: DoctorFinding.Verdict) throws {
        var server = RedisServerInfo(protocolVersion: 3)
        server.version = text
        let found = try findings { $0.examineVersion(server) }
        #expect(found.map(\.verdict) == [verdict])
        // Who does not know HELLO is older than 6.0.
        #expect(try findings { $0.examineVersion(RedisServerInfo(protocolVersion: 2)) }.map(\.verdict) == [.fault])
    }

    @Test("a node of a cluster is a fault, whatever its version")
    func cluster() throws {
        var node = RedisServerInfo(protocolVersion: 3)
        (node.version, node.mode) = ("7.2.0", "cluster")
        #expect(try findings { $0.examineVersion(node) }.map(\.verdict) == [.fault, .ok])
    }

    @Test(
        "clocks may differ by the leeway of tokens, and by what the measurement cannot tell",
        arguments: [
            (0, 0, false), (5000, 0, false), (-5000, 0, false), (5001, 0, true), (-5001, 0, true), (6000, 2000, false),
            (8000, 2000, true),
        ] as [(Int64, Int64, Bool)])
    func clock(difference: Int64, uncertainty: Int64, isFault: Bool) throws {
        let found = try findings {
            $0.examineClock(
                difference: difference * .millisecond, uncertainty: uncertainty * .millisecond)
        }
        #expect(found.count == 1)
        #expect(found[0].isFault == isFault)
        #expect(found[0].text.contains("\(abs(difference)) ms"))
    }

    @Test("a time beyond reason is a fault and no trap", arguments: [Nanoseconds.min, .max])
    func clockBeyondReason(difference: Nanoseconds) throws {
        let found = try findings { $0.examineClock(difference: difference, uncertainty: .second) }
        #expect(found.map(\.isFault) == [true])
    }

    @Test(
        "functions are a fault only when the right ones can come from nowhere",
        arguments: [
            (nil, nil, true), (0, false, true), (0, nil, true), (1, false, true), (1, nil, false), (1, true, false),
            (2, nil, false), (2, false, false),
        ] as [(Int64?, Bool?, Bool)])
    func functions(version: Int64?, isOurs: Bool?, isFaultWithoutLoading: Bool) throws {
        for mayLoad in [false, true] {
            let found = try findings {
                $0.examineFunctions(version: version, isOurs: isOurs, mayLoad: mayLoad)
            }
            #expect(found.map(\.isFault) == [isFaultWithoutLoading && !mayLoad])
        }
    }

    @Test("a reply tells whether a right is there, whatever else is wrong")
    func verdicts() {
        func verdict(_ text: String) -> RedisProbe.Verdict {
            let reply = Array(text.utf8).withUnsafeBytes { RedisErrorReply($0) }
            return RedisProbe.verdict(.failure(.error(code: reply.code, text: reply.text)))
        }
        #expect(RedisProbe.verdict(.success(.null)) == .allowed)
        #expect(RedisProbe.verdict(.failure(.timedOut)) == .unanswered)
        #expect(RedisProbe.verdict(.failure(.lost)) == .unanswered)
        #expect(RedisProbe.verdict(.failure(.unavailable)) == .unanswered)
        #expect(verdict("NOPERM User x has no permissions to run the 'xadd' command") == .denied)
        for text in ["ERR syntax error", "WRONGTYPE Operation", "ERR Function not found", "no code at all"] {
            #expect(verdict(text) == .allowed, "\(text)")
        }
        for text in ["OOM command", "MISCONF x", "NOREPLICAS x", "READONLY x", "BUSY x", "ERR unknown command 'FCALL'"]
        {
            guard case .broken = verdict(text) else {
                Issue.record("\(text)")
                continue
            }
        }
    }

    @Test("no probe can be heard or kept: each is refused for its arguments, reads, or names what nobody has")
    func probes() throws {
        let configuration = try ServerConfiguration.load(
            path: nil,
            overrides: [
                "redis={url:\"redis://x\"}",
                #"topics={"news":{claim:{sub:"1"}},"a:{b}:{c}":{owner:["SISMEMBER","s:{b}:{c}","{sub}"]}}"#,
                #"browser.cookie={name:"s",session:["GET","session:{cookie}"]}"#,
            ])
        let probes = RedisProbe.all(configuration)
        let nobody = RedisProbe.nobody
        for probe in probes where ["PUBLISH", "GETDEL", "SISMEMBER"].contains(probe.command[0]) {
            #expect(probe.command[1].contains(nobody), "\(probe.command)")
        }
        #expect(!probes.contains { $0.command[0] == "PUBLISH" && $0.command[1] == "news" })
        #expect(probes.contains(RedisProbe(["SISMEMBER", "s:\(nobody):\(nobody)", nobody], rule: "+sismember ~s:*:*")))
        #expect(probes.contains(RedisProbe(["GET", "session:\(nobody)"], rule: "+get ~session:*")))
        for probe in probes where ["SET", "XADD", "ZADD", "XTRIM", "EXPIRE"].contains(probe.command[0]) {
            let last = probe.command.dropFirst(2).joined(separator: " ")
            #expect(["0 NX XX", "0-0 a b", "NX XX 0 a", "MAXLEN x", "x"].contains(last), "\(probe.command)")
        }
        #expect(RedisProbe.channels(configuration).map(\.rule) == ["&revocations", "&grants", "&news", "&a:*:*"])
    }

    @Test("a line has the verdict in front")
    func line() {
        let finding = DoctorFinding(verdict: .ok, subject: "keys", text: "two")
        #expect(finding.description == "ok       keys: two")
        #expect(DoctorFinding(verdict: .unknown, subject: "a", text: "b").description == "unknown  a: b")
    }

    @Test("every fault of a link comes with advice")
    func advice() {
        for fault in [
            RedisLinkFault.unresolved("x"), .unreachable("x"), .connectTimedOut, .tls("x"), .closedByPeer, .broken("x"),
            .silent, .greetingTimedOut, .wrongPassword, .passwordRequired, .loading, .readOnly, .primaryDown,
            .databaseRefused(code: "ERR"), .tooManyClients, .refused(code: "ERR"), .outOfStep, .stopped,
        ] {
            #expect(Doctor.advice(fault).count > 10)
        }
    }
}
