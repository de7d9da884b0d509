/// Finds the command that the first word names, runs it, and turns what it throws into a sentence and an exit code
/// (contract section 2).
enum CommandLineTool {
    /// In the order of the help.
    static var commands: [any Command.Type] {
        [
            ServeCommand.self, DemoCommand.self, CheckConfigCommand.self, DoctorCommand.self, KeygenCommand.self,
            TokenCommand.self,
            CheckTokenCommand.self, PublishCommand.self, VersionCommand.self, HelpCommand.self,
        ]
    }

    static func run(_ words: [String]) -> Int32 {
        guard let first = words.first else {
            Console.error(HelpCommand.overview)
            return CommandError.usageStatus
        }
        let name = alias(of: first)
        guard let command = command(named: name) else {
            Console.error("tiffin-live: there is no command \(Console.quoted(first)); `tiffin-live help` lists them")
            return CommandError.usageStatus
        }
        do throws(CommandError) {
            let arguments = try Arguments(Array(words.dropFirst()), for: command)
            if arguments.asksForHelp {
                Console.out(HelpCommand.text(of: command))
                return 0
            }
            return try command.run(arguments)
        } catch {
            switch error {
            case .usage(let sentence):
                Console.error("tiffin-live \(name): \(sentence)\nusage: \(command.usage)")
                return CommandError.usageStatus
            case .failed(let sentence):
                Console.error(sentence)
                return CommandError.failureStatus
            }
        }
    }

    static func command(named name: String) -> (any Command.Type)? {
        commands.first { $0.name == name }
    }

    /// What people type without looking.
    private static func alias(of word: String) -> String {
        switch word {
        case "--help", "-h": HelpCommand.name
        case "--version", "-v": VersionCommand.name
        default: word
        }
    }
}
