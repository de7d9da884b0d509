import Testing

@testable import TiffinLive

/// The words behind a command: what is read, and that a slip of the hand never passes for a default.
struct ArgumentsTests {
    private static let options = [Option("config"), Option("set", .list), Option("ttl"), Option("quiet", .flag)]

    private func read(_ words: [String], operands: Int = 0) throws(CommandError) -> Arguments {
        try Arguments(words, options: Self.options, operandLimit: operands)
    }

    @Test func `A value follows its option as a word of its own or behind an equals sign`() throws {
        #expect(try read(["--config", "a.json5"]).required("config") == "a.json5")
        #expect(try read(["--config=a.json5"]).required("config") == "a.json5")
        #expect(try read(["--config=a=b"]).required("config") == "a=b")
        #expect(try read(["--ttl", "-60"]).integer("ttl", in: -60...60) == -60)
    }

    @Test func `A list keeps every value in its order`() throws {
        let arguments = try read(["--set", "a=1", "--quiet", "--set=b=2"])
        #expect(arguments.list("set") == ["a=1", "b=2"])
        #expect(arguments.has("quiet"))
        #expect(try read([]).list("set").isEmpty)
    }

    @Test(arguments: [
        ["--confg", "a"], ["-config", "a"], ["--config"], ["--config", "--quiet"], ["--config", "a", "--config", "b"],
        ["--config=a", "--config=b"], ["--quiet=yes"], ["--quiet", "--quiet"], ["word"], ["--", "--quiet"], ["--=x"],
        ["--set"], ["-q"],
    ])
    func `What the command does not have, or has otherwise, is a usage error`(words: [String]) {
        #expect {
            try read(words)
        } throws: { error in
            guard case .usage = error as? CommandError else { return false }
            return true
        }
    }

    @Test func `Help is asked for whatever else is wrong`() throws {
        #expect(try read(["--nonsense", "--help"]).asksForHelp)
        #expect(try read(["-h"]).asksForHelp)
        #expect(try !read([]).asksForHelp)
    }

    @Test func `Operands are counted, and two dashes end the options`() throws {
        #expect(try read(["a"], operands: 1).operands == ["a"])
        #expect(try read(["--", "--quiet"], operands: 1).operands == ["--quiet"])
        #expect(throws: CommandError.self) { try read(["a", "b"], operands: 1) }
    }

    @Test func `A required option is missing or empty by name`() throws {
        #expect(throws: CommandError.usage("--config is missing")) { try read([]).required("config") }
        #expect(throws: CommandError.usage("--config is empty")) { try read(["--config="]).required("config") }
    }

    @Test(arguments: ["", "1x", "1.5", "1e3", " 1", "61", "-61", "99999999999999999999"])
    func `A number is whole and in its range`(text: String) throws {
        let arguments = try read(["--ttl=\(text)"])
        #expect(throws: CommandError.usage("--ttl is a whole number from -60 to 60")) {
            try arguments.integer("ttl", in: -60...60)
        }
    }

    @Test func `A number that is not given is none`() throws {
        #expect(try read([]).integer("ttl", in: 0...1) == nil)
    }
}
