import TiffinLiveCore

/// `check-config`: all faults of a configuration at once, before a reload meets them.
enum CheckConfigCommand: Command {
    static let name = "check-config"
    static let summary = "checks a configuration and names every fault"
    static let usage = "tiffin-live check-config --config FILE [--set KEY=VALUE]..."
    static let details = """
        Each fault is a line FILE:LINE: KEY: what is wrong. The key file and the addresses are not tried.
        """
    static let options = [Option("config"), Option("set", .list)]

    static func run(_ arguments: Arguments) throws(CommandError) -> Int32 {
        _ = try ConfigurationFile.load(arguments)
        Console.out("\(try arguments.required("config")): ok")
        return 0
    }
}
