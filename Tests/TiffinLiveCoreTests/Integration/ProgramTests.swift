import Testing

@testable import TiffinLiveCore

/// The commands of the built program, with what they print where and the exit code (contract section 2).
@Suite("The program in a terminal", .enabled(if: ServerProcess.isBuilt))
struct ProgramTests {
    private let files: TemporaryFolder
    private let configuration: String

    init() throws {
        files = try TemporaryFolder()
        let made = try ProgramRun([ServerProcess.program, "keygen", "--kid", "k", "--out", files.path + "/keys"])
        #expect(made.status == 0)
        #expect(made.output == "\(files.path)/keys/private.json\n\(files.path)/keys/keys.json\n")
        configuration = files.path + "/live.json5"
        try configure("")
    }

    private func configure(_ more: String) throws {
        try files.write(
            """
            {
              listen: ["127.0.0.1:0"], admin: ["127.0.0.1:0"], limits: { connections: 50 },
              tokens: { keys: "file:\(files.path)/keys/keys.json" },
              \(more)
            }

            """, to: "live.json5")
    }

    private func run(_ words: String..., input: String = "") throws -> ProgramRun {
        try ProgramRun([ServerProcess.program] + words, input: Array(input.utf8))
    }

    private func token(_ words: String...) throws -> String {
        let made = try ProgramRun(
            [ServerProcess.program, "token", "--key", files.path + "/keys/private.json", "--sub", "5521"] + words)
        #expect(made.status == 0)
        return made.output
    }

    @Test("doctor prints a line for each thing, and exits with 1 when one of them is a fault")
    func doctor() throws {
        let well = try run("doctor", "--config", configuration)
        #expect(well.status == 0)
        #expect(well.errors.isEmpty)
        let lines = well.output.split(separator: "\n")
        #expect(lines.first == "ok       configuration: \(configuration)")
        #expect(lines.count >= 5)
        #expect(lines.allSatisfy { $0.hasPrefix("ok       ") }, "\(well.output)")

        try configure(#"redis: { url: "redis://127.0.0.1:1" },"#)
        let ill = try run("doctor", "--config", configuration)
        #expect(ill.status == 1)
        #expect(ill.output.split(separator: "\n").contains { $0.hasPrefix("fault    redis: ") }, "\(ill.output)")

        let missing = try run("doctor", "--config", files.path + "/none.json5")
        #expect(missing.status == 1)
        #expect(missing.output.isEmpty)
        #expect(missing.errors.contains("none.json5"))
    }

    @Test("doctor takes a token from a file or from standard input, and never shows it")
    func doctorToken() throws {
        let token = try token()
        try files.write(token, to: "token")
        for (path, input) in [("-", token), (files.path + "/token", "")] {
            let good = try run("doctor", "--config", configuration, "--token", path, input: input)
            #expect(good.status == 0)
            #expect(good.output.contains("ok       token: it would be accepted"))
        }
        let bad = try run("doctor", "--config", configuration, "--token", "-", input: "x" + token)
        #expect(bad.status == 1)
        #expect(bad.output.contains("fault    token: "))
        #expect(!bad.output.contains(token.prefix(40)) && !bad.errors.contains(token.prefix(40)))
    }

    @Test("check-token says accepted or the rule that refuses, and never shows the token")
    func checkToken() throws {
        let good = try run("check-token", "--config", configuration, input: try token())
        #expect(good.status == 0)
        #expect(good.output.contains("5521"))
        let old = try token("--ttl", "-60")
        for (input, word) in [
            (old, "exp"), ("a.b.c", ""), ("", "empty"), (String(repeating: "a", count: 70_000), "64 KiB"),
        ] {
            let refused = try run("check-token", "--config", configuration, input: input)
            #expect(refused.status == 1)
            #expect((refused.output + refused.errors).contains(word))
            #expect(!(refused.output + refused.errors).contains(old.prefix(40)))
        }
    }

    @Test("check-config names each fault with file, line and key")
    func checkConfig() throws {
        let well = try run("check-config", "--config", configuration)
        #expect(well.status == 0)
        #expect(well.errors.isEmpty)
        try configure("drain: { spread: 30 },\n  nonsense: 1,")
        let ill = try run("check-config", "--config", configuration)
        #expect(ill.status == 1)
        let faults = (ill.output + ill.errors).split(separator: "\n")
        #expect(faults.contains { $0.hasPrefix("\(configuration):4: drain.spread: ") }, "\(faults)")
        #expect(faults.contains { $0.hasPrefix("\(configuration):5: nonsense: ") }, "\(faults)")
        let overridden = try run("check-config", "--config", configuration, "--set", "threads=0x")
        #expect(overridden.status == 1)
    }

    @Test("a wrong call is told on standard error, with the right way, and exits with 2")
    func usage() throws {
        let run = try run("doctor", "--confg", configuration)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("tiffin-live doctor --config FILE"))
    }
}
