import TiffinLiveCore

/// `doctor`: what the server would stumble over, and what to do about it.
enum DoctorCommand: Command {
    static let name = "doctor"
    static let summary = "tries everything that the server needs, and says what to do"
    static let usage = "tiffin-live doctor --config FILE [--token FILE] [--set KEY=VALUE]..."
    static let details = """
        One line for each thing: ok, fault with what to do, or unknown where Redis does not let this user look. Nothing
        is changed, and it may run beside a server. --token FILE (- for standard input) has a token that was issued just
        now: its iat is held against the clock of this machine. Exit code 1 when there is a fault.
        """
    static let options = [Option("config"), Option("token"), Option("set", .list)]

    static func run(_ arguments: Arguments) throws(CommandError) -> Int32 {
        let configuration = try ConfigurationFile.load(arguments)
        let path = arguments.optional("token")
        let token: [UInt8]? = path == nil ? nil : try TokenInput.read(path == "-" ? nil : path)
        let findings = Doctor.examine(configuration, token: token)
        Console.out("ok       configuration: \(try arguments.required("config"))")
        for finding in findings { Console.out(finding.description) }
        return findings.contains { $0.isFault } ? CommandError.failureStatus : 0
    }
}
