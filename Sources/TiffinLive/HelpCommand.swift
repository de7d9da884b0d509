/// `help`: the commands, or one of them.
enum HelpCommand: Command {
    static let name = "help"
    static let summary = "lists the commands, or explains one: help COMMAND"
    static let usage = "tiffin-live help [COMMAND]"
    static let operandLimit = 1

    static func run(_ arguments: Arguments) throws(CommandError) -> Int32 {
        guard let name = arguments.operands.first else {
            Console.out(overview)
            return 0
        }
        guard let command = CommandLineTool.command(named: name) else {
            throw .usage("there is no command \(Console.quoted(name))")
        }
        Console.out(text(of: command))
        return 0
    }

    static var overview: String {
        let commands = CommandLineTool.commands
        let width = commands.map { $0.name.count }.max() ?? 0
        let lines = commands.map { command in
            let padding = String(repeating: " ", count: width - command.name.count)
            return "  \(command.name)\(padding)  \(command.summary)"
        }
        return """
            tiffin-live keeps apps connected and signed in (WebSocket and server-sent events).

            usage: tiffin-live COMMAND [OPTIONS]

            \(lines.joined(separator: "\n"))

            Begin with `tiffin-live demo`. Exit codes: 0 done, 1 the input or the environment is at fault, 2 usage.
            """
    }

    static func text(of command: any Command.Type) -> String {
        let head = "\(command.name): \(command.summary)\n\nusage: \(command.usage)"
        return command.details.isEmpty ? head : "\(head)\n\n\(command.details)"
    }
}
