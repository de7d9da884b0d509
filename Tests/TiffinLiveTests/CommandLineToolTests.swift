import Testing
import TiffinLiveCore

@testable import TiffinLive

/// Contract section 2: the commands, and what their exit codes mean.
struct CommandLineToolTests {
    @Test(arguments: [
        [], ["bogus"], ["serve"], ["version", "x"], ["help", "bogus"], ["check-config", "--confg", "a"],
    ])
    func `A wrong call exits with 2`(words: [String]) {
        #expect(CommandLineTool.run(words) == 2)
    }

    @Test(arguments: [
        ["serve", "--config", "/nowhere/live.json5"], ["check-config", "--config", "/nowhere/live.json5"],
        ["token", "--key", "/nowhere/key.json", "--sub", "1"], ["keygen", "--kid", "a", "--out", "/nowhere/a/b"],
        ["publish", "--admin", "unix:/nowhere/admin.sock", "--topic", "a", "--data", "1"],
    ])
    func `What the environment lacks exits with 1`(words: [String]) {
        #expect(CommandLineTool.run(words) == 1)
    }

    @Test(arguments: [["help"], ["--help"], ["version"], ["--version"], ["help", "token"], ["serve", "--help"]])
    func `Help and version exit with 0`(words: [String]) {
        #expect(CommandLineTool.run(words) == 0)
    }

    @Test func `The version names the commit and the build, or says that it does not know`() {
        let lines = VersionCommand.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3)
        #expect(lines.first == "tiffin-live \(Version.text)")
        #expect(Version.text.split(separator: ".").map { Int($0) }.count == 3)
        let commit = Version.commit.prefix { $0 != "-" }
        #expect(commit == "unknown" || (commit.utf8.count == 40 && commit.allSatisfy(\.isHexDigit)))
        #expect(Version.build.hasPrefix("debug") || Version.build.hasPrefix("release"))
    }

    @Test(arguments: [["--data", "{a:1}"], ["--data", ""], [], ["--data", "1", "--event", ""]])
    func `Data that are not JSON are not sent`(words: [String]) {
        #expect(CommandLineTool.run(["publish", "--admin", "unix:/nowhere/a.sock", "--topic", "a"] + words) == 2)
    }

    @Test func `Every option of a command stands in its usage`() {
        for command in CommandLineTool.commands {
            for option in command.options {
                #expect(command.usage.contains("--\(option.name)"), "\(command.name)")
            }
            #expect(HelpCommand.overview.contains(command.summary))
        }
    }

    @Test func `Text from outside cannot steer the terminal`() {
        #expect(Console.quoted("a\u{1B}[2J\nb\u{202E}") == "\"a?[2J?b?\"")
        #expect(Console.quoted(String(repeating: "é", count: 200)).unicodeScalars.count == 82)
    }
}
